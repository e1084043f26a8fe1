//! Combinations of what the facts of a rule found.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::eval::facts::alternative_set::AlternativeSet;
use crate::eval::facts::candidate::Reason;
use crate::expr::{Slot, Value};

/// One value for each slot that is bound so far.
#[derive(Clone, Debug)]
pub struct Combination<'a> {
    pub values: Vec<Value<'a>>,
    /// A condition or an absence on which this hangs could not be told.
    pub undecided: Option<Reason>,
    /// For facts with several alternatives: which gave what is bound, of a collected fact for each element.
    pub via: BTreeMap<Slot, Arc<[AlternativeSet]>>,
}

impl Combination<'_> {
    /// Nothing is bound yet of so many slots.
    pub fn empty(slots: usize) -> Self {
        Self { values: vec![Value::Null; slots], undecided: None, via: BTreeMap::new() }
    }
}

/// What a rule's facts come to.
#[derive(Debug, Default)]
pub struct Joined<'a> {
    pub combinations: Vec<Combination<'a>>,
    /// The rule had to be given up.
    pub overflow: bool,
}

/// A combination, with the index of the one it grew from.
pub type Row<'a> = (usize, Combination<'a>);
