//! Errors in templates.

use super::read::Unreadable;
use crate::expr::ErrorKind;

/// An error in a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError {
    /// Byte offset in the template, if known.
    pub offset: Option<usize>,
    pub kind: ErrorKind,
    pub message: String,
    pub hint: Option<String>,
}

/// An error in one line.
pub(super) fn describe(error: &Unreadable) -> String {
    match error {
        Unreadable::Syntax(error) => error.detail().map_or_else(|| error.kind().to_string(), str::to_owned),
        Unreadable::Refused(_, message) => message.clone(),
    }
}
