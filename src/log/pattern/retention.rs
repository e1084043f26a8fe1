//! How much of the hits of a query is kept next to their groups.

/// What of the hits of a query is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::log) enum Retention {
    /// Groups are enough.
    Nothing,
    /// Enough to recognise copies.
    Marks,
    /// Everything that a group of this hit alone has.
    Whole,
}
