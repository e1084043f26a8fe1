//! Places of secrets in a scalar as it is written: with quotes, escapes and folded lines.

use std::ops::Range;

use crate::model::secret;

/// Returns the secrets in the source of a scalar. All of it is one if nothing is found, because its value has one.
pub(super) fn ranges(source: &str) -> Vec<Range<usize>> {
    let read = Unescaped::read(source);
    let found = secret::ranges(&read.text);
    let place = |at: usize| read.places.get(at).copied().unwrap_or(source.len());
    let ranges: Vec<_> = found.into_iter().map(|range| place(range.start)..place(range.end)).collect();
    let whole = 0..source.len();
    if ranges.is_empty() { vec![whole] } else { ranges }
}

/// A scalar without quotes and escapes, and the place of each of its bytes in the source.
struct Unescaped<'s> {
    source: &'s str,
    text: String,
    places: Vec<usize>,
    at: usize,
}

impl<'s> Unescaped<'s> {
    fn read(source: &'s str) -> Self {
        let mut read = Self { source, text: String::new(), places: Vec::new(), at: 0 };
        match source.as_bytes().first() {
            Some(b'"') => read.quoted(Self::double_quoted),
            Some(b'\'') => read.quoted(Self::single_quoted),
            _ => read.whole(),
        }
        read
    }

    fn rest(&self) -> &'s str {
        self.source.get(self.at..).unwrap_or_default()
    }

    /// Adds a character whose source has this length in bytes.
    fn push(&mut self, c: char, length: usize) {
        self.text.push(c);
        self.places.resize(self.text.len(), self.at);
        self.at += length;
    }

    fn whole(&mut self) {
        self.source.chars().for_each(|c| self.push(c, c.len_utf8()));
    }

    fn quoted(&mut self, step: fn(&mut Self, char)) {
        self.at = 1;
        while let Some(c) = self.rest().chars().next() {
            match c {
                '\n' => self.folded(),
                c => step(self, c),
            }
        }
        // The closing quote is shown.
        if self.text.ends_with(['"', '\'']) {
            self.text.pop();
            self.places.truncate(self.text.len());
            self.places.push(self.source.len().saturating_sub(1));
        }
    }

    /// Reads the end of a line: a blank, or the line ends of the blank lines after it.
    fn folded(&mut self) {
        let length = self.rest().len() - self.rest().trim_start_matches([' ', '\t', '\n', '\r']).len();
        let ends = self.rest().get(..length).unwrap_or_default().matches('\n').count();
        let (folded, count) = if ends == 1 { (' ', 1) } else { ('\n', ends - 1) };
        (1..count).for_each(|_| self.push(folded, 0));
        self.push(folded, length);
    }

    fn single_quoted(&mut self, c: char) {
        let length = if self.rest().starts_with("''") { 2 } else { c.len_utf8() };
        self.push(c, length);
    }

    fn double_quoted(&mut self, c: char) {
        if c != '\\' {
            return self.push(c, c.len_utf8());
        }
        let Some(escaped) = self.rest().chars().nth(1) else { return self.push(c, 1) };
        match escaped {
            '\n' => self.at += 2 + blanks(self.source.get(self.at + 2..).unwrap_or_default()),
            'n' => self.push('\n', 2),
            'r' => self.push('\r', 2),
            't' => self.push('\t', 2),
            'x' => self.hexadecimal(2),
            'u' => self.hexadecimal(4),
            'U' => self.hexadecimal(8),
            escaped => self.push(escaped, 1 + escaped.len_utf8()),
        }
    }

    fn hexadecimal(&mut self, digits: usize) {
        let number = self.rest().get(2..2 + digits).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        self.push(number.and_then(char::from_u32).unwrap_or('\u{fffd}'), 2 + digits);
    }
}

/// Returns the number of blanks at the beginning of a line.
fn blanks(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}
