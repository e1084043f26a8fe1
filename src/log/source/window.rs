//! Sliding window over a stream: whole lines with their neighbours.
//!
//! The buffer keeps the last lines already seen before the fresh ones and holds back the last
//! whole lines, so that a hit's neighbours lie in the same window. The buffer grows for a long line;
//! of a line longer than the largest buffer only the beginning is shown.

use std::io::{self, Read};
use std::ops::Range;

use memchr::{memchr, memrchr};

use crate::log::source::entry::{self, TextUnit};

/// First size of the buffer: most logs are small. It doubles for larger ones until it has its full size.
const FIRST_CAPACITY: usize = 32 << 10;
/// Lines kept around the fresh ones.
const NEIGHBOURS: usize = 2;

/// The buffer.
#[derive(Debug)]
pub(in crate::log) struct Window {
    data: Vec<u8>,
    filled: usize,
    /// Fresh part of the data.
    fresh: Range<usize>,
    /// Position of the fresh part in the text.
    position: u64,
    capacity: usize,
    /// Largest size for one line, in bytes.
    largest: usize,
    end: bool,
    /// Unit that is not divided between windows.
    unit: TextUnit,
    /// True if the rest of an overlong line is being skipped.
    skipping: bool,
    /// Number of lines that were truncated.
    pub truncated_lines: u64,
    /// Error that ended reading early.
    pub error: Option<io::Error>,
}

impl Window {
    /// Makes a window of `capacity` bytes that grows to `largest` bytes for a long line.
    pub fn new(capacity: usize, largest: usize, unit: TextUnit) -> Self {
        Self {
            data: Vec::new(),
            filled: 0,
            fresh: 0..0,
            position: 0,
            capacity: capacity.max(16),
            largest: largest.max(capacity).max(16),
            end: false,
            unit,
            skipping: false,
            truncated_lines: 0,
            error: None,
        }
    }

    /// Moves on; returns false at the end.
    pub fn advance(&mut self, input: &mut dyn Read) -> bool {
        self.release();
        self.fill(input);
        while self.skipping {
            if !self.skip_rest_of_line() && self.end {
                return false;
            }
            self.fill(input);
        }
        self.fresh.end = self.limit();
        !self.fresh.is_empty()
    }

    /// Returns all whole lines of the window, with the neighbours.
    pub fn lines(&self) -> &[u8] {
        let filled = self.data.get(..self.filled).unwrap_or_default();
        let whole =
            if self.end || self.skipping { filled.len() } else { memrchr(b'\n', filled).map_or(0, |at| at + 1) };
        filled.get(..whole.max(self.fresh.end)).unwrap_or_default()
    }

    /// Returns the part of [`Window::lines`] that was not in an earlier window.
    pub fn fresh(&self) -> Range<usize> {
        self.fresh.clone()
    }

    /// Returns the position of [`Window::fresh`] in the text; skipped bytes count.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Returns whether the last fresh line continues beyond the buffer.
    pub fn cuts_last_line(&self) -> bool {
        self.skipping
    }

    /// Drops the fresh lines except for the last of them.
    fn release(&mut self) {
        let seen = self.data.get(..self.fresh.end).unwrap_or_default();
        let context = start_of_last_lines(seen, NEIGHBOURS);
        // Long neighbours must leave enough room for the next lines.
        let keep = if self.skipping || seen.len() - context > self.capacity / 4 { seen.len() } else { context };
        let start = self.fresh.end - keep;
        self.position += self.fresh.len() as u64;
        self.data.copy_within(keep..self.filled, 0);
        self.filled -= keep;
        self.fresh = start..start;
        if self.data.len() > self.capacity && self.filled <= self.capacity {
            self.data.truncate(self.capacity);
            self.data.shrink_to_fit();
        }
    }

    fn fill(&mut self, input: &mut dyn Read) {
        while !self.end {
            if self.filled == self.data.len() {
                let bound = if self.data.len() >= self.capacity && self.holds_one_line() {
                    self.largest
                } else {
                    self.capacity
                };
                if self.data.len() >= bound {
                    return;
                }
                let larger = self.data.len().saturating_mul(2).max(FIRST_CAPACITY).min(bound);
                self.data.resize(larger, 0);
            }
            self.read_once(input);
        }
    }

    /// Returns whether the rest of the data is the beginning of one line or entry.
    fn holds_one_line(&self) -> bool {
        let unseen = self.data.get(self.fresh.start..self.filled).unwrap_or_default();
        if self.skipping {
            return false;
        }
        let whole = memrchr(b'\n', unseen).map_or(0, |at| at + 1);
        whole == 0 || (self.unit == TextUnit::Entry && held_entry(unseen.get(..whole).unwrap_or_default()) == 0)
    }

