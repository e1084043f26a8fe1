//! Lines of matches.

use std::ops::Range;

use jiff::Timestamp;

use crate::explore::lines::TextLine;

/// Place of a line on a page.
pub(super) type Line = Range<usize>;

/// Makes a line of an answer.
pub(super) fn text_line(text: usize, number: u64, time: Option<Timestamp>, shown: String, is_match: bool) -> TextLine {
    TextLine { text, number, time, shown, level: None, is_match }
}
