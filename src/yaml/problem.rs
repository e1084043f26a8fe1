//! Problems that readers report.

use crate::model::message::DocumentProblem;

/// Unreadable document, or characters in the text that had to be replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// 1-based.
    pub line: u64,
    pub message: DocumentProblem,
}

impl Problem {
    pub fn new(line: u64, message: DocumentProblem) -> Self {
        Self { line, message }
    }

    /// Returns true if a part of the text was not read because of it.
    pub fn is_unreadable(&self) -> bool {
        use DocumentProblem::{BytesReplaced, ControlCharactersReplaced};
        !matches!(self.message, BytesReplaced { .. } | ControlCharactersReplaced { .. })
    }

    /// Returns true if there was no memory for the document.
    pub fn is_memory(&self) -> bool {
        self.message == DocumentProblem::TooManyValues
    }
}
