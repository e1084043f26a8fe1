//! Combinations of what the facts of a rule found.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::eval::facts::alternative_set::AlternativeSet;
use crate::eval::facts::candidate::Assumed;
use crate::expr::{Slot, Value};
use crate::model::message::SharedReason;

/// One value for each slot that is bound so far.
#[derive(Clone, Debug)]
pub struct Combination<'a> {
    pub values: Vec<Value<'a>>,
    /// Reason why a condition or an absence on which this depends is undecided.
    pub undecided: Option<SharedReason>,
    /// Reason why a list of it may lack elements on which only texts depend.
    pub partial: Option<SharedReason>,
    /// Matches that it assumes.
    pub assumed: Assumed,
    /// For facts with several alternatives: those that gave the binding; for a collected fact, of each element.
    pub via: BTreeMap<Slot, Arc<[AlternativeSet]>>,
}

impl Combination<'_> {
    /// Adds what one more match leaves undecided. The reason of a match that was searched in vain stands for the others; of equal ones
    /// the smallest, because facts are bound in any order.
    pub fn assume(&mut self, undecided: Option<SharedReason>, assumed: Assumed) {
        let known = self.undecided.take();
        let searched = [assumed, self.assumed].map(|assumed| assumed == Assumed::InUncollectedPart);
        self.undecided = match searched {
            [true, false] => undecided.or(known),
            [false, true] => known.or(undecided),
            _ => known.into_iter().chain(undecided).min(),
        };
        self.assumed = self.assumed.max(assumed);
    }

    /// Returns true if it is a finding.
    pub fn is_decided(&self) -> bool {
        self.undecided.is_none()
    }

    /// Makes a combination of `slots` slots in which nothing is bound.
    pub fn empty(slots: usize) -> Self {
        Self {
            values: vec![Value::Null; slots],
            undecided: None,
            partial: None,
            assumed: Assumed::Nothing,
            via: BTreeMap::new(),
        }
    }
}

/// Result of joining the facts of a rule.
#[derive(Debug, Default)]
pub struct Joined<'a> {
    pub combinations: Vec<Combination<'a>>,
    /// True if the rule was stopped.
    pub overflow: bool,
}

/// A combination, with the index of the one it grew from.
pub type Row<'a> = (usize, Combination<'a>);
