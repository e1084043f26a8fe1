//! Lines of a log and the text of a line that patterns see.
//!
//! This text is the line without line end and without the stamp that the collector or the journal put before it (and without the name of the stream that the
//! container runtime puts after the stamp). It has a limited number of bytes. A [`crate::log::source::clean::Cleaner`] has already cleaned it.

use std::ops::Range;

use memchr::{memchr, memrchr};

use crate::log::source::stamp::{self, Stamp};

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";
const FORM_FEED: u8 = 0x0c;

/// Removes line end, byte order mark, leading NULs and form feeds, and the priority that `dmesg -r` and `/dev/kmsg` put before the kernel's stamp.
pub(in crate::log) fn trim(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    match line.first() {
        Some(&(0 | FORM_FEED)) => {
            line.get(line.iter().take_while(|b| matches!(**b, 0 | FORM_FEED)).count()..).unwrap_or_default()
        }
        Some(0xEF) => line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line),
        Some(b'<') => without_priority(line).unwrap_or(line),
        _ => line,
    }
}

/// Returns what is behind the priority in `<6>[    1.234567] text`.
fn without_priority(line: &[u8]) -> Option<&[u8]> {
    let digits = line.iter().skip(1).take(3).take_while(|byte| byte.is_ascii_digit()).count();
    let rest = line.get(1 + digits..)?.strip_prefix(b">")?;
    (digits > 0 && rest.starts_with(b"[")).then_some(rest)
}

/// Returns the position of the text of a line, and the stamp before it.
pub(in crate::log) fn text(lines: &[u8], line: Range<usize>, max: usize) -> (Range<usize>, Option<Stamp>) {
    let whole = lines.get(line.clone()).unwrap_or_default();
    let trimmed = trim(whole);
    let end = line.end - usize::from(whole.ends_with(b"\r"));
    let start = end - trimmed.len();
    let (stamp, behind) = stamp::leading(trimmed).map_or((None, 0), |(stamp, at)| (Some(stamp), at));
    let behind = behind + if stamp.is_some() { stream(trimmed.get(behind..).unwrap_or_default()) } else { 0 };
    let start = start + behind;
    (start..end.min(start + max), stamp)
}

/// Returns the length of `stdout F ` or `stderr P `, which the container runtime writes after its stamp.
fn stream(text: &[u8]) -> usize {
    let Some(rest) = text.strip_prefix(b"stdout ").or_else(|| text.strip_prefix(b"stderr ")) else { return 0 };
    match rest {
        [b'F' | b'P', b' ', ..] => text.len() - rest.len() + 2,
        _ => 0,
    }
}

/// Returns the line around a position of `lines` at or after `from`.
pub(in crate::log) fn around(lines: &[u8], from: usize, position: usize) -> Range<usize> {
    let before = lines.get(from..position).unwrap_or_default();
    let after = lines.get(position..).unwrap_or_default();
    let start = memrchr(b'\n', before).map_or(from, |at| from + at + 1);
    start..memchr(b'\n', after).map_or(lines.len(), |at| position + at)
}

/// Returns the lines of a text, trimmed.
pub(in crate::log) fn each(lines: &[u8]) -> impl Iterator<Item = &[u8]> {
    ranges(lines, 0).map(|range| trim(lines.get(range).unwrap_or_default()))
}

/// Returns the positions of the lines of a text, from a position that starts one.
pub(in crate::log) fn ranges(lines: &[u8], from: usize) -> impl Iterator<Item = Range<usize>> {
    let mut at = from;
    std::iter::from_fn(move || {
        let rest = lines.get(at..).filter(|rest| !rest.is_empty())?;
        let start = at;
        let end = memchr(b'\n', rest).map_or(lines.len(), |found| start + found);
        at = end + 1;
        Some(start..end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(line: &str) -> &str {
        line.get(text(line.as_bytes(), 0..line.len(), 8).0).unwrap()
    }

    #[test]
    fn text_is_what_the_program_wrote() {
        assert_eq!(text_of("2024-03-06T22:53:45.1Z hello\r"), "hello");
        assert_eq!(text_of("Mar 06 22:45:28 n1 kernel: x"), "n1 kerne");
        assert_eq!(text_of("Wed 2024-03-06 22:45:28 CET n1 kernel: x"), "n1 kerne");
        assert_eq!(text_of("Wed 2024-03-06 x: y"), "Wed 2024");
        assert_eq!(text_of("\0\0\0\0Mar 06 22:45:28 n1 x"), "n1 x");
        assert_eq!(text_of("\u{feff}2024-03-06T22:53:45.1Z a\0b"), "a\0b");
        assert_eq!(text_of("r 06 22:45:28 n1 cut"), "r 06 22:");
        assert_eq!(text_of("2024-03-06T22:53:45.1Z"), "");
        assert_eq!(text_of("2024-03-06T22:53:45.1Z stderr F hello"), "hello");
        assert_eq!(text_of("2024-03-06T22:53:45.1Z stdout P a"), "a");
        assert_eq!(text_of("2024-03-06T22:53:45.1Z stdout x"), "stdout x");
        assert_eq!(text_of("<6>[    0.1] x"), "[    0.1");
        assert_eq!(text_of("<6>x [1]"), "<6>x [1]");
        assert_eq!(text_of("<1234>[x]"), "<1234>[x");
        assert_eq!(text_of("\r"), "");
        assert_eq!(text_of("\0\0"), "");
    }

    #[test]
    fn lines_are_found() {
        let lines = b"one\r\n\nthree";
        assert_eq!(each(lines).collect::<Vec<_>>(), [b"one".as_slice(), b"", b"three"]);
        assert_eq!(around(lines, 0, 2), 0..4);
        assert_eq!(around(lines, 5, 8), 6..11);
        assert_eq!(ranges(lines, 5).collect::<Vec<_>>(), [5..5, 6..11]);
    }
}
