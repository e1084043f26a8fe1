//! Entries: a line with a time stamp and the lines without one that follow it, such as stack traces.

use std::ops::Range;

use memchr::memrchr;

use crate::log::source::{journal, line, stamp};

/// Unit of text that patterns see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::log) enum TextUnit {
    Line,
    Entry,
}

impl TextUnit {
    /// Returns the line or entry around a position at or after `from`, where one begins.
    pub fn around(self, lines: &[u8], from: usize, position: usize) -> Range<usize> {
        let mut first = line::around(lines, from, position);
        if self == Self::Line {
            return first;
        }
        let end = first.end;
        while first.start > from && !begins(lines, &first) {
            first = line::around(lines, from, first.start - 1);
        }
        first.start..end_of(lines, end)
    }

    /// Returns the lines or entries from a position on, where one begins.
    pub fn all(self, lines: &[u8], from: usize) -> impl Iterator<Item = Range<usize>> {
        let mut at = from;
        std::iter::from_fn(move || {
            let range = (at < lines.len()).then(|| self.around(lines, at, at))?;
            at = range.end + 1;
            Some(range)
        })
    }

    /// Returns whether it is whole: text before the first stamp of a log belongs to no entry.
    pub fn is_whole(self, lines: &[u8], range: &Range<usize>) -> bool {
        self == Self::Line || begins(lines, range)
    }
}

/// Returns the position of the last entry of some whole lines.
pub(in crate::log) fn last(lines: &[u8]) -> Option<usize> {
    let mut end = lines.len();
    while end > 0 {
        let before = lines.get(..end - 1).unwrap_or_default();
        let start = memrchr(b'\n', before).map_or(0, |at| at + 1);
        if begins(lines, &(start..end)) {
            return Some(start);
        }
        end = start;
    }
    None
}

/// Returns whether any of these lines begins an entry.
pub(in crate::log) fn any(lines: &[u8]) -> bool {
    line::ranges(lines, 0).any(|range| begins(lines, &range))
}

fn begins(lines: &[u8], range: &Range<usize>) -> bool {
    let text = lines.get(range.clone()).unwrap_or_default();
    let first = text.split(|b| *b == b'\n').next().unwrap_or_default();
    // An indented line, and a stamp within quotes, continues the entry before.
    let is_set_in = first.starts_with(b" ") || first.starts_with(b"\t");
    let first = line::trim(first);
    !is_set_in && (stamp::stamp(first).is_some() || journal::is_note(first))
}

/// Returns the end of the entry whose line ends here.
fn end_of(lines: &[u8], end: usize) -> usize {
    let following = line::ranges(lines, (end + 1).min(lines.len()));
    following.take_while(|range| !begins(lines, range)).last().map_or(end, |range| range.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &[u8] =
        b"cut\n2024-01-01T00:00:00Z panic\n\n goroutine 1\n  2024-01-01T00:00:00Z\n2024-01-01T00:00:01Z on";

    fn shown(range: Range<usize>) -> &'static str {
        std::str::from_utf8(LOG.get(range).unwrap()).unwrap()
    }

    #[test]
    fn lines_without_stamp_belong_to_the_one_before() {
        let entries: Vec<&str> = TextUnit::Entry.all(LOG, 0).map(shown).collect();
        let panic = "2024-01-01T00:00:00Z panic\n\n goroutine 1\n  2024-01-01T00:00:00Z";
        assert_eq!(entries, ["cut", panic, "2024-01-01T00:00:01Z on"]);
        assert_eq!(TextUnit::Line.all(LOG, 0).count(), 6);
        assert_eq!(shown(TextUnit::Entry.around(LOG, 4, 40)), panic);
        let whole: Vec<bool> = TextUnit::Entry.all(LOG, 0).map(|range| TextUnit::Entry.is_whole(LOG, &range)).collect();
        assert_eq!(whole, [false, true, true]);
        assert_eq!(last(LOG).map(|start| shown(start..LOG.len())), Some("2024-01-01T00:00:01Z on"));
        assert_eq!((last(b"no\nstamps\n"), any(b"no\nstamps\n"), any(LOG)), (None, false, true));
    }
}
