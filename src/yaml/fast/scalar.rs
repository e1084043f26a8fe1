//! Scalars: their ends, and their values if they have to be decoded.

use std::ops::Range;

use super::super::scalar::plain_kind;
use super::super::tape::Kind;
use super::block::BlockReader;
use super::cursor::{Line, begins_plain};
use super::outcome::{Outcome, Stop};

/// Number of line ends at the end of a block that belong to its value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chomp {
    Clip,
    Strip,
    Keep,
}

impl BlockReader<'_, '_> {
    /// Returns the column that lines must exceed to belong to a scalar here; none for the root.
    fn outer(&self) -> Option<usize> {
        self.levels.last().map(|level| level.column)
    }

    fn is_inside(&self, column: usize) -> bool {
        self.outer().is_none_or(|outer| column > outer)
    }

    /// Reads the scalar or flow collection at an offset; `inline` after a key or dash on the same line.
    pub(super) fn scalar(&mut self, line: Line, at: usize, inline: bool) -> Outcome<()> {
        match self.cursor.byte(at) {
            Some(b'"') => self.double_quoted(line, at),
            Some(b'\'') => self.single_quoted(line, at),
            Some(b'{' | b'[') => self.flow(line, at),
            Some(style @ (b'|' | b'>')) if inline => self.block(line, at, style == b'>'),
            Some(first) if begins_plain(first, self.cursor.byte_before(at + 1, line.end)) => self.plain(line, at),
            _ => Err(Stop::Declined),
        }
    }

    fn plain(&mut self, line: Line, at: usize) -> Outcome<()> {
        let (first_end, commented) = self.plain_end(at, line.end)?;
        let text = self.text.get(at..first_end).unwrap_or_default();
        let mut end = first_end;
        if !commented && self.goes_on() {
            self.decoded.clear();
            self.decoded.push_str(text);
            end = self.plain_rest(first_end)?;
        }
        if end == first_end {
            self.builder.borrowed(plain_kind(text), at, at..end);
        } else {
            self.builder.owned(plain_kind(&self.decoded), at..end, &self.decoded);
        }
        Ok(())
    }

    /// Returns the end of a plain scalar's part on a line, and true if a comment follows.
    fn plain_end(&self, at: usize, end: usize) -> Outcome<(usize, bool)> {
        let mut from = at;
        while let Some(place) = self.cursor.special(from, end) {
            match self.cursor.byte(place) {
                Some(b'#') if self.cursor.byte(place.wrapping_sub(1)) == Some(b' ') => {
                    return Ok((self.cursor.before_spaces(at, place), true));
                }
                Some(b'#') => {}
                Some(b':') if !self.cursor.is_colon(place, end) => {}
                _ => return Err(Stop::Declined),
            }
            from = place + 1;
        }
        Ok((self.cursor.before_spaces(at, end), false))
    }

    /// Returns true if the next non-blank line may belong to a scalar here.
    fn goes_on(&self) -> bool {
        let next = self.cursor.at();
        let first = self.cursor.first_of_line(next);
        match self.cursor.byte(first) {
            None => false,
            Some(b'\n') => true,
            Some(_) => self.is_inside(first - next),
        }
    }

    /// Reads the further lines of a plain scalar; returns its end.
    fn plain_rest(&mut self, mut end: usize) -> Outcome<usize> {
        let (mut line, mut breaks) = (self.cursor.at(), 0);
        loop {
            let first = self.cursor.first_of_line(line);
            match self.cursor.byte(first) {
                Some(b'\n') => {
                    breaks += 1;
                    line = first + 1;
                    continue;
                }
                // A comment ends it.
                None | Some(b'#') => return Ok(end),
                Some(_) if !self.is_inside(first - line) => return Ok(end),
                Some(b'\t') => return Err(Stop::Declined),
                Some(_) => {}
            }
            let line_end = self.cursor.line_end(first);
            if first == line && self.cursor.is_marker(line) {
                return Err(Stop::Declined);
            }
            let (stop, commented) = self.plain_end(first, line_end)?;
            if commented {
                return Err(Stop::Declined);
            }
            self.fold(breaks);
            self.decoded.push_str(self.text.get(first..stop).unwrap_or_default());
            self.cursor.go_behind(line_end);
            (end, line, breaks) = (stop, self.cursor.at(), 0);
        }
    }

