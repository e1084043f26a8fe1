//! Problems that readers report.

/// Message for a document that does not fit into memory.
const TOO_LARGE: &str = "more values than there is memory for, or one of more than 32 MiB";

/// Unreadable document, or characters in the text that had to be replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// 1-based.
    pub line: u64,
    pub message: String,
    kind: ProblemKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProblemKind {
    Mended,
    Lost,
    Memory,
}

impl Problem {
    /// Creates a problem about something unreadable.
    pub fn lost(line: u64, message: impl Into<String>) -> Self {
        Self { line, message: message.into(), kind: ProblemKind::Lost }
    }

    /// Creates a problem about a document that does not fit into memory.
    pub fn memory(line: u64) -> Self {
        Self { line, message: TOO_LARGE.to_owned(), kind: ProblemKind::Memory }
    }

    /// Creates a problem about something that was corrected; everything was read.
    pub fn mended(line: u64, message: impl Into<String>) -> Self {
        Self { line, message: message.into(), kind: ProblemKind::Mended }
    }

    /// Returns true if a part of the text was not read because of it.
    pub fn is_lost(&self) -> bool {
        self.kind != ProblemKind::Mended
    }

    /// Returns true if there was no memory for the document.
    pub fn is_memory(&self) -> bool {
        self.kind == ProblemKind::Memory
    }
}
