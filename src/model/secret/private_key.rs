//! Private keys in PEM: between their first and last line, in one line, and line by line in logs.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;

/// Common end of the first and last line of a private key, before the dashes.
pub(super) const MARK: &str = "PRIVATE KEY";
/// What follows: `PRIVATE KEY-----`, in OpenPGP `PRIVATE KEY BLOCK-----`.
const TAILS: [&str; 2] = ["-----", " BLOCK-----"];
static MARKS: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(MARK));

/// Returns the places of the ends of first and last lines.
fn marks(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    MARKS.find_iter(text).filter_map(|at| {
        let behind = text.get(at + MARK.len()..)?;
        let tail = TAILS.iter().find(|tail| behind.starts_with(tail.as_bytes()))?;
        Some(at..at + MARK.len() + tail.len())
    })
}

/// Returns true if a private key is still open at the end of the text.
pub fn opens_key(text: &[u8]) -> bool {
    let Some(mark) = marks(text).last() else { return false };
    let behind = text.get(mark.end..).unwrap_or_default();
    is_first_line(text, &mark) && memchr::memmem::find(behind, b"-----END").is_none()
}

/// Returns the part of a log line that is Base64 of a private key: the last word, if it looks like Base64. `inside` is
/// true within an open key; without it, length and character mixture decide.
pub fn key_line(line: &str, inside: bool) -> Option<Range<usize>> {
    let line = line.trim_end();
    let start = line.rfind([' ', '\t', '"']).map_or(0, |at| at + 1);
    let word = line.get(start..)?;
    let has = |kind: fn(&u8) -> bool| word.as_bytes().iter().any(kind);
    let base64 = word.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='));
    let mixed = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_digit);
    let is_whole = (60..=76).contains(&word.len()) && mixed;
    let is_key = is_whole || (inside && word.len() >= 4 && word.len().is_multiple_of(4));
    (base64 && is_key && !word.starts_with('/')).then_some(start..line.len())
}

/// Returns the content of keys whose lines are lines of the text, line by line, and of keys within one line.
pub(super) fn find(text: &str) -> Vec<Range<usize>> {
    let mut masks = Vec::new();
    let (mut start, mut inside) = (0, false);
    for line in text.split_inclusive('\n') {
        if inside && !line.contains("-----END") {
            let blank = line.len() - line.trim_start().len();
            masks.push(start + blank..start + line.trim_end().len().max(blank));
        } else {
            inside = opens_key(line.as_bytes());
            let line = line.trim_end_matches(['\n', '\r']);
            masks.extend(within_line(line).into_iter().map(|mask| start + mask.start..start + mask.end));
        }
        start += line.len();
    }
    masks.retain(|mask| !mask.is_empty());
    masks
}

fn within_line(line: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for mark in marks(line.as_bytes()) {
        let is_inside = found.last().is_some_and(|last| mark.start < last.end);
        if !is_inside && is_first_line(line.as_bytes(), &mark) {
            let rest = line.get(mark.end..).unwrap_or_default();
            found.push(mark.end..mark.end + rest.find("-----END").unwrap_or(rest.len()));
        }
    }
    found
}

/// Returns true if a mark ends the first line of a key, not the last.
fn is_first_line(text: &[u8], mark: &Range<usize>) -> bool {
    let before = text.get(mark.start.saturating_sub(20)..mark.start).unwrap_or_default();
    memchr::memmem::find(before, b"-----BEGIN ").is_some()
}
