//! Position of the reader in the text, and tests of single bytes.

use std::ops::Range;

use super::outcome::{Outcome, Stop};
use crate::yaml::eight;

/// Line with more than blanks and a comment.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// Offset of its first byte that is not blank.
    pub start: usize,
    /// Number of blanks before it.
    pub column: usize,
    /// Offset of its line end, or of the end of the text.
    pub end: usize,
}

/// Cursor over lines. Positions are byte offsets in the text.
#[derive(Debug)]
pub struct Cursor<'t> {
    bytes: &'t [u8],
    /// Offset of the next line.
    at: usize,
}

impl<'t> Cursor<'t> {
    /// Creates a cursor at the beginning of a line.
    pub fn new(bytes: &'t [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    /// Offset of the next line.
    pub fn at(&self) -> usize {
        self.at
    }

    pub fn go_to(&mut self, at: usize) {
        self.at = at;
    }

    /// Returns the end of the text.
    pub fn end(&self) -> usize {
        self.bytes.len()
    }

    pub fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    /// Returns the byte at an offset if it is before `end`.
    pub fn byte_before(&self, at: usize, end: usize) -> Option<u8> {
        if at < end { self.byte(at) } else { None }
    }

    pub fn slice(&self, range: Range<usize>) -> &'t [u8] {
        self.bytes.get(range).unwrap_or_default()
    }

