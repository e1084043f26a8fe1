//! Converts the bytes of a dump to text that every reader accepts, without moving a byte of UTF-8 but for a byte order mark
//! before it.
//!
//! YAML and JSON refuse control characters, so a single one would make the whole document unreadable. They
//! are replaced by as many ASCII characters as they have bytes, so offsets and lines stay right.

use super::Problem;
use crate::model::encoding;
use crate::model::message::DocumentProblem;

/// Returns the text of a file, and its problems; empty if the file is unreadable.
pub fn text(bytes: Vec<u8>) -> (String, Vec<Problem>) {
    if bytes.len() >= u32::MAX as usize {
        return too_large();
    }
    let bytes = encoding::utf8(bytes);
    if bytes.len() >= u32::MAX as usize {
        return too_large();
    }
    let (mut text, invalid) = match String::from_utf8(bytes) {
        Ok(text) => (text, Replaced::default()),
        Err(error) => replace_invalid(error.as_bytes()),
    };
    let mut control = Replaced::default();
    if has_control(&text) {
        (text, control) = replace_control(&text);
    }
    let problems = [
        invalid.problem(&text, |count| DocumentProblem::BytesReplaced { count }),
        control.problem(&text, |count| DocumentProblem::ControlCharactersReplaced { count }),
    ];
    (text, problems.into_iter().flatten().collect())
}

fn too_large() -> (String, Vec<Problem>) {
    (String::new(), vec![Problem::new(1, DocumentProblem::TooLargeText)])
}

/// Characters that were replaced in a text.
#[derive(Clone, Copy, Debug, Default)]
struct Replaced {
    count: u64,
    first: usize,
}

impl Replaced {
    fn note(&mut self, offset: usize) {
        if self.count == 0 {
            self.first = offset;
        }
        self.count += 1;
    }

    fn problem(self, text: &str, replaced: fn(u64) -> DocumentProblem) -> Option<Problem> {
        let before = text.as_bytes().get(..self.first)?;
        let line = 1 + memchr::memchr_iter(b'\n', before).count() as u64;
        (self.count > 0).then(|| Problem::new(line, replaced(self.count)))
    }
}

fn replace_invalid(bytes: &[u8]) -> (String, Replaced) {
    let mut text = String::with_capacity(bytes.len());
    let mut replaced = Replaced::default();
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for _ in chunk.invalid() {
            replaced.note(text.len());
            text.push('_');
        }
    }
    (text, replaced)
}

/// Returns true if there is anything to replace; a fast test that nearly every dump passes.
fn has_control(text: &str) -> bool {
    let ascii_control = |b: u8| (b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r')) || b == 0x7f;
    // Without an early exit inside a chunk the compiler compares many bytes at once: 8 times as fast.
    let holds_one = |chunk: &[u8]| chunk.iter().fold(false, |found, &b| found | ascii_control(b));
    if text.as_bytes().chunks(4096).any(holds_one) {
        return true;
    }
    // The others begin with these lead bytes: C1 controls, and U+FEFF, U+FFFE, U+FFFF.
    memchr::memchr2(0xc2, 0xef, text.as_bytes()).is_some() && text.chars().any(is_control)
}

/// Returns true for characters that YAML does not allow, and for byte order marks: there is none at the beginning.
fn is_control(c: char) -> bool {
    match c {
        '\t' | '\n' | '\r' | '\u{85}' => false,
        '\u{feff}' | '\u{fffe}' | '\u{ffff}' => true,
        _ => c.is_control(),
    }
}

fn replace_control(text: &str) -> (String, Replaced) {
    let mut clean = String::with_capacity(text.len());
    let mut replaced = Replaced::default();
    for (at, c) in text.char_indices() {
        if !is_control(c) {
            clean.push(c);
            continue;
        }
        replaced.note(at);
        // Runs of NUL come from preallocated files; as blanks they do no harm. Other
        // characters must not become blanks, which could turn `ESC[0m` into the start of a list.
        let stand_in = if c == '\0' { ' ' } else { '_' };
        clean.extend(std::iter::repeat_n(stand_in, c.len_utf8()));
    }
    (clean, replaced)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_byte_for_byte() {
        let (clean, problems) = text(b"a: x\x1b[1m\xff\xfe\nb: \x07\x7f\0\xc2\x9b.\n".to_vec());
        assert_eq!(clean, "a: x_[1m__\nb: __ __.\n");
        assert_eq!(
            problems,
            [
                Problem::new(1, DocumentProblem::BytesReplaced { count: 2 }),
                Problem::new(1, DocumentProblem::ControlCharactersReplaced { count: 5 }),
            ]
        );
    }

    #[test]
    fn ordinary_text_stays() {
        let source = "a: größe\t\u{85}\r\n\u{fffd}: 日本\n";
        for mark in ["", "\u{feff}"] {
            assert_eq!(text(format!("{mark}{source}").into_bytes()), (source.to_owned(), Vec::new()));
        }
    }

    #[test]
    fn utf16_reads_as_any_other_text() {
        for bytes in
            [&b"\xff\xfea\0:\0 \0\xe4\0"[..], b"\xfe\xff\0a\0:\0 \0\xe4", b"a\0:\0 \0\xe4\0", b"\0a\0:\0 \0\xe4"]
        {
            assert_eq!(text(bytes.to_vec()), ("a: \u{e4}".to_owned(), Vec::new()), "{bytes:?}");
        }
    }
}
