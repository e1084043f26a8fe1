//! Filters of jq as conditions on lines that hold JSON.
//!
//! The grammar is that of crate `jaq-core`; evaluation is ours, and only of what is known to end: paths, comparisons,
//! tests of texts. A line is judged within a number of steps that grows with its length. [`filter::Filter::pattern`] is what
//! the scan looks for: a text that every line must hold for which the filter can be true.

mod compile;
pub(super) mod error;
mod eval;
pub(super) mod filter;
mod literal;
#[cfg(test)]
mod tests;
