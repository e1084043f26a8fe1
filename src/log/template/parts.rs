//! A line taken apart, for patterns that are written from it.

use std::ops::Range;

use super::header;
use super::severity::{Stated, spoken};
use super::token::{self, Token, VARIES};
use crate::log::source::line::text;
use crate::model::unexplained::Level;

/// A line without its header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineParts {
    /// None if it reports no trouble.
    pub level: Option<Level>,
    /// Its messages in the order in which they stand: one, or two of a line of JSON.
    pub messages: Vec<MessagePart>,
}

/// A message, as places in its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessagePart {
    pub place: Range<usize>,
    /// Words that stay the same in other lines of its template, in their order.
    pub words: Vec<Range<usize>>,
}

/// Takes a line apart; `of_node` if it is from a log of a node, where a host and a program can follow the stamp.
pub fn line_parts(line: &str, of_node: bool) -> LineParts {
    let whole = line.as_bytes();
    let (range, stamp) = text(whole, 0..whole.len(), whole.len());
    let seen = whole.get(range).unwrap_or_default();
    let message = header::read_whole(seen, of_node && stamp.is_some());
    let mut said = Vec::new();
    let mut messages: Vec<MessagePart> =
        message.parts.iter().filter(|part| !part.is_empty()).map(|part| taken(whole, part, &mut said)).collect();
    messages.sort_by_key(|part| part.place.start);
    LineParts { level: level(message.level, &said), messages }
}

/// Returns the level of a line, none if it reports no trouble, and its template: words joined by blanks, [`VARIES`] for what varies.
pub fn line_template(line: &str, of_node: bool) -> (Option<Level>, String) {
    let whole = line.as_bytes();
    let (range, stamp) = text(whole, 0..whole.len(), whole.len());
    let message = header::read_whole(whole.get(range).unwrap_or_default(), of_node && stamp.is_some());
    let (mut template, mut said) = (String::new(), Vec::new());
    token::walk(message.parts, |token| {
        if !template.is_empty() {
            template.push(' ');
        }
        match token {
            Token::Word(word) => {
                template.push_str(&String::from_utf8_lossy(word));
                said.extend(std::str::from_utf8(word).ok());
            }
            Token::Key(word) => template.push_str(&String::from_utf8_lossy(word)),
            Token::Varies => template.push_str(VARIES),
        }
    });
    (level(message.level, &said), template)
}

/// Returns the level of a line whose leading stamp was removed, none if it reports no trouble, and whether it has a header;
/// `journal` if a host and a program follow that stamp.
pub(in crate::log) fn level_of(text: &[u8], journal: bool) -> (Option<Level>, bool) {
    let message = header::read(text, journal);
    let mut said = Vec::new();
    if message.level == Stated::Nothing {
        token::walk(message.parts, |token| {
            if let Token::Word(word) = token {
                said.extend(std::str::from_utf8(word).ok());
            }
        });
    }
    (level(message.level, &said), message.headed)
}

fn level(stated: Stated, said: &[&str]) -> Option<Level> {
    match stated {
        Stated::Level(level) => Some(level),
        Stated::Quiet => None,
        Stated::Nothing => spoken(said),
    }
}

fn taken<'l>(line: &[u8], part: &'l [u8], said: &mut Vec<&'l str>) -> MessagePart {
    let mut words = Vec::new();
    token::walk([part, b""], |token| {
        let (Token::Word(word) | Token::Key(word)) = token else { return };
        words.push(place(line, word));
        said.extend(std::str::from_utf8(word).ok().filter(|_| matches!(token, Token::Word(_))));
    });
    MessagePart { place: place(line, part), words }
}

/// Returns the place of a part in the line that it was taken from.
fn place(line: &[u8], part: &[u8]) -> Range<usize> {
    let start = part.as_ptr().addr() - line.as_ptr().addr();
    start..start + part.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &str, of_node: bool) -> String {
        let parts = line_parts(line, of_node);
        let words = |part: &MessagePart| -> Vec<String> {
            part.words.iter().map(|range| line.get(range.clone()).unwrap().to_owned()).collect()
        };
        let messages: Vec<String> = parts.messages.iter().map(|part| words(part).join(" ")).collect();
        format!("{}|{}", parts.level.map_or("-", Level::as_str), messages.join("|"))
    }

    #[test]
    fn words_have_their_places() {
        for (line, of_node, want) in [
            (
                "2026-03-01T00:00:00Z E0301 00:00:00.1 1 a.go:1] lost disk sda1 of node",
                false,
                "error|lost disk of node",
            ),
            ("Mar 01 00:00:00 n1 kernel: I/O error, dev sda, sector 12", true, "error|I/O error dev sda sector"),
            (r#"{"error":"no route","level":"error","msg":"lost 1 peer"}"#, false, "error|no route|lost peer"),
            (r#"{"level":"info","msg":"all 3 fine"}"#, false, "-|all fine"),
            ("level=info msg=\"all failed\"", false, "-|msg all failed"),
            ("12 34", false, "-|"),
            ("", false, "-|"),
        ] {
            assert_eq!(shown(line, of_node), want, "{line}");
        }
    }
}
