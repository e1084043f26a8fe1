//! Problems that readers report.

use crate::model::message::DocumentProblem;

/// Unreadable document, characters in the text that had to be replaced, or repeated keys.
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
        let replaced = matches!(self.message, BytesReplaced { .. } | ControlCharactersReplaced { .. });
        !replaced && !self.is_repetition()
    }

    /// Returns true if keys are repeated. Readers of rules tell each of them themselves.
    pub fn is_repetition(&self) -> bool {
        matches!(self.message, DocumentProblem::KeyRepeated | DocumentProblem::KeysRepeated { .. })
    }

    /// Returns true if there was no memory for the document.
    pub fn is_memory(&self) -> bool {
        self.message == DocumentProblem::TooManyValues
    }
}
