//! [`Stop`]: the reason why an evaluation has no value. Operators absorb it as CEL absorbs errors.

use crate::expr::eval::place::FieldPlace;
use crate::expr::eval::value::Value;
use crate::model::message::{ExpectedValue, Operand, Reason, SharedReason, ValueKind, WantedValue, WrongValue};

/// Result of an evaluation step.
pub(in crate::expr) type Answer<'a> = Result<Value<'a>, Stop>;

/// Reason why there is no value.
#[derive(Clone, Debug)]
pub(in crate::expr) enum Stop {
    /// Undecided, with the reason.
    Undecided(SharedReason),
    /// Data of the wrong type; makes a condition false and is noted once.
    Wrong(Box<Wrong>),
}

/// Data of the wrong type.
#[derive(Clone, Debug)]
pub(in crate::expr) struct Wrong {
    pub problem: WrongValue,
    /// The field that has the wrong type, where known.
    pub place: Option<FieldPlace>,
}

impl From<SharedReason> for Stop {
    fn from(reason: SharedReason) -> Self {
        Self::Undecided(reason)
    }
}

impl Stop {
    pub fn undecided(reason: Reason) -> Self {
        Self::Undecided(reason.into())
    }

    pub fn wrong(problem: WrongValue) -> Self {
        Self::Wrong(Box::new(Wrong { problem, place: None }))
    }

    /// Data of another type than the expected one.
    pub fn expected(found: ValueKind, expected: ExpectedValue) -> Self {
        Self::wrong(WrongValue::Expected { found, expected })
    }

    /// Data that is not what a function can read.
    pub fn is_no(found: impl Into<Operand>, wanted: WantedValue) -> Self {
        Self::wrong(WrongValue::IsNo { found: found.into(), wanted })
    }

    /// Keeps one of two stops: undecided takes precedence over wrong data.
    pub fn join(first: Option<Self>, second: Self) -> Self {
        match (first, second) {
            (Some(Self::Undecided(reason)), _) | (_, Self::Undecided(reason)) => Self::Undecided(reason),
            (Some(wrong), _) => wrong,
            (None, wrong) => wrong,
        }
    }
}
