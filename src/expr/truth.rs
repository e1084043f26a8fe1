//! The answer to a condition and the fields that it read.

use crate::expr::scope::Slot;
use crate::model::message::SharedReason;
use crate::resource::ResourceId;

/// The answer to a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Truth {
    True,
    False,
    /// Not decided; the reason.
    Undecided(SharedReason),
}

/// A field that a condition read and that made it hold.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TracedField {
    /// The slot through which it was reached; none for `get`, `owner`, `setting`, `selects`.
    pub slot: Option<Slot>,
    pub resource: ResourceId,
    /// Node in the resource's document.
    pub node: u32,
}
