//! Values that a fact may take.

use std::sync::Arc;

use crate::eval::facts::alternative_set::AlternativeSet;
use crate::expr::Value;

/// Why a condition or a fact cannot be told.
pub type Reason = Arc<str>;

/// One value a fact may take; with a reason when one of its own conditions could not be told.
#[derive(Clone, Debug)]
pub struct Candidate<'a> {
    pub value: Value<'a>,
    pub undecided: Option<Reason>,
    /// Which alternatives of the fact gave it.
    pub via: AlternativeSet,
}

impl<'a> Candidate<'a> {
    /// A value; an undecided one is undecided for its reason.
    pub fn of(value: Value<'a>) -> Self {
        let undecided = match &value {
            Value::Undecided(reason) => Some(reason.clone()),
            _ => None,
        };
        Self { value, undecided, via: AlternativeSet::FIRST }
    }
}

/// All values that an alternative of a fact may take.
#[derive(Debug, Default)]
pub struct Candidates<'a> {
    pub list: Vec<Candidate<'a>>,
    /// Part of the input was not there, so that what is not in the list may exist.
    pub missing: Option<Reason>,
}
