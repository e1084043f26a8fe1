//! Lines of a text whose line ends may be escaped: a JSON text keeps those of the texts in it as `\n`.

use std::ops::Range;

/// A line, without its end.
pub(super) struct Line<'t> {
    pub text: &'t str,
    pub place: Range<usize>,
}

impl Line<'_> {
    /// Returns the column of the first character; none for a blank line.
    pub fn indent(&self) -> Option<usize> {
        (!self.text.trim().is_empty()).then(|| self.text.len() - self.text.trim_start_matches(' ').len())
    }

    /// Returns the place of the line without blanks around it.
    pub fn trimmed(&self) -> Range<usize> {
        let start = self.place.start + self.text.len() - self.text.trim_start().len();
        start..start + self.text.trim().len()
    }
}

/// Returns the lines after a position, which must be at the end of a line.
pub(super) fn below(text: &str, from: usize) -> impl Iterator<Item = Line<'_>> {
    let mut at = from;
    std::iter::from_fn(move || {
        let start = at + mark(text.get(at..)?)?;
        at = end(text, start);
        Some(Line { text: text.get(start..at)?.trim_end_matches(['\r', '\\']), place: start..at })
    })
}

/// Returns the end of the line with a position.
pub(super) fn end(text: &str, from: usize) -> usize {
    let rest = text.as_bytes().get(from..).unwrap_or_default();
    let mut ends = memchr::memchr2_iter(b'\n', b'\\', rest);
    let end = ends.find(|at| rest.get(*at) == Some(&b'\n') || rest.get(at + 1) == Some(&b'n'));
    from + end.unwrap_or(rest.len())
}

/// Returns the length of the line end at the beginning of a text.
fn mark(text: &str) -> Option<usize> {
    ["\n", "\\n"].iter().find(|mark| text.starts_with(**mark)).map(|mark| mark.len())
}

/// Returns the column at the end of a text.
pub(super) fn column(lead: &str) -> usize {
    let bytes = lead.as_bytes();
    let mut ends = memchr::memrchr2_iter(b'\n', b'\\', bytes);
    let start = ends.find_map(|at| match (bytes.get(at), bytes.get(at + 1)) {
        (Some(b'\n'), _) => Some(at + 1),
        (_, Some(b'n')) => Some(at + 2),
        _ => None,
    });
    lead.len() - start.unwrap_or(0)
}

/// Returns the place from the first to the last line that is not blank.
pub(super) fn span<'t>(lines: impl Iterator<Item = Line<'t>>) -> Option<Range<usize>> {
    let mut places = lines.filter(|line| line.indent().is_some()).map(|line| line.trimmed());
    let first = places.next()?;
    Some(first.start..places.last().map_or(first.end, |last| last.end))
}
