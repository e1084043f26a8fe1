//! From the text of an expression to the tree that is evaluated.

pub(super) mod ast;
mod calls;
mod compile;
pub mod pattern;
pub(super) mod prepared;
mod source;
