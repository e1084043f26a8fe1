//! Makes text of a bundle safe to display: removes terminal sequences and shows invisible and direction-changing
//! characters. Escaping for the output format is done afterwards.

use std::borrow::Cow;
use std::fmt::Write;

/// Returns the text without ANSI escape sequences. Other control characters and those that change the text direction
/// are shown as `<U+202E>`; line ends and tabs stay.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' => rest = after_sequence(rest),
            '\u{9b}' => rest = after_csi(rest),
            '\r' => {}
            c if is_hidden(c) => push_named(&mut out, c),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Returns a text that has styles of its own, as ANSI escape sequences, with all other hidden characters shown. Those of the bundle must
/// not be in it any more.
pub fn visible_beside_styles(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c != '\u{1b}' && is_hidden(c) { push_named(&mut out, c) } else { out.push(c) }
    }
    out
}

/// Returns the same on one line, with blanks for line ends and tabs.
pub fn one_line(text: &str) -> String {
    visible(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns true for control characters, direction marks and overrides, and invisible characters that make two names
/// look equal.
pub fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' => true,
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' => true,
        // Tags, which no font shows.
        '\u{e0000}'..='\u{e007f}' => true,
        c => c.is_control(),
    }
}

/// Escapes hidden characters of a JSON text, which stand only inside of its strings, as JSON does: `\u202e`.
pub fn json_escaped(json: &str) -> Cow<'_, str> {
    if !json.chars().any(is_hidden) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len());
    let mut units = [0; 2];
    for c in json.chars() {
        match c {
            c if is_hidden(c) => out.extend(c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}"))),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

fn push_named(out: &mut String, c: char) {
    // Writing to a String cannot fail.
    let _ = write!(out, "<U+{:04X}>", u32::from(c));
}

/// Skips an escape sequence whose ESC has been read.
fn after_sequence(rest: std::str::Chars<'_>) -> std::str::Chars<'_> {
    let mut ahead = rest.clone();
    match ahead.next() {
        Some('[') => after_csi(ahead),
        Some(']' | 'P' | 'X' | '^' | '_') => after_string(ahead),
        Some('\u{20}'..='\u{7e}') => ahead,
        _ => rest,
    }
}

/// Skips parameters and the final letter of `ESC [ 31 m`.
fn after_csi(mut rest: std::str::Chars<'_>) -> std::str::Chars<'_> {
    loop {
        let mut ahead = rest.clone();
        match ahead.next() {
            Some('\u{20}'..='\u{3f}') => rest = ahead,
            Some('\u{40}'..='\u{7e}') => return ahead,
            _ => return rest,
        }
    }
}

/// Skips a window title or similar, up to BEL or `ESC \`; if neither follows, only the rest of the line.
fn after_string(mut rest: std::str::Chars<'_>) -> std::str::Chars<'_> {
    loop {
        let mut ahead = rest.clone();
        match ahead.next() {
            None | Some('\n') => return rest,
            Some('\u{7}' | '\u{9c}') => return ahead,
            Some('\u{1b}') => return after_sequence(ahead),
            Some(_) => rest = ahead,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_borrowed() {
        assert!(matches!(visible("héllo\n\tworld 卷"), Cow::Borrowed(_)));
    }

    #[test]
    fn terminal_sequences_vanish() {
        assert_eq!(visible("\u{1b}[1;31mred\u{1b}[0m"), "red");
        assert_eq!(visible("\u{1b}]0;owned\u{7}text"), "text");
        assert_eq!(visible("\u{1b}]8;;http://x\u{1b}\\link"), "link");
        assert_eq!(visible("\u{1b}]0;open end\nnext"), "\nnext");
        assert_eq!(visible("cut \u{1b}"), "cut ");
        assert_eq!(visible("cut \u{1b}[3"), "cut ");
        assert_eq!(visible("\u{1b}ä"), "ä");
    }

    #[test]
    fn hidden_characters_become_visible() {
        assert_eq!(visible("a\u{202e}b"), "a<U+202E>b");
        assert_eq!(visible("a\u{0}b\r\n"), "a<U+0000>b\n");
        assert_eq!(visible("\u{85}"), "<U+0085>");
    }

    #[test]
    fn one_line_has_no_ends() {
        assert_eq!(one_line("a\n  b\tc\r\n"), "a b c");
    }
}
