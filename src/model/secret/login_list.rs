//! Lists of users and passwords for `chpasswd`: in its input, on the command line, and in cloud-init.

use std::ops::Range;

/// The word by which a list is found.
pub(super) const MARK: &str = "chpasswd";

/// Returns the passwords of a list around or behind the word at a position, and where the list ends.
pub(super) fn at(text: &str, position: usize) -> (Vec<Range<usize>>, usize) {
    let start = text.get(..position).and_then(|lead| lead.rfind('\n')).map_or(0, |at| at + 1);
    let line_end = text.get(position..).and_then(|rest| rest.find('\n')).map_or(text.len(), |at| position + at);
    let indent = text.get(start..position).unwrap_or_default().chars().take_while(|c| *c == ' ').count();
    let mut found = logins(text, start..line_end);
    let mut from = line_end + 1;
    for line in text.get(from..).unwrap_or_default().split_inclusive('\n') {
        let below = logins(text, from..from + line.len());
        let is_inside = line.trim().is_empty() || line.len() - line.trim_start_matches(' ').len() > indent;
        // Input of a shell stands as far to the left as the command.
        let is_input = !below.is_empty() && !line.trim().contains(' ');
        if !is_inside && !is_input {
            break;
        }
        found.extend(below);
        from += line.len();
    }
    (found, from)
}

/// Returns the passwords of `user:password` in a line.
fn logins(text: &str, line: Range<usize>) -> Vec<Range<usize>> {
    let is_user = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'_' | b'-' | b'.');
    let is_end = |b: &u8| b.is_ascii_whitespace() || matches!(b, b'"' | b'\'' | b'`' | b'\\' | b'|' | b',');
    let bytes = text.as_bytes();
    let colons = memchr::memchr_iter(b':', bytes.get(line.clone()).unwrap_or_default()).map(|at| line.start + at);
    let password = |colon: usize| {
        let user = bytes.get(line.start..colon)?.iter().rev().take_while(|b| is_user(b)).count();
        let rest = bytes.get(colon + 1..line.end)?;
        let length = rest.iter().position(is_end).unwrap_or(rest.len());
        let opens = rest.first().is_some_and(|b| !matches!(b, b'{' | b'[' | b'/' | b'|'));
        (user > 0 && length > 0 && opens).then_some(colon + 1..colon + 1 + length)
    };
    colons.filter_map(password).collect()
}
