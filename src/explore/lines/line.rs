//! Lines of an answer and their order.

use jiff::Timestamp;

use crate::model::unexplained::Level;

/// Line of a text as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextLine {
    /// Index of its text in [`crate::pipeline::BundleTexts::texts`].
    pub text: usize,
    /// 1-based line of the entry.
    pub number: u64,
    pub time: Option<Timestamp>,
    /// The line without its end, secrets masked.
    pub shown: String,
    /// None if it reports no trouble, or if levels were not asked for.
    pub level: Option<Level>,
    /// False for a line of context.
    pub is_match: bool,
}

/// Place of a block in the answer: by time, then by text, then as in the text. What has no time comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    pub time: Option<Timestamp>,
    pub text: usize,
    /// Position in the text; a line number may occur twice.
    pub position: u64,
}

/// Lines that stay together: a line, or a match with its context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    pub key: Key,
    pub lines: Vec<TextLine>,
}

impl Block {
    /// Returns the memory that it takes, in bytes.
    pub fn bytes(&self) -> usize {
        let lines = self.lines.iter().map(|line| line.shown.len() + size_of::<TextLine>());
        lines.sum::<usize>() + size_of::<Self>()
    }
}
