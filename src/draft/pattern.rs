//! The pattern of a line: its words as they are, captures for what varies.

use std::collections::BTreeSet;
use std::ops::Range;

use regex::Regex;

use super::shape::Varying;
use crate::log::MessagePart;
use crate::model::clean::is_hidden;
use crate::model::secret::MASK;

/// Words that a pattern has at most: a longer one says nothing more.
const WORDS: usize = 16;
/// Captures of a pattern; what else varies is matched and not captured.
const CAPTURES: usize = 5;
/// Captures that lines are grouped by.
const GROUPED: usize = 2;
/// Characters of a name of a rule, and of a title before its values.
const NAME: usize = 60;
const TITLE: usize = 110;

/// How strictly what varies is matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    /// By its form.
    Form,
    /// Anything without blanks.
    Word,
    Anything,
}

impl Strictness {
    /// The strictest first.
    pub const ALL: [Self; 3] = [Self::Form, Self::Word, Self::Anything];
}

/// Pieces of a line in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    /// A value with its capture; none if it is only matched.
    Varies(Varying, bool),
    /// Whatever stands between two messages of a line.
    Gap,
}

/// A line as words and values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinePattern {
    pieces: Vec<Piece>,
    words: usize,
    names: BTreeSet<String>,
}

impl LinePattern {
    /// Takes the messages of a line; none if no word of it stays the same.
    pub fn of(line: &str, messages: &[MessagePart]) -> Option<Self> {
        let mut pattern = Self::default();
        for message in messages {
            if !pattern.pieces.is_empty() {
                pattern.pieces.push(Piece::Gap);
            }
            pattern.message(line, message);
        }
        let says = |piece: &Piece| matches!(piece, Piece::Text(text) if text.contains(char::is_alphabetic));
        pattern.pieces.iter().any(says).then_some(pattern)
    }

    fn message(&mut self, line: &str, message: &MessagePart) {
        let begin = self.pieces.len();
        let mut at = message.place.start;
        for word in &message.words {
            if self.words == WORDS {
                return;
            }
            self.between(line, at..word.start, begin);
            self.text(line.get(word.clone()).unwrap_or_default());
            self.words += 1;
            at = word.end;
        }
        self.between(line, at..message.place.end, begin);
        self.trim_end();
    }

    /// Adds what stands between two words: signs, and values that vary. What stands before the first word and after the last
    /// counts as well.
    fn between(&mut self, line: &str, range: Range<usize>, begin: usize) {
        let mut rest = line.get(range).unwrap_or_default();
        while let Some(next) = rest.chars().next() {
            let taken = if next == '"' && self.text_before(begin).ends_with('=') { quoted(rest) } else { None };
            if let Some(inner) = taken {
                self.text("\"");
                self.value(Varying::quoted(&self.text_before(begin)));
                self.text("\"");
                rest = rest.get(inner + 2..).unwrap_or_default();
                continue;
            }
            let first = next.len_utf8();
            let ends = |c| joins(c) != joins(next) || c == '"';
            let length = rest.get(first..).and_then(|rest| rest.find(ends)).map_or(rest.len(), |at| first + at);
            let (run, behind) = rest.split_at(length);
            if joins(next) {
                self.run(run, begin)
            } else {
                self.text(run)
            }
            rest = behind;
        }
    }

    /// Adds a run of characters without blanks and signs: signs at its ends stay, the rest varies.
    fn run(&mut self, run: &str, begin: usize) {
        let is_end = |c: char| c.is_ascii() && !c.is_ascii_alphanumeric();
        let core = run.trim_start_matches(|c| is_end(c) && c != '/').trim_end_matches(is_end);
        if !core.contains(char::is_alphanumeric) {
            return if run.contains(MASK) { self.masked() } else { self.text(run) };
        }
        let start = run.find(core).unwrap_or(0);
        self.text(run.get(..start).unwrap_or_default());
        if core.contains(MASK) {
            self.masked()
        } else {
            self.value(Varying::of(core, &self.text_before(begin)))
        }
        self.text(run.get(start + core.len()..).unwrap_or_default());
    }

    fn masked(&mut self) {
        let varying = Varying { name: "secret".to_owned(), pattern: r"\S+", names: false };
        self.pieces.push(Piece::Varies(varying, false));
    }

