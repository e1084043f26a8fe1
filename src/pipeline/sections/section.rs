//! A section of a text, and how texts are split.

use std::sync::Arc;

use crate::bundle::Role;

/// Further sections of a text are not read.
pub(super) const MOST_SECTIONS: usize = 20_000;

/// A section of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    pub name: String,
    /// Path without archive layers, its name included.
    pub logical: Arc<str>,
    pub role: Role,
    /// 1-based line of the text on which it begins.
    pub line: u64,
    /// Offset of its first byte.
    pub start: u64,
    pub length: u64,
    /// Number of line ends in it.
    pub lines: u64,
    /// True if it has no lines except those of `journalctl` itself.
    pub has_no_entries: bool,
    /// The error in place of its content, if that was not collected.
    pub error: Option<String>,
}

/// Sections found in one text.
#[derive(Default)]
pub(super) struct SplitText {
    pub sections: Vec<Section>,
    pub description: String,
    pub dropped: bool,
}

/// A line of a text, without its end; long ones are truncated.
pub(super) struct Line<'t> {
    pub text: &'t str,
    /// 1-based.
    pub number: u64,
    pub start: u64,
    /// Offset after its line end.
    pub end: u64,
}

/// Processes the lines of a text in order.
pub(super) trait Splitter {
    fn line(&mut self, line: &Line<'_>);
    /// Ends the text before that byte and that line.
    fn finish(self: Box<Self>, end: u64, line: u64) -> SplitText;
}
