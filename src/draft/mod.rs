//! A new rule with its test, made of one line of a bundle: a line of a log, an event, or a field of an object.
//!
//! [`place`] finds the line. [`log`], [`event`] and [`object`] make the facts and texts of a rule from it and a case in which it
//! fires and one in which it does not; [`pattern`] and [`shape`] are the words of a line and what varies. Names are replaced before
//! anything is written, in the rule as in its test. [`written`] writes both, and they are run before they are returned.

mod error;
mod event;
mod known;
mod log;
mod object;
mod pattern;
mod place;
mod shape;
mod written;

use crate::bundle::{Bundle, Role};
use crate::pipeline;
use crate::rule::skeleton::{self, Skeleton};
use crate::rule::{Source, Streams, compile};

pub use error::DraftError;
use known::Known;
pub use place::Place;
use written::Parts;

/// Rules made of lines of one bundle.
pub struct Drafts<'b> {
    known: Known<'b>,
}

impl<'b> Drafts<'b> {
    /// Reads the objects of a bundle. `published` are words that are no names of its owner.
    pub fn new(bundle: &'b Bundle, streams: &'b Streams, published: &'b str) -> Self {
        Self { known: Known::new(bundle, streams, published) }
    }

    /// Makes a rule and its test of a line.
    ///
    /// # Errors
    /// If there is no such line, it says nothing, or the id or area is invalid.
    pub fn draft(&self, id: &str, area: &str, place: &Place) -> Result<Skeleton, DraftError> {
        skeleton::check(id, area)?;
        let entry = place.entry_of(self.known.bundle)?;
        let place = Place { entry: entry.path.to_string(), line: place.line };
        let excerpt = place.read(self.known.bundle, entry)?;
        let made = match object::at(&self.known.input.world.resources, &place) {
            Some(found) => match self.known.input.world.resources.event_of(found) {
                Some(event) => event::parts(&self.known, event),
                None => object::parts(&self.known, found, &place, &excerpt)?,
            },
            None if is_of_objects(&entry.role) => {
                let why = "no object that rules see is there; events that are in two files are read from those of `v1`";
                return Err(DraftError::Nothing { entry: place.entry, line: place.line, why });
            }
            None => log::parts(&self.known, entry, &place, &excerpt)?,
        };
        self.tried(id, area, &made).map_err(|why| DraftError::Failed { entry: place.entry, line: place.line, why })
    }

    /// Runs a rule on the bundle that it was made of.
    ///
    /// # Errors
    /// It does not fire there.
    pub fn confirm(&self, skeleton: &Skeleton, place: &Place) -> Result<(), DraftError> {
        let (file, text) = skeleton.rule.clone();
        let set = compile(vec![Source { file, text }], self.known.streams).unwrap_or_default();
        let analysis = pipeline::analyze(self.known.bundle, &set, pipeline::Options::default(), &());
        if !analysis.findings.is_empty() {
            return Ok(());
        }
        let outcomes = analysis.rules;
        let why = outcomes.not_evaluated.first().map_or_else(|| "it is clean".to_owned(), |not| not.reason.to_string());
        let why = format!("the rule does not fire on the bundle: {why}");
        Err(DraftError::Failed { entry: place.entry.clone(), line: place.line, why })
    }

    /// Writes the first of some forms of a rule of which the test passes.
    fn tried(&self, id: &str, area: &str, forms: &[Parts]) -> Result<Skeleton, String> {
        let mut why = "it has nothing to look for".to_owned();
        for form in forms {
            match written::tried(id, area, form, self.known.streams) {
                Ok(skeleton) => return Ok(skeleton),
                Err(failed) => why = failed,
            }
        }
        Err(why)
    }
}

fn is_of_objects(role: &Role) -> bool {
    matches!(role, Role::Dump { .. } | Role::Objects | Role::Table { .. } | Role::Described { .. })
}