    /// Adds the value of a line end inside a scalar, followed by a number of blank lines.
    fn fold(&mut self, blank_lines: usize) {
        if blank_lines == 0 {
            self.decoded.push(' ');
        } else {
            self.decoded.extend(std::iter::repeat_n('\n', blank_lines));
        }
    }

    fn single_quoted(&mut self, line: Line, at: usize) -> Outcome<()> {
        let mut from = at + 1;
        let mut escaped = false;
        let close = loop {
            let rest = self.cursor.slice(from..self.cursor.end());
            let found = from + memchr::memchr(b'\'', rest).ok_or(Stop::Declined)?;
            if self.cursor.byte(found + 1) != Some(b'\'') {
                break found;
            }
            escaped = true;
            from = found + 2;
        };
        self.quoted(line, at, close, escaped, Self::decode_single)
    }

    fn double_quoted(&mut self, line: Line, at: usize) -> Outcome<()> {
        let mut from = at + 1;
        let mut escaped = false;
        let close = loop {
            let rest = self.cursor.slice(from..self.cursor.end());
            let found = from + memchr::memchr2(b'"', b'\\', rest).ok_or(Stop::Declined)?;
            if self.cursor.byte(found) == Some(b'"') {
                break found;
            }
            escaped = true;
            from = found + 2;
        };
        self.quoted(line, at, close, escaped, Self::decode_double)
    }

    fn quoted(
        &mut self,
        line: Line,
        at: usize,
        close: usize,
        escaped: bool,
        decode: fn(&mut Self, Range<usize>) -> Outcome<()>,
    ) -> Outcome<()> {
        let on_line = close < line.end;
        let line_end = if on_line { line.end } else { self.cursor.line_end(close) };
        self.cursor.only_blanks(close + 1, line_end)?;
        if on_line && !escaped {
            self.builder.borrowed(Kind::String, at, at + 1..close);
            return Ok(());
        }
        self.decoded.clear();
        decode(self, at + 1..close)?;
        self.builder.owned(Kind::String, at..close + 1, &self.decoded);
        self.cursor.go_behind(line_end);
        Ok(())
    }

    pub(super) fn decode_single(&mut self, inside: Range<usize>) -> Outcome<()> {
        let mut at = inside.start;
        while let Some(found) = memchr::memchr2(b'\'', b'\n', self.cursor.slice(at..inside.end)) {
            let found = at + found;
            self.decoded.push_str(self.text.get(at..found).unwrap_or_default());
            at = if self.cursor.byte(found) == Some(b'\'') {
                self.decoded.push('\'');
                found + 2
            } else {
                self.folded_break(found, inside.end, 0)?
            };
        }
        self.decoded.push_str(self.text.get(at..inside.end).unwrap_or_default());
        Ok(())
    }

    pub(super) fn decode_double(&mut self, inside: Range<usize>) -> Outcome<()> {
        let mut at = inside.start;
        // Escaped blanks stay at the end of a line.
        let mut kept = 0;
        while let Some(found) = memchr::memchr2(b'\\', b'\n', self.cursor.slice(at..inside.end)) {
            let found = at + found;
            self.decoded.push_str(self.text.get(at..found).unwrap_or_default());
            at = if self.cursor.byte(found) == Some(b'\n') {
                self.folded_break(found, inside.end, kept)?
            } else if self.cursor.byte(found + 1) == Some(b'\n') {
                self.escaped_break(found + 1)?
            } else {
                self.escape(found + 1, inside.end)?
            };
            if self.cursor.byte(found) == Some(b'\\') {
                kept = self.decoded.len();
            }
        }
        self.decoded.push_str(self.text.get(at..inside.end).unwrap_or_default());
        Ok(())
    }

