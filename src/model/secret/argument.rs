//! Secrets that are arguments of their own: `--token x`, `["--password", "x"]`, and `- --token` above `- x`.

use std::ops::Range;

use super::key::{self, Claim};
use super::value::is_plain;

/// Words that follow the name of an option in a sentence or a help text: `--token is required`, `--token string`.
const PROSE: &[&str] = &[
    "string", "strings", "file", "path", "a", "and", "are", "argument", "as", "before", "by", "cannot", "can", "flag",
    "for", "from", "has", "if", "in", "is", "it", "must", "needs", "not", "of", "on", "option", "or", "provided",
    "requires", "the", "to", "was", "with", "value",
];

/// Bytes of the longest option, before and after the part by which it is found.
const LONGEST_OPTION: usize = 64;

/// Part of keytool's options `-storepass`, `-srcstorepass` and `-deststorepass`.
pub(super) const INSIDE: &str = "epass";

/// Parts of options by which they are found: where a word of the option begins, or within it.
pub(super) const BEGINNINGS: [&str; 6] = ["-token", "-pass", "-secret", "-key", "-creds", INSIDE];

/// Returns the value of the option around a position, if it is an argument of its own.
pub(super) fn at(text: &str, position: usize) -> Option<Range<usize>> {
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    let bytes = text.as_bytes();
    let first = position.saturating_sub(LONGEST_OPTION);
    let start = bytes.get(first..position)?.iter().rposition(|b| !is_part(b)).map_or(first, |at| first + at + 1);
    let end = position + bytes.get(position..)?.iter().take(LONGEST_OPTION).position(|b| !is_part(b))?;
    let option = text.get(start..end)?;
    let start = start + escaped(text, start, option);
    let option = text.get(start..end)?.strip_prefix('-').filter(|_| opens(bytes, start))?;
    let claim = key::claim(option.trim_start_matches('-'))?;
    let value = value_behind(bytes, end)?;
    let word = text.get(value.clone())?;
    let is_prose = PROSE.contains(&word) || word.ends_with(':');
    let holds = !is_prose && (claim == Claim::Always || !is_plain(word));
    let reaches =
        !bytes.get(end..value.start)?.contains(&b'\n') || is_item(bytes, &value) || ends_line(bytes, value.end);
    (holds && reaches && !word.starts_with("--")).then_some(value)
}

/// Returns true if a value is an item of a list, so that a dash stands before it.
fn is_item(bytes: &[u8], value: &Range<usize>) -> bool {
    let before = bytes.get(..value.start).unwrap_or_default();
    let lead = before.iter().rev().find(|b| !matches!(b, b' ' | b'"' | b'\'' | b'\\'));
    lead == Some(&b'-')
}

/// Returns true if nothing of a line follows.
fn ends_line(bytes: &[u8], end: usize) -> bool {
    let is_closing = |b: &&u8| matches!(b, b'"' | b'\'' | b'`' | b',' | b']' | b')' | b'\\' | b' ' | b'\r');
    let mut rest = bytes.get(end..).unwrap_or_default().iter().skip_while(is_closing);
    rest.next().is_none_or(|b| *b == b'\n')
}

/// Returns 1 if the first letter belongs to an escape: `\n--token`.
fn escaped(text: &str, start: usize, option: &str) -> usize {
    let is_escape = text.as_bytes().get(start.wrapping_sub(1)) == Some(&b'\\');
    usize::from(is_escape && option.starts_with(['n', 'r', 't']))
}

/// Returns true if an option may begin here: not within a name such as `my--token`.
fn opens(bytes: &[u8], start: usize) -> bool {
    start
        .checked_sub(1)
        .and_then(|before| bytes.get(before))
        .is_none_or(|b| !b.is_ascii_alphanumeric() || start > 1 && bytes.get(start - 2) == Some(&b'\\'))
}

/// Returns the next argument: after blanks, in quotes after a comma, or in the next line as an item of a list.
fn value_behind(bytes: &[u8], end: usize) -> Option<Range<usize>> {
    let is_joint = |b: &u8| matches!(b, b' ' | b'\t' | b'\n' | b'\r' | b',' | b'"' | b'\'' | b'\\' | b'`');
    let rest = bytes.get(end..)?;
    let mut length = rest.iter().position(|b| !is_joint(b)).unwrap_or(rest.len());
    // An escaped line end, and the dash of an item.
    if rest.get(length.wrapping_sub(1)) == Some(&b'\\') && matches!(rest.get(length), Some(b'n' | b'r')) {
        length += 1;
        length += rest.get(length..)?.iter().take_while(|b| is_joint(b)).count();
    }
    if length > 0 && rest.get(length..length + 2) == Some(b"- ") {
        length += 1;
        length += rest.get(length..)?.iter().take_while(|b| is_joint(b)).count();
    }
    let start = end + length;
    let value = bytes.get(start..)?;
    let is_end =
        |b: &u8| b.is_ascii_whitespace() || matches!(b, b'"' | b'\'' | b'`' | b',' | b']' | b')' | b'\\' | b';');
    let size = value.iter().position(is_end).unwrap_or(value.len());
    (length > 0 && size > 0).then_some(start..start + size)
}

/// Returns true if an item of a list of arguments is the secret that belongs to the option before it.
pub fn is_argument(option: &str, value: &str) -> bool {
    let name = option.strip_prefix('-').filter(|_| !value.starts_with('-'));
    let claim = name.and_then(|name| key::claim(name.trim_start_matches('-')));
    claim.is_some_and(|claim| claim == Claim::Always || !is_plain(value))
}
