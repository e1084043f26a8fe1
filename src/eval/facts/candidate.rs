//! Values that a fact may take.

use crate::eval::facts::alternative_set::AlternativeSet;
use crate::expr::Value;
use crate::model::message::SharedReason;

/// One value that a fact may take; with a reason if one of its own conditions is undecided.
#[derive(Clone, Debug)]
pub struct Candidate<'a> {
    pub value: Value<'a>,
    pub undecided: Option<SharedReason>,
    /// Alternatives of the fact that gave it.
    pub via: AlternativeSet,
}

impl<'a> Candidate<'a> {
    /// Makes a candidate of a value; an undecided value gives its reason.
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
    /// Reason why more values may exist: part of the input is not there.
    pub incomplete: Option<SharedReason>,
}
