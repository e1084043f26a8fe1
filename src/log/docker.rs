//! Logs as the container engine of Docker keeps them: one JSON object a line,
//! `{"log":"text\n","stream":"stderr","time":"2022-03-06T22:53:45.217338826Z"}`.
//!
//! They are read as the kubelet prints them, `2022-03-06T22:53:45.217338826Z text`, line by line.

use std::borrow::Cow;
use std::io::{self, Read};

use memchr::memchr;
use serde::Deserialize;

/// How each line begins.
pub(super) const BEGINNING: &[u8] = b"{\"log\":\"";
/// Bytes read at a time.
const CHUNK: usize = 64 << 10;

#[derive(Deserialize)]
struct Entry<'l> {
    #[serde(borrow)]
    log: Cow<'l, str>,
    #[serde(borrow)]
    time: Cow<'l, str>,
}

/// Gives the text of such a log; lines that are otherwise, or longer than `longest`, as they are.
pub(super) struct Unwrapped<'r> {
    input: &'r mut dyn Read,
    longest: usize,
    /// Read and not yet a whole line.
    raw: Vec<u8>,
    /// Ready to be given out, from `at` on.
    text: Vec<u8>,
    at: usize,
    end: bool,
}

impl<'r> Unwrapped<'r> {
    pub fn new(input: &'r mut dyn Read, longest: usize) -> Self {
        Self { input, longest, raw: Vec::new(), text: Vec::new(), at: 0, end: false }
    }

    fn fill(&mut self) -> io::Result<()> {
        self.text.clear();
        self.at = 0;
        while self.text.is_empty() && !self.end {
            let before = self.raw.len();
            let read = (&mut *self.input).take(CHUNK as u64).read_to_end(&mut self.raw)?;
            self.end = read == 0;
            let mut start = 0;
            while let Some(length) = memchr(b'\n', self.raw.get(start.max(before)..).unwrap_or_default()) {
                let end = start.max(before) + length;
                unwrap(self.raw.get(start..end).unwrap_or_default(), &mut self.text);
                self.text.push(b'\n');
                start = end + 1;
            }
            self.raw.drain(..start.min(self.raw.len()));
            if self.end && !self.raw.is_empty() {
                unwrap(&self.raw, &mut self.text);
                self.raw.clear();
            } else if self.raw.len() > self.longest {
                self.text.append(&mut self.raw);
            }
        }
        Ok(())
    }
}

impl Read for Unwrapped<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.at == self.text.len() {
            self.fill()?;
        }
        let ready = self.text.get(self.at..).unwrap_or_default();
        let count = ready.len().min(buf.len());
        if let (Some(to), Some(from)) = (buf.get_mut(..count), ready.get(..count)) {
            to.copy_from_slice(from);
        }
        self.at += count;
        Ok(count)
    }
}

/// Adds the text of a line.
fn unwrap(line: &[u8], text: &mut Vec<u8>) {
    let Some(entry) = serde_json::from_slice::<Entry<'_>>(line).ok() else {
        text.extend_from_slice(line);
        return;
    };
    text.extend_from_slice(entry.time.as_bytes());
    text.push(b' ');
    let log = entry.log.strip_suffix('\n').unwrap_or(&entry.log);
    text.extend(log.bytes().map(|b| if b == b'\n' { b' ' } else { b }));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(log: &str, longest: usize, step: usize) -> String {
        let mut input = log.as_bytes();
        let mut unwrapped = Unwrapped::new(&mut input, longest);
        let (mut out, mut buffer) = (Vec::new(), vec![0; step]);
        loop {
            let count = unwrapped.read(&mut buffer).unwrap();
            if count == 0 {
                return String::from_utf8(out).unwrap();
            }
            out.extend_from_slice(&buffer[..count]);
        }
    }

    #[test]
    fn lines_read_as_the_kubelet_prints_them() {
        let log = "{\"log\":\"a \\\"b\\\"\\n\",\"stream\":\"stdout\",\"time\":\"2024-01-01T00:00:00Z\"}\nother {\n\
                   {\"log\":\"\\u00e4\\nc\",\"stream\":\"stderr\",\"time\":\"2024-01-01T00:00:01Z\",\"attrs\":{}}";
        for step in [1, 7, 4096] {
            assert_eq!(read(log, 1000, step), "2024-01-01T00:00:00Z a \"b\"\nother {\n2024-01-01T00:00:01Z ä c");
        }
    }

    #[test]
    fn long_lines_stay_as_they_are() {
        let line = format!("{{\"log\":\"{}\",\"time\":\"2024-01-01T00:00:00Z\"}}\n", "x".repeat(3 * CHUNK));
        assert_eq!(read(&line, CHUNK, 4096), line);
        assert!(read(&line, 4 * CHUNK, 4096).starts_with("2024-01-01T00:00:00Z xxx"));
    }
}
