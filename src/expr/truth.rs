//! Results of conditions, and the fields that they read.

use crate::expr::scope::Slot;
use crate::model::message::SharedReason;
use crate::resource::ResourceId;

/// Result of a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Truth {
    True,
    False,
    /// Undecided, with the reason.
    Undecided(SharedReason),
}

/// Field that a condition read and that made it hold.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TracedField {
    /// Slot through which it was reached; none for `get`, `owner`, `setting`, `selects`.
    pub slot: Option<Slot>,
    pub resource: ResourceId,
    /// Node in the resource's document.
    pub node: u32,
}