    /// Returns the end of the line that contains an offset.
    pub fn line_end(&self, at: usize) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default();
        memchr::memchr(b'\n', rest).map_or(self.bytes.len(), |found| at + found)
    }

    /// Moves past the line that ends there.
    pub fn go_behind(&mut self, line_end: usize) {
        self.at = (line_end + 1).min(self.bytes.len());
    }

    /// Returns the next line that is neither blank nor a comment.
    pub fn next_content(&mut self) -> Outcome<Option<Line>> {
        while self.at < self.bytes.len() {
            let start = self.first_of_line(self.at);
            match self.byte(start) {
                None => break,
                Some(b'\n') => self.at = start + 1,
                Some(b'#') => self.go_behind(self.line_end(start)),
                Some(b'\t') => return Err(Stop::Declined),
                Some(_) => {
                    let end = self.line_end(start);
                    let column = start - self.at;
                    self.go_behind(end);
                    return Ok(Some(Line { start, column, end }));
                }
            }
        }
        self.at = self.bytes.len();
        Ok(None)
    }

    /// Returns the first offset on a line that is not a blank.
    pub fn first_of_line(&self, line: usize) -> usize {
        // Dumps are indented by 8 blanks on average.
        eight::behind_blanks(self.bytes, line)
    }

    pub fn behind_spaces(&self, at: usize, end: usize) -> usize {
        let rest = self.bytes.get(at..end).unwrap_or_default();
        at + rest.iter().take_while(|&&byte| byte == b' ').count()
    }

    /// Returns the end of a range without trailing blanks.
    pub fn before_spaces(&self, start: usize, end: usize) -> usize {
        if self.byte(end.wrapping_sub(1)) != Some(b' ') {
            return end;
        }
        let text = self.bytes.get(start..end).unwrap_or_default();
        end - text.iter().rev().take_while(|&&byte| byte == b' ').count()
    }

    /// Returns true for a dash followed by a blank or the line end.
    pub fn is_dash(&self, at: usize, end: usize) -> bool {
        self.byte(at) == Some(b'-') && matches!(self.byte_before(at + 1, end), None | Some(b' '))
    }

    /// Returns true for a colon followed by a blank or the line end.
    pub fn is_colon(&self, at: usize, end: usize) -> bool {
        self.byte_before(at, end) == Some(b':') && matches!(self.byte_before(at + 1, end), None | Some(b' '))
    }

    /// Finds the next colon, number sign or tab before `end`: the bytes that may end a plain scalar on its line.
    ///
    /// Keys and most values are short: comparing eight bytes at a time in a register takes half of the instructions of a vector
    /// search, which is faster only for longer ones.
    pub fn special(&self, mut at: usize, end: usize) -> Option<usize> {
        const SHORT: usize = 40;
        let text = self.bytes.get(..end)?;
        let short = at.saturating_add(SHORT);
        while let Some(word) = eight::at(text, at) {
            if at >= short {
                return memchr::memchr3(b':', b'#', b'\t', text.get(at..)?).map(|found| at + found);
            }
            let is = |byte: u8| eight::equal(word, byte);
            let found = is(b':') | is(b'#') | is(b'\t');
            if found != 0 {
                return Some(at + eight::first(found));
            }
            at += 8;
        }
        let rest = text.get(at..)?;
        rest.iter().position(|byte| matches!(byte, b':' | b'#' | b'\t')).map(|found| at + found)
    }

    /// Finds the colon that ends a plain key.
    pub fn colon(&self, at: usize, end: usize) -> Outcome<Option<usize>> {
        let mut from = at;
        while let Some(place) = self.special(from, end) {
            match self.byte(place) {
                Some(b':') if self.is_colon(place, end) => return Ok(Some(place)),
                Some(b'#') if self.byte(place.wrapping_sub(1)) == Some(b' ') => return Ok(None),
                Some(b'\t') => return Err(Stop::Declined),
                _ => {}
            }
            from = place + 1;
        }
        Ok(None)
    }

    /// Finds the closing quote of a quoted scalar on the same line.
    pub fn quoted_on_line(&self, at: usize, end: usize, quote: u8) -> Option<usize> {
        let mut from = at + 1;
        loop {
            let rest = self.slice(from..end);
            let found = if quote == b'"' { memchr::memchr2(quote, b'\\', rest) } else { memchr::memchr(quote, rest) };
            let found = from + found?;
            let escaping = self.byte(found) == Some(b'\\');
            let doubled = quote == b'\'' && self.byte_before(found + 1, end) == Some(quote);
            if !escaping && !doubled {
                return Some(found);
            }
            from = found + 2;
        }
    }

    /// Returns true if the text between quotes, the first of which is at `quote`, has to be decoded.
    pub fn holds_escape(&self, inside: &Range<usize>, quote: usize) -> bool {
        let escape = if self.byte(quote) == Some(b'"') { b'\\' } else { b'\'' };
        memchr::memchr(escape, self.slice(inside.clone())).is_some()
    }

    /// Declines anything but blanks and a comment up to the end of the line.
    pub fn only_blanks(&self, at: usize, end: usize) -> Outcome<()> {
        let first = self.behind_spaces(at, end);
        match self.byte_before(first, end) {
            None => Ok(()),
            Some(b'#') if first > at => Ok(()),
            Some(_) => Err(Stop::Declined),
        }
    }

    /// Returns true if a line begins with the three characters that separate or end documents.
    pub fn is_marker(&self, line: usize) -> bool {
        matches!(self.slice(line..line + 3), b"---" | b"...")
            && matches!(self.byte(line + 3), None | Some(b' ' | b'\t' | b'\n'))
    }

    /// Finds the beginning of the next document.
    pub fn behind_document(&self) -> usize {
        let mut lines = memchr::memmem::find_iter(self.slice(self.at..self.end()), b"\n---").map(|at| self.at + at + 1);
        lines.find(|&line| self.is_marker(line)).unwrap_or(self.end())
    }
}

/// Returns true if a plain scalar may begin with a byte, given the next one on the line.
pub fn begins_plain(first: u8, next: Option<u8>) -> bool {
    match first {
        b'-' | b'?' | b':' => !matches!(next, None | Some(b' ' | b'\t')),
        b',' | b'[' | b']' | b'{' | b'}' | b'#' | b'&' | b'*' | b'!' | b'|' | b'>' | b'\'' | b'"' | b'%' | b'@'
        | b'`' | b'\t' => false,
        _ => true,
    }
}
