//! Text of a log while it streams: decoded from UTF-16, taken out of the form of a container runtime or of a terminal, and cleaned.
//!
//! Nearly all logs need none of this: their bytes are checked and passed on.

use std::io::{self, Read};

use crate::log::source::clean::Cleaner;
use crate::log::source::line;
use crate::log::source::runtime::{Joined, Joiner};
use crate::log::source::terminal::Terminal;
use crate::model::encoding::{Decoder, Encoding};

/// Bytes by which the form of a log is recognised.
const BEGINNING: u64 = 4096;
/// Bytes read at a time.
const CHUNK: u64 = 64 << 10;

/// Jump of line numbers: the position of a line in the text, and the difference.
pub(in crate::log) type Jump = (u64, i64);

/// Text of a log.
pub(in crate::log) struct LogText<'r> {
    input: &'r mut dyn Read,
    decoder: Option<Decoder>,
    joiner: Option<Joiner>,
    terminal: Option<Terminal>,
    cleaner: Cleaner,
    /// Bytes that were read and not yet processed.
    beginning: Vec<u8>,
    /// Text to give out, from `at` on.
    ready: Vec<u8>,
    at: usize,
    /// Bytes of text up to the end of `ready`.
    produced: u64,
    jumps: Vec<Jump>,
    error: Option<io::Error>,
    ended: bool,
    /// Bytes of the log that were read.
    pub bytes: u64,
}

impl<'r> LogText<'r> {
    /// Reads the beginning of a log. Lines that a runtime split are joined up to `longest` bytes.
    pub fn new(input: &'r mut dyn Read, longest: usize) -> Self {
        let mut beginning = Vec::new();
        let error = (&mut *input).take(BEGINNING).read_to_end(&mut beginning).err();
        let decoder = || Encoding::of(&beginning).decoder();
        let mut text = Vec::new();
        let first = decoder().map_or(beginning.as_slice(), |mut decoder| {
            decoder.decode(&beginning, &mut text);
            &text
        });
        let joiner = Joiner::of(line::trim(first), longest);
        let decoder = decoder();
        let bytes = beginning.len() as u64;
        Self {
            input,
            decoder,
            joiner,
            terminal: None,
            cleaner: Cleaner::default(),
            beginning,
            ready: Vec::new(),
            at: 0,
            produced: 0,
            jumps: Vec::new(),
            error,
            ended: false,
            bytes,
        }
    }

    /// Reads lines that were pasted into a text.
    pub fn pasted(mut self, longest: usize) -> Self {
        self.joiner.get_or_insert_with(|| Joiner::pasted(longest));
        self
    }

    /// Shows lines that logrus wrote to a terminal as it writes them to a file.
    pub fn in_file_form(mut self, longest: usize) -> Self {
        if self.joiner.is_none() && self.decoder.is_none() {
            self.terminal = Terminal::of(&self.beginning, longest);
        }
        self
    }

    /// Returns true if the log is one of a terminal.
    pub fn is_of_terminal(&self) -> bool {
        self.terminal.is_some()
    }

    /// Returns the jumps since the last call.
    pub fn take_jumps(&mut self) -> Vec<Jump> {
        std::mem::take(&mut self.jumps)
    }

    /// Reads and processes the next bytes.
    fn fill(&mut self) {
        let mut chunk = std::mem::take(&mut self.beginning);
        if chunk.is_empty() && self.error.is_none() {
            self.error = (&mut *self.input).take(CHUNK).read_to_end(&mut chunk).err();
            self.bytes += chunk.len() as u64;
        }
        self.ended = chunk.is_empty();
        let mut decoded = Vec::new();
        let bytes = match &mut self.decoder {
            None => &chunk,
            Some(decoder) => {
                decoder.decode(&chunk, &mut decoded);
                if self.ended {
                    decoder.finish(&mut decoded);
                }
                &decoded
            }
        };
        let mut translated = Vec::new();
        let bytes = match &mut self.terminal {
            None => bytes,
            Some(terminal) => {
                terminal.add(bytes, &mut translated);
                if self.ended {
                    terminal.finish(&mut translated);
                }
                &translated
            }
        };
        match &mut self.joiner {
            None => clean(&mut self.cleaner, bytes, &mut self.ready, self.produced, &mut self.jumps),
            Some(joiner) => {
                let mut joined = Joined::default();
                joiner.add(bytes, &mut joined);
                if self.ended {
                    joiner.finish(&mut joined);
                }
                let mut from = 0;
                for (at, by) in joined.jumps {
                    let piece = joined.text.get(from..at).unwrap_or_default();
                    clean(&mut self.cleaner, piece, &mut self.ready, self.produced, &mut self.jumps);
                    self.jumps.push((self.produced + self.ready.len() as u64, by));
                    from = at;
                }
                let piece = joined.text.get(from..).unwrap_or_default();
                clean(&mut self.cleaner, piece, &mut self.ready, self.produced, &mut self.jumps);
            }
        }
        self.produced += self.ready.len() as u64;
    }

