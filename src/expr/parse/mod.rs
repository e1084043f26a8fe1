//! Parses the text of an expression into the tree for evaluation.

pub(super) mod ast;
mod calls;
mod compile;
pub mod pattern;
pub(super) mod prepared;
mod source;
