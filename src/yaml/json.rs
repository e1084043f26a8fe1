//! Reader of JSON: strict (RFC 8259) except for a comma after the last value, which redaction leaves; with
//! offsets, not recursive.
//!
//! Several values in sequence are several documents, with line ends between them (NDJSON)
//! or without.

use super::Problem;
use super::builder::Builder;
use super::eight;
use super::tape::{Kind, MAX_DEPTH, Tape};
use crate::model::message::{DocumentProblem, JsonFault, JsonToken};

/// The first character that may stand in a string as it is.
const FIRST_TEXT: u8 = b' ';

/// Returns true if the first non-blank character opens an object or an array.
pub fn looks_like_json(text: &str) -> bool {
    text.trim_ascii_start().starts_with(['{', '['])
}

/// Reads values until the text ends or is not JSON; the tape holds those before that. Text and tape take at most `room`
/// bytes of memory.
pub fn read(text: &str, room: u64) -> (Tape, Option<Problem>) {
    let mut builder = Builder::new(text).within(room);
    let mut at = behind_blanks(text, 0);
    let mut problem = None;
    while at < text.len() && problem.is_none() {
        match value(&mut builder, text, at) {
            Ok(end) => at = behind_blanks(text, end),
            Err(found) => problem = Some(found),
        }
    }
    (builder.finish(), problem)
}

/// Reads the value at a position as one document; returns where it ends. After a problem the tape is as before.
pub(super) fn value<'t>(builder: &mut Builder<'t>, text: &'t str, at: usize) -> Result<usize, Problem> {
    builder.begin();
    let mut reader = Reader { text, at, builder };
    let outcome = reader.document();
    let end = reader.at;
    outcome.map(|()| end).map_err(|stop| {
        let before = text.as_bytes().get(..end).unwrap_or_default();
        let line = 1 + memchr::memchr_iter(b'\n', before).count() as u64;
        builder.abandon();
        match stop {
            Stop::Full => Problem::new(line, DocumentProblem::TooManyValues),
            Stop::Invalid(fault) => Problem::new(line, DocumentProblem::InvalidJson { fault }),
        }
    })
}

fn behind_blanks(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    // Most often there is one blank or none, or a line end and the blanks that indent the next line.
    let mut at = at;
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(at) {
        at = eight::behind_blanks(bytes, at + 1);
    }
    at
}

/// Reason why a value is not read to its end.
enum Stop {
    /// The builder has no memory for it.
    Full,
    /// The text is not JSON, or nested too deep.
    Invalid(JsonFault),
}

impl From<JsonFault> for Stop {
    fn from(fault: JsonFault) -> Self {
        Self::Invalid(fault)
    }
}

struct Reader<'t, 'b> {
    text: &'t str,
    at: usize,
    builder: &'b mut Builder<'t>,
}

