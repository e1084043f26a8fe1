//! Errors in templates.

use minijinja::{Error, ErrorKind as EngineError};

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

/// An error of the template engine in one line.
pub(super) fn describe(error: &Error) -> String {
    match (error.kind(), error.detail()) {
        (EngineError::OutOfFuel, _) => "the text needs too many steps".to_owned(),
        (EngineError::WriteFailure, _) => "the text grows too long".to_owned(),
        (_, Some(detail)) => detail.to_owned(),
        (kind, None) => kind.to_string(),
    }
}
