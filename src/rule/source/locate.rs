//! Finds the place of a part of a YAML scalar's value in the file: behind quotes, escapes and folded lines.

use std::ops::Range;

/// Places of the characters of a scalar's value in the file.
pub struct CharacterPlaces {
    /// Start in the value, start and end in the file; by position.
    characters: Vec<(usize, usize, usize)>,
    /// End of the value in the file, without its closing quote.
    end: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Plain,
    Single,
    Double,
    Block,
}

impl CharacterPlaces {
    /// Maps a value to the text of its file; `offset` is that of its first quote or sign.
    pub fn of(text: &str, offset: usize, value: &str) -> Self {
        let mut walk = Walk::begin(text, offset);
        let mut characters = Vec::with_capacity(value.len());
        for (at, character) in value.char_indices() {
            let Some(found) = walk.step(character) else { break };
            characters.push((at, found.start, found.end));
        }
        Self { characters, end: walk.at }
    }

    /// Returns the place of a part of the value.
    pub fn range(&self, part: Range<usize>) -> Range<usize> {
        let first = self.characters.partition_point(|c| c.0 < part.start);
        let start = self.characters.get(first).map_or(self.end, |c| c.1);
        let last = self.characters.partition_point(|c| c.0 < part.end).checked_sub(1);
        let end = last.and_then(|last| self.characters.get(last)).map_or(start, |c| c.2);
        start..end.max(start)
    }
}

/// Returns the end of a value in the text of its file, without its closing quote; `offset` is that of its first quote or sign.
pub fn end(text: &str, offset: usize, value: &str) -> usize {
    let mut walk = Walk::begin(text, offset);
    // Nearly all values are written as they read.
    if walk.stands(value) {
        return walk.at + value.len();
    }
    value.chars().map_while(|character| walk.step(character)).for_each(drop);
    walk.at
}

struct Walk<'a> {
    text: &'a str,
    style: Style,
    at: usize,
}

impl<'a> Walk<'a> {
    fn begin(text: &'a str, offset: usize) -> Self {
        let (style, at) = match text.as_bytes().get(offset) {
            Some(b'\'') => (Style::Single, offset + 1),
            Some(b'"') => (Style::Double, offset + 1),
            Some(b'|' | b'>') => (Style::Block, content(text, offset)),
            _ => (Style::Plain, offset),
        };
        Self { text, style, at }
    }

    /// Returns whether the whole value is written as it reads.
    fn stands(&self, value: &str) -> bool {
        let same = !value.is_empty() && self.rest().starts_with(value);
        match self.style {
            Style::Plain => same,
            Style::Single => same && !value.contains('\''),
            Style::Double => same && !value.contains('\\'),
            Style::Block => false,
        }
    }

    /// The place of the next character of the value; none when it does not follow from the text.
    fn step(&mut self, character: char) -> Option<Range<usize>> {
        if character.is_whitespace() {
            return Some(self.blank());
        }
        self.skip_blanks();
        let start = self.at;
        let next = self.rest().chars().next()?;
        self.at += match self.style {
            Style::Double if next == '\\' => escape(self.rest()),
            Style::Single if next == '\'' => 2,
            _ if next == character => next.len_utf8(),
            _ => return None,
        };
        self.at = self.at.min(self.text.len());
        Some(start..self.at)
    }

    /// White space of the value may be a line end with indentation in the file, or an escape.
    fn blank(&mut self) -> Range<usize> {
        let start = self.at;
        match self.rest().chars().next() {
            Some(next) if next.is_whitespace() => self.at += next.len_utf8(),
            Some('\\') if self.style == Style::Double => self.at = (start + escape(self.rest())).min(self.text.len()),
            _ => {}
        }
        start..self.at
    }

    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            let blanks = rest.len() - rest.trim_start().len();
            let continued = self.style == Style::Double && rest[blanks..].starts_with("\\\n");
            self.at += blanks + if continued { 2 } else { 0 };
            if !continued {
                return;
            }
        }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }
}

/// Returns the start of the first line of a block scalar.
fn content(text: &str, offset: usize) -> usize {
    text.get(offset..).and_then(|rest| rest.find('\n')).map_or(text.len(), |end| offset + end + 1)
}

/// Length of an escape sequence of a double-quoted scalar.
fn escape(text: &str) -> usize {
    match text.chars().nth(1) {
        Some('x') => 4,
        Some('u') => 6,
        Some('U') => 10,
        Some(other) => 1 + other.len_utf8(),
        None => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'a>(text: &'a str, offset: usize, value: &str, part: &str) -> &'a str {
        let start = value.find(part).unwrap();
        &text[CharacterPlaces::of(text, offset, value).range(start..start + part.len())]
    }

    #[test]
    fn every_style_leads_back_to_the_file() {
        assert_eq!(found("a: x == y", 3, "x == y", "y"), "y");
        assert_eq!(found("a: x\n   == y", 3, "x == y", "== y"), "== y");
        assert_eq!(found("a: 'x == ''y'' && z'", 3, "x == 'y' && z", "'y' && z"), "''y'' && z");
        assert_eq!(found(r#"a: "x == \"y\" \u00e4 z""#, 3, "x == \"y\" ä z", "z"), "z");
        assert_eq!(found("a: \"one \\\n  two\"", 3, "one two", "two"), "two");
        assert_eq!(found("a: >-\n    x &&\n    y.z == 1\n", 3, "x && y.z == 1", "y.z"), "y.z");
        assert_eq!(found("a: |\n  x\n  y\n", 3, "x\ny\n", "y"), "y");
    }

    #[test]
    fn values_end_before_their_quotes() {
        for (text, value) in [
            ("a: x == y # c", "x == y"),
            ("a: x\n   == y\n", "x == y"),
            ("a: 'x = 1' # c", "x = 1"),
            ("a: 'it''s' # c", "it's"),
            ("a: \"x\\ty\" # c", "x\ty"),
            ("a: \"x y\"", "x y"),
            ("a: >-\n  x\n  y\n", "x y"),
            ("a: ''", ""),
        ] {
            let whole = CharacterPlaces::of(text, 3, value);
            assert_eq!(end(text, 3, value), whole.end, "{text}");
            assert_eq!(whole.end, whole.range(0..value.len()).end.max(end(text, 3, "")), "{text}");
        }
    }

    #[test]
    fn a_value_that_does_not_fit_the_text_is_harmless() {
        let places = CharacterPlaces::of("a: b", 3, "something else");
        assert_eq!(end("a: b", 3, "something else"), 3);
        assert_eq!(places.range(0..5), 3..3);
        assert_eq!(CharacterPlaces::of("", 10, "x").range(0..1), 10..10);
    }
}