impl Reader<'_, '_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn skip_blanks(&mut self) {
        self.at = behind_blanks(self.text, self.at);
    }

    /// Reads one value with everything in it.
    fn document(&mut self) -> Result<(), Stop> {
        loop {
            self.skip_blanks();
            let complete = match self.peek() {
                Some(b'{') => self.open(Kind::Mapping, b'}')?,
                Some(b'[') => self.open(Kind::Sequence, b']')?,
                _ => {
                    self.scalar()?;
                    true
                }
            };
            if self.builder.is_full() {
                return Err(Stop::Full);
            }
            if complete && self.close_finished()? {
                return Ok(());
            }
        }
    }

    /// Opens a collection and moves to its first value; returns true if it is empty and closed.
    fn open(&mut self, kind: Kind, closer: u8) -> Result<bool, JsonFault> {
        if self.builder.depth() == MAX_DEPTH {
            return Err(JsonFault::TooDeep { levels: MAX_DEPTH });
        }
        self.builder.open(kind, self.at);
        self.at += 1;
        self.skip_blanks();
        if self.eat(closer) {
            self.builder.close();
            return Ok(true);
        }
        if kind == Kind::Mapping {
            self.key()?;
        }
        Ok(false)
    }

    /// Closes collections after a value, up to the next comma; returns true if the outermost one is closed.
    fn close_finished(&mut self) -> Result<bool, JsonFault> {
        loop {
            let Some(kind) = self.builder.innermost() else { return Ok(true) };
            self.skip_blanks();
            let closer = if kind == Kind::Mapping { b'}' } else { b']' };
            if self.eat(b',') {
                self.skip_blanks();
                if self.peek() != Some(closer) {
                    if kind == Kind::Mapping {
                        self.key()?;
                    }
                    return Ok(false);
                }
            }
            if !self.eat(closer) {
                return Err(self.expected(if kind == Kind::Mapping {
                    JsonToken::CommaOrBrace
                } else {
                    JsonToken::CommaOrBracket
                }));
            }
            self.builder.close();
        }
    }

    fn key(&mut self) -> Result<(), JsonFault> {
        if self.peek() != Some(b'"') {
            return Err(self.expected(JsonToken::Key));
        }
        self.string()?;
        self.skip_blanks();
        if self.eat(b':') { Ok(()) } else { Err(self.expected(JsonToken::Colon)) }
    }

    fn scalar(&mut self) -> Result<(), JsonFault> {
        match self.peek() {
            Some(b'"') => self.string(),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Kind::Bool),
            Some(b'f') => self.word("false", Kind::Bool),
            Some(b'n') => self.word("null", Kind::Null),
            _ => Err(self.expected(JsonToken::Value)),
        }
    }

    fn word(&mut self, word: &str, kind: Kind) -> Result<(), JsonFault> {
        if !self.text.get(self.at..).is_some_and(|rest| rest.starts_with(word)) {
            return Err(self.expected(JsonToken::Value));
        }
        self.builder.borrowed(kind, self.at, self.at..self.at + word.len());
        self.at += word.len();
        Ok(())
    }

    fn number(&mut self) -> Result<(), JsonFault> {
        let start = self.at;
        self.eat(b'-');
        if !self.eat(b'0') {
            self.digits()?;
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        if self.peek().is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'+' | b'-' | b'_')) {
            return Err(self.expected(JsonToken::NumberEnd));
        }
        self.builder.borrowed(Kind::Number, start, start..self.at);
        Ok(())
    }

    fn digits(&mut self) -> Result<(), JsonFault> {
        let start = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at > start { Ok(()) } else { Err(self.expected(JsonToken::Digit)) }
    }

    fn string(&mut self) -> Result<(), JsonFault> {
        let quote = self.at;
        self.at += 1;
        let start = self.at;
        self.plain_run()?;
        if self.eat(b'"') {
            self.builder.borrowed(Kind::String, quote, start..self.at - 1);
            return Ok(());
        }
        let mut value = self.text.get(start..self.at).unwrap_or_default().to_owned();
        while !self.eat(b'"') {
            self.at += 1;
            value.push(self.escape()?);
            let run = self.at;
            self.plain_run()?;
            value.push_str(self.text.get(run..self.at).unwrap_or_default());
        }
        self.builder.owned(Kind::String, quote..self.at, &value);
        Ok(())
    }

    /// Moves to the next quote or backslash. Most strings are short: a vector search and a second one for control characters took
    /// twice as long.
    fn plain_run(&mut self) -> Result<(), JsonFault> {
        let bytes = self.text.as_bytes();
        while let Some(word) = eight::at(bytes, self.at) {
            let found = eight::equal(word, b'"') | eight::equal(word, b'\\') | eight::below(word, FIRST_TEXT);
            self.at += eight::first(found);
            if found != 0 {
                break;
            }
        }
        let ends = |byte: &u8| matches!(byte, b'"' | b'\\' | ..FIRST_TEXT);
        let rest = bytes.get(self.at..).unwrap_or_default();
        let length = rest.iter().position(ends).unwrap_or(rest.len());
        match rest.get(length) {
            Some(b'"' | b'\\') => self.at += length,
            Some(_) if memchr::memchr2(b'"', b'\\', rest).is_some() => {
                self.at += length;
                return Err(JsonFault::LineEndInString);
            }
            _ => {
                self.at = bytes.len();
                return Err(JsonFault::OpenString);
            }
        }
        Ok(())
    }

    /// Returns the character of the escape after a backslash; a lone surrogate becomes U+FFFD.
    fn escape(&mut self) -> Result<char, JsonFault> {
        let Some(byte) = self.peek() else { return Err(JsonFault::OpenString) };
        self.at += 1;
        Ok(match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => self.unicode()?,
            _ => return Err(JsonFault::UnknownEscape),
        })
    }

    fn unicode(&mut self) -> Result<char, JsonFault> {
        let high = self.hex4()?;
        if !(0xd800..0xdc00).contains(&high) {
            return Ok(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        let resume = self.at;
        if self.eat(b'\\') && self.eat(b'u') {
            let low = self.hex4()?;
            if (0xdc00..0xe000).contains(&low) {
                let code = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
        }
        self.at = resume;
        Ok(char::REPLACEMENT_CHARACTER)
    }

    fn hex4(&mut self) -> Result<u32, JsonFault> {
        let digits = self.text.get(self.at..self.at + 4).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        let code = digits.and_then(|d| u32::from_str_radix(d, 16).ok());
        self.at += 4;
        code.ok_or(JsonFault::FourDigits)
    }

    fn expected(&self, token: JsonToken) -> JsonFault {
        match self.text.get(self.at..).and_then(|rest| rest.chars().next()) {
            Some(found) => JsonFault::Expected { token, found: found.escape_default().to_string() },
            None => JsonFault::ExpectedMore { token },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Document;
    use super::*;

    fn shown(text: &str) -> (Vec<String>, Option<Problem>) {
        let (tape, problem) = read(text, u64::MAX);
        let document = Document::new(text.to_owned(), tape);
        (document.roots().map(|root| format!("{root:?}")).collect(), problem)
    }

    #[test]
    fn reads_values_with_offsets() {
        let text = " {\"a\": [1, -2.5e3, true, null, \"x\"],\n \"b\": {}, \"c\\u00e9\": \"\\ud83d\\ude00\\n\"}";
        let (tape, problem) = read(text, u64::MAX);
        assert_eq!(problem, None);
        let document = Document::new(text.to_owned(), tape);
        let root = document.roots().next().unwrap();
        assert_eq!(format!("{root:?}"), r#"{"a": [1, -2.5e3, true, null, "x"], "b": {}, "cé": "😀\n"}"#);
        let item = root.get("a").unwrap().at(1).unwrap();
        assert!(text[item.offset()..].starts_with("-2.5e3"));
        assert_eq!(root.get("b").unwrap().line(), 2);
    }

    #[test]
    fn values_may_follow_each_other() {
        let (roots, problem) = shown("{\"a\":1}{\"b\":2}\n[3]\n\n{\"c\":4}\n");
        assert_eq!((roots.len(), problem), (4, None));
    }

    #[test]
    fn a_cut_stream_keeps_what_came_before() {
        let (roots, problem) = shown("{\"a\":1}\n{\"b\":2}\n{\"c\":\"do");
        assert_eq!(roots.len(), 2);
        assert_eq!(problem, Some(Problem::new(3, DocumentProblem::InvalidJson { fault: JsonFault::OpenString })));
    }

    #[test]
    fn a_comma_may_be_left_behind() {
        let (roots, problem) = shown("{\"a\": [1, 2,\n], \"b\": {\"c\": 3,\t},\n}");
        assert_eq!((roots, problem), (vec!["{\"a\": [1, 2], \"b\": {\"c\": 3}}".to_owned()], None));
    }

    #[test]
    fn invalid_json_is_rejected() {
        for text in [
            "{a: 1}",
            "[1,,]",
            "[,]",
            "{\"a\":1,,}",
            "[01]",
            "[1.]",
            "[+1]",
            "[.5]",
            "[1e]",
            "['x']",
            "[\"\\x\"]",
            "[\"\\u12g4\"]",
            "[\"a\nb\"]",
            "{\"a\" 1}",
            "[1 2]",
            "[tru]",
            "[",
            "{\"a\"",
            "[1}",
            "]",
            "[\"\\",
            "[\"\\u",
            "[1]x",
            "[-]",
            "[1-2]",
        ] {
            assert!(shown(text).1.is_some(), "{text}");
        }
    }

    #[test]
    fn depth_is_bounded() {
        let nested = |n: usize| "[".repeat(n) + &"]".repeat(n);
        assert_eq!(shown(&nested(MAX_DEPTH)).1, None);
        assert!(shown(&nested(MAX_DEPTH + 1)).1.is_some_and(|p| p.message.to_string().contains("deeper")));
        assert!(shown(&"[{\"a\":".repeat(1_000_000)).1.is_some());
    }

    #[test]
    fn lone_surrogates_become_replacement_characters() {
        let (roots, problem) = shown(r#"["\ud800", "\ud800\u0041", "\udc00"]"#);
        assert_eq!(problem, None);
        assert_eq!(roots, ["[\"\u{fffd}\", \"\u{fffd}A\", \"\u{fffd}\"]"]);
    }
}
