//! Converts UTF-16, which Windows tools write, to UTF-8: whole texts or streams. PowerShell writes a mark before UTF-8, too.

use std::io::{self, Read};

/// Number of bytes that [`Encoding::of`] examines.
pub const BEGINNING: usize = 6;

/// Encoding of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8 or another superset of ASCII.
    Utf8,
    Utf16 {
        little: bool,
    },
}

impl Encoding {
    /// Detects the encoding by the byte order mark, or by zeros in every second byte of the beginning.
    pub fn of(beginning: &[u8]) -> Self {
        match beginning {
            [0xff, 0xfe, ..] => Self::Utf16 { little: true },
            [0xfe, 0xff, ..] => Self::Utf16 { little: false },
            [a, 0, b, 0, c, 0, ..] if ![a, b, c].contains(&&0) => Self::Utf16 { little: true },
            [0, a, 0, b, 0, c, ..] if ![a, b, c].contains(&&0) => Self::Utf16 { little: false },
            _ => Self::Utf8,
        }
    }

    /// Returns a decoder to UTF-8; none if no conversion is needed.
    pub fn decoder(self) -> Option<Decoder> {
        match self {
            Self::Utf8 => None,
            Self::Utf16 { little } => Some(Decoder { little, byte: None, high: None, started: false }),
        }
    }
}

/// U+FEFF in UTF-8, which says nothing about its text.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Converts a whole text to UTF-8 without a byte order mark. Incomplete characters become U+FFFD.
pub fn utf8(mut bytes: Vec<u8>) -> Vec<u8> {
    let Some(mut decoder) = Encoding::of(&bytes).decoder() else {
        if bytes.starts_with(BYTE_ORDER_MARK) {
            bytes.drain(..BYTE_ORDER_MARK.len());
        }
        return bytes;
    };
    let mut text = Vec::with_capacity(bytes.len() / 2);
    decoder.decode(&bytes, &mut text);
    decoder.finish(&mut text);
    text
}

/// Decoder of UTF-16 that arrives in pieces.
#[derive(Debug)]
pub struct Decoder {
    little: bool,
    /// First byte of an incomplete unit.
    byte: Option<u8>,
    /// First half of an incomplete surrogate pair.
    high: Option<u16>,
    started: bool,
}

impl Decoder {
    /// Appends the decoded bytes; UTF-8 takes at most one and a half times as many bytes.
    pub fn decode(&mut self, bytes: &[u8], text: &mut Vec<u8>) {
        for byte in bytes {
            let Some(first) = self.byte.take() else {
                self.byte = Some(*byte);
                continue;
            };
            let pair = [first, *byte];
            let unit = if self.little { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) };
            let mark = !std::mem::replace(&mut self.started, true) && unit == 0xfeff;
            if !mark {
                self.unit(unit, text);
            }
        }
    }

    fn unit(&mut self, unit: u16, text: &mut Vec<u8>) {
        let is_high = (0xd800..0xdc00).contains(&unit);
        let before = self.high.take();
        self.high = is_high.then_some(unit);
        for decoded in char::decode_utf16(before.into_iter().chain((!is_high).then_some(unit))) {
            let found = decoded.unwrap_or(char::REPLACEMENT_CHARACTER);
            text.extend_from_slice(found.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }

    /// Finishes the text.
    pub fn finish(&mut self, text: &mut Vec<u8>) {
        if self.byte.take().is_some() || self.high.take().is_some() {
            text.extend_from_slice("\u{fffd}".as_bytes());
        }
    }
}

/// Reader of a text in any encoding that gives UTF-8.
pub struct Utf8Reader<'r> {
    input: &'r mut dyn Read,
    /// None before the first byte.
    decoder: Option<Option<Decoder>>,
    /// Bytes that are ready, from `at` on.
    ready: Vec<u8>,
    at: usize,
}

/// Bytes that are decoded at a time.
const CHUNK: u64 = 32 << 10;

impl<'r> Utf8Reader<'r> {
    pub fn new(input: &'r mut dyn Read) -> Self {
        Self { input, decoder: None, ready: Vec::new(), at: 0 }
    }

    /// Reads further bytes, decoded if they must be.
    fn refill(&mut self) -> io::Result<()> {
        self.ready.clear();
        self.at = 0;
        // Decoding may use up a chunk without a whole character.
        while self.ready.is_empty() {
            let mut chunk = Vec::new();
            self.input.take(CHUNK).read_to_end(&mut chunk)?;
            match self.decoder.get_or_insert_with(|| Encoding::of(&chunk).decoder()) {
                None => {
                    self.ready = chunk;
                    return Ok(());
                }
                Some(decoder) if chunk.is_empty() => {
                    decoder.finish(&mut self.ready);
                    return Ok(());
                }
                Some(decoder) => decoder.decode(&chunk, &mut self.ready),
            }
        }
        Ok(())
    }
}

impl Read for Utf8Reader<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.at >= self.ready.len() {
            self.refill()?;
        }
        let count = self.ready.get(self.at..).unwrap_or_default().read(out)?;
        self.at += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_gives_what_a_whole_text_is() {
        let text = "größe 😀\r\n".repeat(10_000);
        for bytes in
            [text.clone().into_bytes(), encoded(&format!("\u{feff}{text}"), true), encoded(&text, false), vec![]]
        {
            let mut read = Vec::new();
            Utf8Reader::new(&mut bytes.as_slice()).read_to_end(&mut read).unwrap();
            assert_eq!(read, utf8(bytes));
        }
    }

    fn encoded(text: &str, little: bool) -> Vec<u8> {
        text.encode_utf16().flat_map(|unit| if little { unit.to_le_bytes() } else { unit.to_be_bytes() }).collect()
    }

    #[test]
    fn both_orders_with_and_without_mark() {
        for little in [true, false] {
            for mark in ["", "\u{feff}"] {
                let text = "kind: größe 😀\r\nb\u{feff}";
                assert_eq!(utf8(encoded(&format!("{mark}{text}"), little)), text.as_bytes());
            }
        }
        for same in [&b""[..], b"a", b"a\0b", b"kind: x", b"\0\0\0\0\0\0"] {
            assert_eq!(utf8(same.to_vec()), same);
        }
        assert_eq!(utf8(b"\xef\xbb\xbfa".to_vec()), b"a");
    }

    #[test]
    fn pieces_may_end_anywhere() {
        let bytes = encoded("\u{feff}a😀b", true);
        for step in 1..bytes.len() {
            let (mut decoder, mut text) = (Encoding::of(&bytes).decoder().unwrap(), Vec::new());
            bytes.chunks(step).for_each(|piece| decoder.decode(piece, &mut text));
            decoder.finish(&mut text);
            assert_eq!(text, "a😀b".as_bytes(), "{step}");
        }
    }

    #[test]
    fn damage_is_replaced() {
        let units = |units: &[u16]| -> Vec<u8> {
            [0xfeff].iter().chain(units).flat_map(|unit: &u16| unit.to_le_bytes()).collect()
        };
        assert_eq!(utf8(units(&[0x61, 0xd800, 0x62])), "a\u{fffd}b".as_bytes());
        assert_eq!(utf8(units(&[0xdc00, 0x62])), "\u{fffd}b".as_bytes());
        assert_eq!(utf8(units(&[0x61, 0xd800])), "a\u{fffd}".as_bytes());
        assert_eq!(utf8([units(&[0x61]), vec![0x62]].concat()), "a\u{fffd}".as_bytes());
        assert_eq!(utf8(units(&[0xd800, 0xd83d, 0xde00])), "\u{fffd}😀".as_bytes());
    }
}
