//! Filters of jq as conditions on lines that hold JSON.
//!
//! No shipped rule uses them. The grammar is that of crate `jaq-core`; the evaluation is our own and supports only what is known to end: paths, comparisons,
//! tests of texts. A line is judged within a number of steps that grows with its length. [`filter::Filter::pattern`] is the
//! pattern that the scan looks for: every line for which the filter can be true matches it.

mod compile;
pub(super) mod error;
mod eval;
pub(super) mod filter;
mod literal;
#[cfg(test)]
mod tests;
