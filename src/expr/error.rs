//! Errors in expressions and texts of rules.

use std::ops::Range;

/// Of what kind a mistake in an expression or text is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ErrorKind {
    /// Syntax, calls, constants.
    #[default]
    Wrong,
    /// The name that nobody binds.
    Unbound(String),
}

/// What is wrong with an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExprError {
    pub kind: ErrorKind,
    /// Bytes of the expression's text.
    pub range: Range<usize>,
    /// What is wrong, lower case, no full stop.
    pub message: String,
    /// What to write instead.
    pub hint: Option<String>,
}
