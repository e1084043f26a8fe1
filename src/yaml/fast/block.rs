//! Block mappings and sequences, and the documents around them.

use std::ops::Range;

use super::cursor::{Cursor, Line, begins_plain};
use super::outcome::{Outcome, Stop};
use crate::yaml::builder::Builder;
use crate::yaml::scalar::{MERGE_KEY, plain_kind};
use crate::yaml::tape::{Kind, MAX_DEPTH};

/// Maximum length of a key in bytes; longer ones are for the event parser, which refuses more than 1024 characters.
pub(super) const MAX_KEY: usize = 1000;

/// Open block collection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level {
    /// Column of its keys or dashes.
    pub column: usize,
    shape: Shape,
    /// Key read last; `ascending` while all keys ascend.
    last_key: (usize, usize),
    ascending: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Mapping,
    Sequence,
    /// Sequence as the value of a key in the same column.
    Indentless,
}

/// Node that the next line may bring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Awaited {
    /// Root of a document, after `---` or not.
    Root { marked: bool },
    /// Value of a key whose colon is at this offset.
    Value { colon: usize },
    /// Item whose dash and blanks end at this offset.
    Item { at: usize },
    /// Only another entry or item.
    Nothing,
}

pub(super) struct BlockReader<'t, 'b> {
    pub(super) text: &'t str,
    pub(super) cursor: Cursor<'t>,
    pub(super) builder: &'b mut Builder<'t>,
    pub(super) levels: Vec<Level>,
    awaited: Awaited,
    /// Buffer for decoding scalars.
    pub(super) decoded: String,
}

impl<'t, 'b> BlockReader<'t, 'b> {
    pub fn new(text: &'t str, part: Range<usize>, builder: &'b mut Builder<'t>) -> Self {
        let cursor = Cursor::new(text.as_bytes().get(..part.end).unwrap_or_default(), part.start);
        let awaited = Awaited::Root { marked: false };
        Self { text, cursor, builder, levels: Vec::new(), awaited, decoded: String::new() }
    }

    /// Reads one document; returns false if there is none left.
    pub fn document(&mut self) -> Outcome<bool> {
        self.builder.begin();
        while let Some(line) = self.cursor.next_content()? {
            if line.column == 0 && self.cursor.is_marker(line.start) {
                // The event parser decides what may follow `...`.
                if self.cursor.byte(line.start) == Some(b'.') {
                    return Err(Stop::Declined);
                }
                match self.awaited {
                    Awaited::Root { marked: false } => self.marker(line)?,
                    Awaited::Root { marked: true } => return Err(Stop::Declined),
                    _ => {
                        self.cursor.go_to(line.start);
                        return self.finish();
                    }
                }
                continue;
            }
            self.line(line)?;
            self.has_room(line.start)?;
        }
        match self.awaited {
            Awaited::Root { marked: false } => Ok(false),
            Awaited::Root { marked: true } => Err(Stop::Declined),
            _ => self.finish(),
        }
    }

    fn has_room(&self, at: usize) -> Outcome<()> {
        if self.builder.is_full() { Err(Stop::Full { at }) } else { Ok(()) }
    }

    /// Reads `---`; nothing may follow it.
    fn marker(&mut self, line: Line) -> Outcome<()> {
        self.cursor.only_blanks(line.start + 3, line.end)?;
        self.awaited = Awaited::Root { marked: true };
        Ok(())
    }

    /// Closes all collections, and with them the document.
    fn finish(&mut self) -> Outcome<bool> {
        self.no_value();
        while let Some(level) = self.levels.pop() {
            self.close(level);
        }
        self.has_room(self.cursor.at())?;
        Ok(true)
    }

    /// Adds null for an awaited node that is not there.
    fn no_value(&mut self) {
        match std::mem::replace(&mut self.awaited, Awaited::Nothing) {
            Awaited::Value { colon: at } | Awaited::Item { at } => self.builder.borrowed(Kind::Null, at, at..at),
            Awaited::Root { .. } | Awaited::Nothing => {}
        }
    }

    fn close(&mut self, level: Level) {
        if level.ascending { self.builder.close_distinct() } else { self.builder.close() }
    }

    /// Reads a line: the awaited node, or the next entry or item of a collection.
    fn line(&mut self, line: Line) -> Outcome<()> {
        let inside = self.levels.last().map(|level| level.column);
        match self.awaited {
            Awaited::Root { .. } => self.awaited_node(line),
            Awaited::Value { .. } | Awaited::Item { .. } if inside.is_some_and(|column| line.column > column) => {
                self.awaited_node(line)
            }
            Awaited::Value { .. } if inside == Some(line.column) && self.cursor.is_dash(line.start, line.end) => {
                self.awaited = Awaited::Nothing;
                let first = self.cursor.behind_spaces(line.start + 1, line.end);
                self.open(Shape::Indentless, line.column, first)?;
                self.item(line, line.start)
            }
            _ => {
                self.no_value();
                self.sibling(line)
            }
        }
    }

    fn awaited_node(&mut self, line: Line) -> Outcome<()> {
        self.awaited = Awaited::Nothing;
        self.node(line, line.start, false)
    }

