//! Parses the text of an expression into the tree for evaluation.

pub(super) mod ast;
mod calls;
mod literal;
mod parser;
pub mod pattern;
pub(super) mod prepared;
mod refusal;
mod token;