    fn value(&mut self, mut varying: Varying) {
        if matches!(self.pieces.last(), Some(Piece::Varies(..))) {
            return;
        }
        let captured = self.names.len() < CAPTURES;
        if captured {
            let stem = varying.name.clone();
            let number = |n: usize| if n == 1 { stem.clone() } else { format!("{stem}{n}") };
            varying.name = (1..).map(number).find(|name| !self.names.contains(name)).unwrap_or_default();
            self.names.insert(varying.name.clone());
        }
        self.pieces.push(Piece::Varies(varying, captured));
    }

    fn text(&mut self, text: &str) {
        match self.pieces.last_mut() {
            _ if text.is_empty() => {}
            Some(Piece::Text(before)) => before.push_str(text),
            _ => self.pieces.push(Piece::Text(text.to_owned())),
        }
    }

    /// Returns the text before the next piece, within its message.
    fn text_before(&self, begin: usize) -> String {
        match self.pieces.get(begin..).and_then(<[Piece]>::last) {
            Some(Piece::Text(text)) => text.clone(),
            _ => String::new(),
        }
    }

    /// Removes signs at the end, which a pattern does not need.
    fn trim_end(&mut self) {
        if let Some(Piece::Text(text)) = self.pieces.last_mut() {
            let kept = text.trim_end_matches(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric()).len();
            text.truncate(kept);
            if text.is_empty() {
                self.pieces.pop();
            }
        }
    }

    /// Returns the pattern without captures.
    pub fn uncaptured(mut self) -> Self {
        for piece in &mut self.pieces {
            if let Piece::Varies(_, captured) = piece {
                *captured = false;
            }
        }
        self
    }

    /// Writes the regular expression.
    pub fn expression(&self, strictness: Strictness) -> String {
        let mut out = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => out.push_str(&escaped(text)),
                Piece::Gap => out.push_str(".*"),
                Piece::Varies(varying, captured) => {
                    let pattern = match strictness {
                        Strictness::Form => varying.pattern,
                        Strictness::Word => r"\S+",
                        Strictness::Anything => ".+?",
                    };
                    out.push_str(&if *captured {
                        format!("(?<{}>{pattern})", varying.name)
                    } else {
                        pattern.to_owned()
                    });
                }
            }
        }
        out
    }

    /// Returns the strictest expression that matches all texts.
    pub fn matching(&self, texts: &[&str]) -> Option<Regex> {
        let compiled = |strictness: &Strictness| Regex::new(&self.expression(*strictness)).ok();
        Strictness::ALL.iter().filter_map(compiled).find(|regex| texts.iter().all(|text| regex.is_match(text)))
    }

    /// Returns the captures that lines are grouped by.
    pub fn grouped(&self) -> Vec<&str> {
        let captures = self.captures();
        captures.filter(|varying| varying.names).map(|varying| varying.name.as_str()).take(GROUPED).collect()
    }

    /// Returns the captures whose last value a message tells.
    pub fn told(&self) -> Vec<&str> {
        let grouped = self.grouped();
        self.captures().map(|varying| varying.name.as_str()).filter(|name| !grouped.contains(name)).collect()
    }

    fn captures(&self) -> impl Iterator<Item = &Varying> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Varies(varying, true) => Some(varying),
            _ => None,
        })
    }

    /// Writes the line as a text of a rule: values of the captures that it is grouped by, `…` for what else varies.
    pub fn title(&self, fact: &str) -> String {
        let grouped = self.grouped();
        let (mut out, mut length) = (String::new(), 0);
        for piece in &self.pieces {
            let (text, shown) = match piece {
                Piece::Text(text) => (plain(text), text.chars().count()),
                Piece::Varies(varying, true) if grouped.contains(&varying.name.as_str()) => {
                    (format!("{{{{ {fact}.{} }}}}", varying.name), 1)
                }
                Piece::Varies(..) => ("…".to_owned(), 1),
                Piece::Gap => (": ".to_owned(), 2),
            };
            if length + shown > TITLE {
                out.extend(text.chars().take(TITLE.saturating_sub(length)));
                out.push('…');
                break;
            }
            length += shown;
            out.push_str(&text);
        }
        let out = joined(&out);
        out.strip_prefix("msg=").map(|out| out.trim_start().to_owned()).unwrap_or(out)
    }

    /// Returns the words, for the name of a rule.
    pub fn name(&self) -> String {
        let mut out = String::new();
        let texts = self.pieces.iter().filter_map(|piece| match piece {
            Piece::Text(text) => Some(plain(text)),
            _ => None,
        });
        for word in texts.flat_map(|text| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>()) {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            if word.is_empty() || word == "msg" {
                continue;
            }
            if out.chars().count() + 1 + word.chars().count() > NAME {
                break;
            }
            out.push_str(if out.is_empty() { "" } else { " " });
            out.push_str(word);
        }
        if out.is_empty() { "Line of a log".to_owned() } else { out }
    }
}

