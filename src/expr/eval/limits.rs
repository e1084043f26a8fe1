//! Limits of the results of functions and operators.

/// Longest text that a function makes, in bytes.
pub(in crate::expr) const MAX_TEXT: usize = 1 << 20;
/// Longest list that a function or operator makes.
pub(in crate::expr) const MAX_ITEMS: usize = 100_000;
