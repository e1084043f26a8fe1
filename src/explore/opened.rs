//! A bundle read for questions: its objects and what was collected, without rules and without logs.

use jiff::Timestamp;

use crate::bundle::Bundle;
use crate::eval::Input;
use crate::expr::World;
use crate::model::Progress;
use crate::pipeline::{self, Options};
use crate::resource::ResourceIndex;
use crate::rule::RuleSet;

/// An opened bundle with its objects.
pub struct Opened<'b> {
    pub bundle: &'b Bundle,
    pub input: Input,
}

impl<'b> Opened<'b> {
    /// Reads all dumps and tables; no log is read, because no rule asks for one.
    pub fn read(bundle: &'b Bundle, progress: &dyn Progress) -> Self {
        let input = pipeline::prepare(bundle, &RuleSet::default(), Options::default(), progress);
        Self { bundle, input }
    }

    /// Takes what an analysis of the bundle has read.
    pub fn of(bundle: &'b Bundle, input: Input) -> Self {
        Self { bundle, input }
    }

    pub fn world(&self) -> &World {
        &self.input.world
    }

    pub fn resources(&self) -> &ResourceIndex {
        &self.input.world.resources
    }

    /// Returns the collection time, to which ages are relative.
    pub fn now(&self) -> Option<Timestamp> {
        self.input.world.now
    }
}