/// Returns the length of a text in quotes that has blanks.
fn quoted(rest: &str) -> Option<usize> {
    let inner = rest.get(1..)?;
    let length = inner.find('"')?;
    let text = inner.get(..length)?;
    (text.contains(' ') && !text.contains('\\') && text.contains(char::is_alphanumeric)).then_some(length)
}

/// Returns true for the signs of which words are made, as templates of logs know them.
fn joins(c: char) -> bool {
    c.is_alphanumeric() || "_-.:@%+~*&$/".contains(c) || !c.is_ascii()
}

/// Escapes what has a meaning in a regular expression, and what nobody could see in it.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if r"\.+*?()|[]{}^$".contains(c) => out.extend(['\\', c]),
            c if is_hidden(c) => out.push_str(&format!(r"\x{{{:x}}}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

/// Returns a text without what begins an expression in texts of rules.
pub fn plain(text: &str) -> String {
    text.chars()
        .map(|c| if matches!(c, '{' | '}' | '\\' | '"') || c.is_control() || is_hidden(c) { ' ' } else { c })
        .collect()
}

/// Joins blanks.
pub fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::line_parts;

    fn pattern(line: &str) -> LinePattern {
        LinePattern::of(line, &line_parts(line, false).messages).unwrap()
    }

    #[test]
    fn words_stay_and_values_are_captured() {
        for (line, want) in [
            (
                "E0320 07:13:30.1 1 a.go:1] dial tcp 10.43.0.1:443: connect: connection refused",
                r"dial tcp (?<address>[0-9.:]+): connect: connection refused",
            ),
            (
                r#"level=error msg="lost disk (1 of 3)" volume=pvc-1"#,
                r#"msg="lost disk \((?<disk>[0-9]+) of (?<number>[0-9]+)\)" volume=(?<volume>[A-Za-z0-9._-]+)"#,
            ),
            (r#"{"level":"error","msg":"Reconciler error","error":"no 7"}"#, "Reconciler error.*no (?<number>[0-9]+)"),
            (r#"level=error msg=x why="a b 1" end"#, r#"msg=x why="(?<why>[^\x22\\]+)" end"#),
            ("token=*** refused", r"token=\S+ refused"),
            ("a 1 2 b 3.", "a (?<number>[0-9]+) (?<number2>[0-9]+) b (?<number3>[0-9]+)"),
        ] {
            let made = pattern(line);
            assert_eq!(made.expression(Strictness::Form), want, "{line}");
            assert!(made.matching(&[line]).is_some(), "{line}");
        }
    }

    #[test]
    fn texts_of_a_rule_have_the_names_that_lines_are_grouped_by() {
        let made = pattern("ERROR: volume pvc-1 of {x} took 12ms, gone");
        assert_eq!(made.title("line"), "volume {{ line.volume }} of x took …, gone");
        assert_eq!((made.grouped(), made.told()), (vec!["volume"], vec!["duration"]));
        assert_eq!(made.name(), "volume of x took gone");
        assert!(pattern(&"word ".repeat(60)).title("line").chars().count() <= TITLE + 1);
    }

    #[test]
    fn a_line_without_words_has_no_pattern() {
        for line in ["", "12 34", "[1]: 0x12345678", "level=info"] {
            let parts = line_parts(line, false).messages;
            assert_eq!(LinePattern::of(line, &parts).is_some(), line == "level=info", "{line}");
        }
    }

    #[test]
    fn what_the_form_does_not_take_is_matched_more_freely() {
        let made = pattern("ERROR: peer host-1 lost");
        let names = ["peer host-1 lost", "peer a:b lost"];
        assert!(made.matching(&names).unwrap().as_str().contains(r"\S+"));
        assert!(made.matching(&["peer a b lost", names[0]]).unwrap().as_str().contains(".+?"));
    }
}
