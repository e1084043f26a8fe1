//! Limits of what functions and operators make.

/// Longest text a function makes, in bytes.
pub(in crate::expr) const MAX_TEXT: usize = 1 << 20;
/// Longest list a function or operator makes.
pub(in crate::expr) const MAX_ITEMS: usize = 100_000;
