//! Sets of alternatives of a fact.

/// Alternatives of a fact that gave a match, a bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlternativeSet(u16);

impl AlternativeSet {
    pub const FIRST: Self = Self(1);

    /// Makes the set of the alternative at a position; the compiler allows 16.
    pub fn of(position: usize) -> Self {
        Self(u32::try_from(position).ok().and_then(|shift| 1_u16.checked_shl(shift)).unwrap_or(0))
    }

    pub fn contains(self, position: usize) -> bool {
        self.0 & Self::of(position).0 != 0
    }

    /// Returns the alternatives of both sets.
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}