    /// Folds a line end inside quotes with the blanks around it and the blank lines after it. Returns where the text continues.
    fn folded_break(&mut self, at: usize, end: usize, kept: usize) -> Outcome<usize> {
        let trimmed = self.decoded.get(kept..).unwrap_or_default().trim_end_matches(' ').len();
        if self.decoded.ends_with('\t') {
            return Err(Stop::Declined);
        }
        self.decoded.truncate(kept + trimmed);
        let (mut line, mut breaks) = (at + 1, 0);
        let first = loop {
            let first = self.cursor.first_of_line(line);
            if first < end && self.cursor.byte(first) == Some(b'\n') {
                breaks += 1;
                line = first + 1;
            } else {
                break first;
            }
        };
        self.continued(line, first)?;
        self.fold(breaks);
        Ok(first)
    }

    /// Skips an escaped line end, which has no value.
    fn escaped_break(&mut self, at: usize) -> Outcome<usize> {
        let line = at + 1;
        let first = self.cursor.first_of_line(line);
        if self.cursor.byte(first) == Some(b'\n') {
            return Err(Stop::Declined);
        }
        self.continued(line, first)?;
        Ok(first)
    }

    /// Returns true if a quoted scalar may continue at that offset of a line.
    fn continued(&self, line: usize, first: usize) -> Outcome<()> {
        let inside = self.outer().is_some_and(|outer| first - line > outer);
        if inside && self.cursor.byte(first) != Some(b'\t') { Ok(()) } else { Err(Stop::Declined) }
    }

    /// Decodes the escape after a backslash; returns where the text continues.
    fn escape(&mut self, at: usize, end: usize) -> Outcome<usize> {
        let byte = self.cursor.byte_before(at, end).ok_or(Stop::Declined)?;
        let digits = match byte {
            b'x' => 2,
            b'u' => 4,
            b'U' => 8,
            _ => 0,
        };
        let character = match byte {
            b'x' | b'u' | b'U' => self.code_point(at + 1..at + 1 + digits, end)?,
            b'0' => '\0',
            b'a' => '\x07',
            b'b' => '\x08',
            b't' => '\t',
            b'n' => '\n',
            b'v' => '\x0b',
            b'f' => '\x0c',
            b'r' => '\r',
            b'e' => '\x1b',
            b' ' => ' ',
            b'"' => '"',
            b'/' => '/',
            b'\\' => '\\',
            b'N' => '\u{85}',
            b'_' => '\u{a0}',
            b'L' => '\u{2028}',
            b'P' => '\u{2029}',
            _ => return Err(Stop::Declined),
        };
        self.decoded.push(character);
        Ok(at + 1 + digits)
    }