    fn read_once(&mut self, input: &mut dyn Read) {
        match input.read(self.data.get_mut(self.filled..).unwrap_or_default()) {
            Ok(0) => self.end = true,
            Ok(read) => self.filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                self.error = Some(error);
                self.end = true;
            }
        }
    }

    /// Drops the rest of an overlong line; returns false if it continues beyond the buffer.
    fn skip_rest_of_line(&mut self) -> bool {
        let rest = self.data.get(self.fresh.start..self.filled).unwrap_or_default();
        let Some(at) = memchr(b'\n', rest) else {
            self.position += rest.len() as u64;
            self.filled = self.fresh.start;
            return false;
        };
        let next = self.fresh.start + at + 1;
        self.data.copy_within(next..self.filled, self.fresh.start);
        self.position += at as u64 + 1;
        self.filled -= at + 1;
        self.skipping = false;
        true
    }

    /// Returns the end of the fresh part: two lines before the last whole one, if that leaves any.
    fn limit(&mut self) -> usize {
        if self.end {
            return self.filled;
        }
        let start = self.fresh.start;
        let unseen = self.data.get(start..self.filled).unwrap_or_default();
        let Some(last) = memrchr(b'\n', unseen) else {
            self.skipping = true;
            self.truncated_lines += 1;
            return self.filled;
        };
        let whole = unseen.get(..=last).unwrap_or_default();
        let held_back = match self.unit {
            TextUnit::Line => start_of_last_lines(whole, NEIGHBOURS),
            TextUnit::Entry => held_entry(whole),
        };
        match held_back {
            0 => start + whole.len(),
            held_back => start + held_back,
        }
    }
}

/// Returns the position of the last entry, which may continue; 0 if it is the first or there is none.
fn held_entry(lines: &[u8]) -> usize {
    entry::last(lines).unwrap_or(0)
}

/// Returns the position of the last `count` lines of whole lines.
fn start_of_last_lines(lines: &[u8], count: usize) -> usize {
    let mut start = lines.len();
    for _ in 0..count {
        let before = lines.get(..start.saturating_sub(1)).unwrap_or_default();
        start = memrchr(b'\n', before).map_or(0, |at| at + 1);
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte at a time, which readers may.
    struct Trickle<'a>(&'a [u8]);

    impl Read for Trickle<'_> {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            let (Some((first, rest)), Some(slot)) = (self.0.split_first(), buf.first_mut()) else { return Ok(0) };
            *slot = *first;
            self.0 = rest;
            Ok(1)
        }
    }

    fn pieces(capacity: usize, text: &str) -> (Vec<String>, u64) {
        let mut window = Window::new(capacity, capacity, TextUnit::Line);
        let mut input = Trickle(text.as_bytes());
        let mut all = Vec::new();
        while window.advance(&mut input) {
            let fresh = window.lines().get(window.fresh()).unwrap();
            all.push(String::from_utf8_lossy(fresh).into_owned());
        }
        (all, window.truncated_lines)
    }

    #[test]
    fn every_line_is_seen_exactly_once() {
        let text: String = (0..200).map(|n| format!("line {n}\n")).collect();
        for capacity in [16, 24, 31, 64, 1000, 100_000] {
            let (pieces, cut) = pieces(capacity, &text);
            assert_eq!(pieces.concat(), text, "{capacity}");
            assert_eq!(cut, 0);
            assert!(pieces.iter().all(|p| p.ends_with('\n')));
        }
    }

    #[test]
    fn overlong_lines_show_their_beginning() {
        let text = format!("a\nb\n{}\nc\n\nd", "x".repeat(100));
        let (pieces, cut) = pieces(16, &text);
        let shown: Vec<&str> = pieces.iter().flat_map(|p| p.split_terminator('\n')).collect();
        assert_eq!(cut, 1);
        assert_eq!(shown.first(), Some(&"a"));
        assert!(shown.iter().any(|l| l.len() >= 8 && l.len() <= 16 && l.chars().all(|c| c == 'x')), "{shown:?}");
        assert!(shown.ends_with(&["c", "", "d"]), "{shown:?}");
        assert_eq!(self::pieces(16, &"y".repeat(99)).1, 1);
    }

    #[test]
    fn the_window_grows_for_a_line_and_shrinks_again() {
        let text = format!("a\nb\n{}\nc\n{}\n{}\nd\n", "x".repeat(50), "y".repeat(70), "z".repeat(30));
        let mut window = Window::new(16, 60, TextUnit::Line);
        let (mut seen, mut largest) = (String::new(), 0);
        let mut input = text.as_bytes();
        while window.advance(&mut input) {
            seen.push_str(std::str::from_utf8(&window.lines()[window.fresh()]).unwrap());
            largest = largest.max(window.data.len());
        }
        assert!(seen.contains(&format!("b\n{}\nc\nyyy", "x".repeat(50))), "{seen}");
        assert!(seen.ends_with(&format!("yyy{}\nd\n", "z".repeat(30))), "{seen}");
        assert_eq!((largest, window.truncated_lines), (60, 1));
        assert!(window.data.len() <= 32, "{}", window.data.len());
    }

    #[test]
    fn neighbours_are_in_the_window() {
        let text: String = (10..60).map(|n| format!("{n}\n")).collect();
        let mut window = Window::new(32, 32, TextUnit::Line);
        let mut input = Trickle(text.as_bytes());
        let mut first = true;
        while window.advance(&mut input) {
            let fresh = window.fresh();
            assert_eq!(fresh.start, if first { 0 } else { 6 });
            assert!(window.lines().len() == fresh.end + 6 || window.lines().ends_with(b"59\n"));
            first = false;
        }
    }

    #[test]
    fn reading_errors_are_kept() {
        struct Broken(bool);
        impl Read for Broken {
            fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
                if std::mem::replace(&mut self.0, true) {
                    return Err(io::Error::other("bad block"));
                }
                buf[..1].fill(b'a');
                Ok(1)
            }
        }
        let mut window = Window::new(64, 64, TextUnit::Line);
        let mut input = Broken(false);
        assert!(window.advance(&mut input));
        assert!(!window.advance(&mut input));
        assert_eq!(window.error.map(|e| e.to_string()).as_deref(), Some("bad block"));
    }
}
