//! Indented JSON without characters that change what a terminal shows.

use std::io::{self, Write};

use serde::Serialize;

use crate::model::clean;

/// Writes a value, indented by two spaces, with a final newline. Control characters, marks of direction and invisible characters
/// are escaped (`\u202e`), also where JSON would allow them.
///
/// # Errors
/// Errors of the writer.
pub fn write(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let mut escaping = Escaping { out, waiting: Vec::with_capacity(2 * BLOCK) };
    serde_json::to_writer_pretty(&mut escaping, value)?;
    escaping.waiting.push(b'\n');
    escaping.pass_on()
}

/// Bytes that are looked at and passed on together. The serializer writes a mark, a key or two spaces at a time.
const BLOCK: usize = 32 << 10;

struct Escaping<'o> {
    out: &'o mut dyn Write,
    /// Whole characters: the serializer never divides one.
    waiting: Vec<u8>,
}

impl Escaping<'_> {
    /// Writes what waits. Hidden characters are only inside of texts.
    fn pass_on(&mut self) -> io::Result<()> {
        match std::str::from_utf8(&self.waiting) {
            Ok(json) if !is_plain(&self.waiting) => self.out.write_all(clean::json_escaped(json).as_bytes())?,
            _ => self.out.write_all(&self.waiting)?,
        }
        self.waiting.clear();
        Ok(())
    }
}

/// Returns true if a JSON text has visible ASCII characters and line feeds alone. It takes 256 bytes at a time, without a branch for each.
fn is_plain(json: &[u8]) -> bool {
    let plain = |bytes: &[u8]| bytes.iter().fold(true, |plain, byte| plain & matches!(byte, b'\n' | b' '..=b'~'));
    json.chunks(256).all(plain)
}

impl Write for Escaping<'_> {
    #[inline]
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.write_all(text)?;
        Ok(text.len())
    }

    #[inline]
    fn write_all(&mut self, text: &[u8]) -> io::Result<()> {
        self.waiting.extend_from_slice(text);
        if self.waiting.len() < BLOCK { Ok(()) } else { self.pass_on() }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pass_on()?;
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_escaped_and_read_back() {
        let text = "a\u{9b}31m \u{202e}b\u{e0041} \u{7f}\u{1b} 集群 é\n";
        let mut out = Vec::new();
        write(&[text], &mut out).unwrap();
        let written = String::from_utf8(out).unwrap();
        assert_eq!(written, "[\n  \"a\\u009b31m \\u202eb\\udb40\\udc41 \\u007f\\u001b 集群 é\\n\"\n]\n");
        assert_eq!(serde_json::from_str::<[String; 1]>(&written).unwrap(), [text]);
    }

    #[test]
    fn long_texts_are_written_in_blocks_that_end_between_characters() {
        let texts: Vec<String> =
            (0..3 * BLOCK / 40).map(|n| format!("{n} {} 集群\u{202e} é", "x".repeat(n % 50))).collect();
        let mut out = Vec::new();
        write(&texts, &mut out).unwrap();
        let written = String::from_utf8(out).unwrap();
        assert_eq!(written, clean::json_escaped(&serde_json::to_string_pretty(&texts).unwrap()) + "\n");
        assert!(written.len() > 3 * BLOCK && written.contains("\\u202e"));
    }
}
