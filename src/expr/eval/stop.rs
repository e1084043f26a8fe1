//! [`Stop`]: the reason why an evaluation has no value. Operators absorb it as CEL absorbs errors.

use crate::expr::eval::place::FieldPlace;
use crate::expr::eval::value::Value;
use crate::model::message::{Reason, SharedReason};

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
    pub message: String,
    /// The field that has the wrong type, where known.
    pub place: Option<FieldPlace>,
}

impl Stop {
    pub fn undecided(reason: Reason) -> Self {
        Self::Undecided(reason.into())
    }

    pub fn wrong(message: impl Into<String>) -> Self {
        Self::Wrong(Box::new(Wrong { message: message.into(), place: None }))
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
