//! Retention: how much of the hits of a query is kept in addition to their groups.

/// Amount of data that is retained for each hit of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::log) enum Retention {
    /// Nothing: groups are enough.
    Nothing,
    /// Enough to recognise copies.
    Marks,
    /// Everything that a group of this hit alone has.
    Whole,
}