    /// Reads bytes that need no processing; `None` if they do.
    fn hand_on(&mut self, buf: &mut [u8]) -> io::Result<Option<usize>> {
        let is_changed = self.decoder.is_some() || self.joiner.is_some() || self.terminal.is_some();
        if is_changed || !self.beginning.is_empty() || self.error.is_some() {
            return Ok(None);
        }
        let count = self.input.read(buf)?;
        self.bytes += count as u64;
        let read = buf.get(..count).unwrap_or_default();
        if self.cleaner.passes(read) {
            self.produced += count as u64;
            return Ok(Some(count));
        }
        self.beginning.extend_from_slice(read);
        Ok(None)
    }
}

fn clean(cleaner: &mut Cleaner, piece: &[u8], ready: &mut Vec<u8>, produced: u64, jumps: &mut Vec<Jump>) {
    cleaner.clean(piece, ready, &mut |at| jumps.push((produced + at as u64, -1)));
}

impl Read for LogText<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while self.at == self.ready.len() && !self.ended {
            self.ready.clear();
            self.at = 0;
            if let Some(count) = self.hand_on(buf)? {
                return Ok(count);
            }
            self.fill();
        }
        let ready = self.ready.get(self.at..).unwrap_or_default();
        let count = ready.len().min(buf.len());
        if let (Some(to), Some(from)) = (buf.get_mut(..count), ready.get(..count)) {
            to.copy_from_slice(from);
        }
        self.at += count;
        match self.error.take() {
            Some(error) if count == 0 => Err(error),
            error => {
                self.error = error;
                Ok(count)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines with their numbers.
    fn read(log: &[u8], step: usize) -> Vec<String> {
        let mut input = log;
        let mut text = LogText::new(&mut input, 1000);
        let (mut out, mut buffer) = (Vec::new(), vec![0; step]);
        loop {
            let count = text.read(&mut buffer).unwrap();
            if count == 0 {
                break;
            }
            out.extend_from_slice(&buffer[..count]);
        }
        assert_eq!(text.bytes, log.len() as u64);
        let jumps = text.take_jumps();
        let (mut at, mut lines) = (0, Vec::new());
        for (index, line) in out.split_inclusive(|b| *b == b'\n').enumerate() {
            let jumped: i64 = jumps.iter().filter(|(jump, _)| *jump <= at).map(|(_, by)| by).sum();
            lines.push(format!("{} {}", index as i64 + 1 + jumped, String::from_utf8_lossy(line).trim_end()));
            at += line.len() as u64;
        }
        lines
    }

    #[test]
    fn every_encoding_gives_the_same_lines() {
        let text = "one \u{1b}[31mred\u{1b}[0m\r\n10%\r20%\r\ngröße 😀\r\r\n\nlast";
        let want = ["1 one red", "2 10%", "2 20%", "3 größe 😀", "4 ", "5 last"];
        let utf16 = |little: bool| -> Vec<u8> {
            let units = "\u{feff}".encode_utf16().chain(text.encode_utf16());
            units.flat_map(|unit| if little { unit.to_le_bytes() } else { unit.to_be_bytes() }).collect()
        };
        for step in [1, 5, 4096] {
            for log in [text.as_bytes().to_vec(), utf16(true), utf16(false)] {
                assert_eq!(read(&log, step), want, "{step}");
            }
        }
        assert_eq!(read(b"", 5), Vec::<String>::new());
    }

    #[test]
    fn large_logs_are_read_piece_by_piece() {
        let line = |n: usize| if n % 1000 == 7 { format!("{n} \u{1b}[31mred\r\n") } else { format!("{n} plain\n") };
        let log: String = (1..30_000).map(line).collect();
        let lines = read(log.as_bytes(), 40_000);
        assert_eq!(lines.len(), 29_999);
        for (index, line) in lines.iter().enumerate() {
            let number = index + 1;
            let word = if number % 1000 == 7 { "red" } else { "plain" };
            assert_eq!(*line, format!("{number} {number} {word}"));
        }
    }

    #[test]
    fn numbers_go_through_joined_and_torn_lines() {
        let log = b"2024-01-01T00:00:00Z stdout P a\x1b[1m\n2024-01-01T00:00:00Z stdout F b\n\
                    2024-01-01T00:00:01Z stdout F c\rd\n2024-01-01T00:00:02Z stdout F e\n";
        let want = [
            "1 2024-01-01T00:00:00Z stdout P ab",
            "3 2024-01-01T00:00:01Z stdout F c",
            "3 d",
            "4 2024-01-01T00:00:02Z stdout F e",
        ];
        for step in [1, 50, 4096] {
            assert_eq!(read(log, step), want, "{step}");
        }
    }
}