    /// Closes collections that end before this column and continues the one there.
    fn sibling(&mut self, line: Line) -> Outcome<()> {
        let dash = self.cursor.is_dash(line.start, line.end);
        while let Some(&level) = self.levels.last() {
            let ends = level.column > line.column
                || (level.column == line.column && level.shape == Shape::Indentless && !dash);
            if !ends {
                break;
            }
            self.levels.pop();
            self.close(level);
        }
        match self.levels.last() {
            Some(level) if level.column == line.column => match (level.shape, dash) {
                (Shape::Mapping, false) => {
                    let key = self.key(line.start, line.end)?.ok_or(Stop::Declined)?;
                    self.entry(line, key)
                }
                (Shape::Sequence | Shape::Indentless, true) => self.item(line, line.start),
                _ => Err(Stop::Declined),
            },
            _ => Err(Stop::Declined),
        }
    }

    fn open(&mut self, shape: Shape, column: usize, offset: usize) -> Outcome<()> {
        let kind = if shape == Shape::Mapping { Kind::Mapping } else { Kind::Sequence };
        self.builder.open(kind, offset);
        // The event parser reports documents that are too deep.
        if self.builder.depth() > MAX_DEPTH {
            return Err(Stop::Declined);
        }
        self.levels.push(Level { column, shape, last_key: (0, 0), ascending: true });
        Ok(())
    }

    /// Reads a node where a block collection may begin; `inline` after a dash on the same line.
    fn node(&mut self, line: Line, at: usize, inline: bool) -> Outcome<()> {
        let column = line.column + (at - line.start);
        if self.cursor.is_dash(at, line.end) {
            self.open(Shape::Sequence, column, at)?;
            return self.item(line, at);
        }
        if let Some(key) = self.key(at, line.end)? {
            self.open(Shape::Mapping, column, at)?;
            return self.entry(line, key);
        }
        self.scalar(line, at, inline)
    }

    /// Reads the item after a dash. Recursion is bounded, because [`Self::open`] limits the depth.
    fn item(&mut self, line: Line, dash: usize) -> Outcome<()> {
        let at = self.cursor.behind_spaces(dash + 1, line.end);
        match self.cursor.byte_before(at, line.end) {
            None => {
                self.awaited = Awaited::Item { at };
                Ok(())
            }
            Some(b'#' | b'\t') => Err(Stop::Declined),
            Some(_) => self.node(line, at, true),
        }
    }

    /// Reads the value of a key on the same line.
    fn entry(&mut self, line: Line, key: Key) -> Outcome<()> {
        self.push_key(&key);
        let at = self.cursor.behind_spaces(key.colon + 1, line.end);
        match self.cursor.byte_before(at, line.end) {
            None | Some(b'#') => {
                self.awaited = Awaited::Value { colon: key.colon };
                Ok(())
            }
            Some(b'\t') => Err(Stop::Declined),
            Some(_) => self.scalar(line, at, true),
        }
    }

    fn push_key(&mut self, key: &Key) {
        let text = self.text.get(key.value.clone()).unwrap_or_default();
        let kind = if key.quoted { Kind::String } else { plain_kind(text) };
        self.builder.borrowed(kind, key.offset, key.value.clone());
        let Some(level) = self.levels.last_mut() else { return };
        let (start, end) = std::mem::replace(&mut level.last_key, (key.value.start, key.value.end));
        let first = end == 0;
        // A null key has no text to compare; the builder checks such mappings as a whole.
        level.ascending &= kind != Kind::Null && (first || self.text.get(start..end).is_some_and(|last| last < text));
    }

    /// Reads the key at an offset, if there is one.
    fn key(&self, at: usize, end: usize) -> Outcome<Option<Key>> {
        let found = match self.cursor.byte(at) {
            Some(quote @ (b'"' | b'\'')) => match self.cursor.quoted_on_line(at, end, quote) {
                Some(close) => {
                    let colon = self.cursor.behind_spaces(close + 1, end);
                    let key = Key { offset: at, value: at + 1..close, colon, quoted: true };
                    self.cursor.is_colon(colon, end).then_some(key)
                }
                None => None,
            },
            Some(first) if begins_plain(first, self.cursor.byte_before(at + 1, end)) => {
                self.cursor.colon(at, end)?.map(|colon| {
                    let stop = self.cursor.before_spaces(at, colon);
                    Key { offset: at, value: at..stop, colon, quoted: false }
                })
            }
            _ => None,
        };
        let Some(key) = found else { return Ok(None) };
        let decoded = key.quoted && self.cursor.holds_escape(&key.value, key.offset);
        let merges = !key.quoted && self.text.get(key.value.clone()) == Some(MERGE_KEY);
        if decoded || merges || key.colon - key.offset > MAX_KEY { Err(Stop::Declined) } else { Ok(Some(key)) }
    }
}

/// Key on one line.
#[derive(Clone, Debug)]
struct Key {
    /// Offset of its first byte, or quote.
    offset: usize,
    value: Range<usize>,
    colon: usize,
    quoted: bool,
}
