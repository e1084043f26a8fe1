//! Values that a fact may take.

use crate::eval::facts::alternative_set::AlternativeSet;
use crate::expr::Value;
use crate::model::message::SharedReason;

/// What of the input of a fact was searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Searched {
    #[default]
    Nothing,
    /// All that was collected, and something was.
    Collected,
    /// Something in it could not be read or decided.
    Doubtful,
}

impl Searched {
    /// Searched if anything was collected.
    pub fn of(collected: bool) -> Self {
        if collected { Self::Collected } else { Self::Nothing }
    }
}

/// Whether a value is taken for given without having been seen. Facts of a combination are all needed, so the one of which a part
/// was searched in vain stands for the others: the greatest counts. Of alternatives, the least does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Assumed {
    #[default]
    Nothing,
    /// A match of which nothing was collected, or whose input could not be read.
    InUnknown,
    /// A match in a part that was not collected; the part that was collected has none.
    InUncollectedPart,
}

/// One value that a fact may take; with a reason if one of its own conditions is undecided.
#[derive(Clone, Debug)]
pub struct Candidate<'a> {
    pub value: Value<'a>,
    pub undecided: Option<SharedReason>,
    /// Alternatives of the fact that gave it.
    pub via: AlternativeSet,
    /// Whether it stands for a match that nobody saw.
    pub assumed: Assumed,
}

impl<'a> Candidate<'a> {
    /// Makes a candidate of a value; an undecided value gives its reason.
    pub fn of(value: Value<'a>) -> Self {
        let undecided = match &value {
            Value::Undecided(reason) => Some(reason.clone()),
            _ => None,
        };
        Self { value, undecided, via: AlternativeSet::FIRST, assumed: Assumed::Nothing }
    }
}

/// All values that an alternative of a fact may take.
#[derive(Debug, Default)]
pub struct Candidates<'a> {
    pub list: Vec<Candidate<'a>>,
    /// Reason why more values may exist: part of the input is not there.
    pub incomplete: Option<SharedReason>,
    pub searched: Searched,
}
