//! Alternatives of a fact, a bit each.

/// Which alternatives of a fact gave a match, a bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlternativeSet(u16);

impl AlternativeSet {
    pub const FIRST: Self = Self(1);

    /// The alternative at a position; the compiler allows 16.
    pub fn of(position: usize) -> Self {
        Self(u32::try_from(position).ok().and_then(|shift| 1_u16.checked_shl(shift)).unwrap_or(0))
    }

    pub fn contains(self, position: usize) -> bool {
        self.0 & Self::of(position).0 != 0
    }

    /// The alternatives of both.
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}