    /// Decodes hexadecimal digits; surrogates are for the event parser.
    fn code_point(&self, digits: Range<usize>, end: usize) -> Outcome<char> {
        let text = if digits.end <= end { self.text.get(digits) } else { None };
        let text = text.filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit())).ok_or(Stop::Declined)?;
        u32::from_str_radix(text, 16).ok().and_then(char::from_u32).ok_or(Stop::Declined)
    }

    /// Reads a literal or folded block after its `|` or `>`.
    fn block(&mut self, line: Line, at: usize, folded: bool) -> Outcome<()> {
        let (chomp, indent) = self.block_header(line, at + 1)?;
        let first = self.first_of_block();
        let found = first.map(|(line, first)| first - line);
        let indent = indent.or(found).filter(|&indent| self.is_inside(indent)).ok_or(Stop::Declined)?;
        let (_, first) = first.ok_or(Stop::Declined)?;
        if found.is_none_or(|found| found < indent) {
            return Err(Stop::Declined);
        }
        let start = first - found.map_or(0, |found| found - indent);
        let range = self.block_lines(start, indent, folded)?;
        self.chomp(chomp);
        let stands = range.start..range.start + self.decoded.len();
        if self.text.get(stands.clone()) == Some(self.decoded.as_str()) {
            self.builder.borrowed(Kind::String, range.start, stands);
        } else {
            self.builder.owned(Kind::String, range, &self.decoded);
        }
        Ok(())
    }

    /// Reads the header of a block: chomping and, if given, the column.
    fn block_header(&self, line: Line, mut at: usize) -> Outcome<(Chomp, Option<usize>)> {
        let (mut chomp, mut indent) = (Chomp::Clip, None);
        for _ in 0..2 {
            match self.cursor.byte_before(at, line.end) {
                Some(b'-') if chomp == Chomp::Clip => chomp = Chomp::Strip,
                Some(b'+') if chomp == Chomp::Clip => chomp = Chomp::Keep,
                Some(digit @ b'1'..=b'9') if indent.is_none() => {
                    indent = Some(self.outer().ok_or(Stop::Declined)? + usize::from(digit - b'0'));
                }
                _ => break,
            }
            at += 1;
        }
        let blank = self.cursor.behind_spaces(at, line.end) == line.end;
        if blank { Ok((chomp, indent)) } else { Err(Stop::Declined) }
    }

    /// Finds the first content line of a block and the start of its content; only empty lines may precede it.
    fn first_of_block(&self) -> Option<(usize, usize)> {
        let mut line = self.cursor.at();
        while self.cursor.byte(line) == Some(b'\n') {
            line += 1;
        }
        let first = self.cursor.first_of_line(line);
        matches!(self.cursor.byte(first), Some(byte) if byte != b'\n' && byte != b'\t').then_some((line, first))
    }

    /// Decodes the lines of a block whose first content is at `start`, with all line ends at its end; returns its place.
    fn block_lines(&mut self, start: usize, indent: usize, folded: bool) -> Outcome<Range<usize>> {
        self.decoded.clear();
        let mut line = self.cursor.at();
        let mut breaks = 0;
        // Line ends around more deeply indented lines stay.
        let mut foldable = false;
        let end = loop {
            let first = self.cursor.first_of_line(line);
            let column = first - line;
            let byte = match self.cursor.byte(first) {
                Some(byte) => byte,
                None if column == 0 => break first,
                None => return Err(Stop::Declined),
            };
            if byte == b'\n' && column <= indent {
                breaks += 1;
                line = first + 1;
                continue;
            }
            if column < indent {
                let strange = byte == b'\t' || self.is_inside(column);
                if strange {
                    return Err(Stop::Declined);
                }
                break first;
            }
            let line_end = self.cursor.line_end(first);
            // Parsers differ if the text does not end with a line end.
            if line_end == self.cursor.end() {
                return Err(Stop::Declined);
            }
            let foldable_here = folded && column == indent && byte != b'\t';
            if foldable && foldable_here {
                self.fold(breaks - 1);
            } else {
                self.decoded.extend(std::iter::repeat_n('\n', breaks));
            }
            self.decoded.push_str(self.text.get(line + indent..line_end).unwrap_or_default());
            (line, breaks, foldable) = (line_end + 1, 1, foldable_here);
        };
        self.cursor.go_to(line);
        self.decoded.extend(std::iter::repeat_n('\n', breaks));
        Ok(start..end)
    }

    /// Keeps the line ends at the end of a block that belong to its value.
    fn chomp(&mut self, chomp: Chomp) {
        let text = self.decoded.trim_end_matches('\n').len();
        match chomp {
            Chomp::Strip => self.decoded.truncate(text),
            Chomp::Clip => self.decoded.truncate(text + 1),
            Chomp::Keep => {}
        }
    }
}
