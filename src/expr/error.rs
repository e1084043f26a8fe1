//! Errors in expressions and texts of rules.

use std::ops::Range;

/// Kind of an error in an expression or text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ErrorKind {
    /// Syntax, calls, constants.
    #[default]
    Wrong,
    /// A name that is not bound.
    Unbound(String),
}

/// Error in an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExprError {
    pub kind: ErrorKind,
    /// Bytes of the expression's text.
    pub range: Range<usize>,
    /// The message: lower case, no full stop.
    pub message: String,
    /// Advice on the correction.
    pub hint: Option<String>,
}
