//! Block YAML as Go's writers print it, in one pass over lines, straight onto the tape.
//!
//! What it does not fully understand it declines: from the beginning of that document on the event parser ([`full`]) reads the
//! text. So every text gives the tape that [`full`] alone would give, which differential tests and a fuzz target compare node by
//! node. It understands block mappings and sequences, plain and quoted scalars, also over several lines, literal and folded blocks, flow
//! collections on one line, comments and `---`; not anchors, aliases, tags, directives, flow collections over several lines, explicit keys,
//! tabs as white space, or line ends with carriage returns. None of 1,100 dumps of real clusters holds any of these.
//!
//! Where a quoted or plain scalar goes on, [`scalar`] decodes it; everything else stays in the text.

mod cursor;
mod flow;
mod scalar;

use std::ops::Range;

use super::Problem;
use super::builder::Builder;
use super::full;
use super::scalar::plain_kind;
use super::tape::{Kind, MAX_DEPTH, Tape};
use cursor::{Cursor, Line};

/// A key of more bytes is for the event parser, which refuses it beyond 1024 characters.
const MAX_KEY: usize = 1000;

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Reads every document of a text; a broken one is left out with a problem. Text and tape take at most `room` bytes of memory.
pub fn read(text: &str, room: u64) -> (Tape, Vec<Problem>) {
    full::whole(text, room, part)
}

/// Reads every document of a part of a text, which begins on a line (1-based), as [`full::part`] does.
pub(super) fn part<'t>(
    builder: &mut Builder<'t>,
    text: &'t str,
    (part, line): (Range<usize>, u64),
    alias_budget: &mut usize,
) -> Vec<Problem> {
    let line_at = |at: usize| {
        let before = text.as_bytes().get(part.start..at).unwrap_or_default();
        line + memchr::memchr_iter(b'\n', before).count() as u64
    };
    let bytes = text.as_bytes().get(part.clone()).unwrap_or_default();
    if bytes.starts_with(BYTE_ORDER_MARK) || memchr::memchr(b'\r', bytes).is_some() {
        return full::part(builder, text, (part, line), alias_budget);
    }
    let mut problems = Vec::new();
    let mut at = part.start;
    loop {
        let mut reader = Reader::new(text, at..part.end, builder);
        match reader.document() {
            Ok(true) => at = reader.cursor.at(),
            Ok(false) => return problems,
            Err(Stop::Full { at: full }) => {
                let behind = reader.cursor.behind_document();
                builder.abandon();
                problems.push(Problem::memory(line_at(full)));
                if full::too_many(&mut problems) {
                    return problems;
                }
                at = behind;
            }
            Err(Stop::Declined) => {
                builder.abandon();
                problems.extend(full::part(builder, text, (at..part.end, line_at(at)), alias_budget));
                return problems;
            }
        }
    }
}

/// Why a document is not read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    /// It holds something that this reader does not know.
    Declined,
    /// The builder has no room for what stands at this place.
    Full { at: usize },
}

type Outcome<T> = Result<T, Stop>;

/// A block collection that is open.
#[derive(Clone, Copy, Debug)]
struct Level {
    /// Column of its keys or dashes.
    column: usize,
    shape: Shape,
    /// The key read last, and whether it and all before it ascend.
    last_key: (usize, usize),
    ascending: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Mapping,
    Sequence,
    /// A sequence as the value of a key in the same column.
    Indentless,
}

/// Which node the next line may bring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Awaited {
    /// The root of a document, behind `---` or not.
    Root { marked: bool },
    /// The value of a key whose colon stands there.
    Value { colon: usize },
    /// An item whose dash and blanks end there.
    Item { at: usize },
    /// None; another entry or item.
    Nothing,
}

struct Reader<'t, 'b> {
    text: &'t str,
    cursor: Cursor<'t>,
    builder: &'b mut Builder<'t>,
    levels: Vec<Level>,
    awaited: Awaited,
    /// Where a scalar is decoded that does not stand in the text as it is.
    decoded: String,
}

impl<'t, 'b> Reader<'t, 'b> {
    fn new(text: &'t str, part: Range<usize>, builder: &'b mut Builder<'t>) -> Self {
        let cursor = Cursor::new(text.as_bytes().get(..part.end).unwrap_or_default(), part.start);
        let awaited = Awaited::Root { marked: false };
        Self { text, cursor, builder, levels: Vec::new(), awaited, decoded: String::new() }
    }

    /// Reads one document up to the next; false if there is none any more.
    fn document(&mut self) -> Outcome<bool> {
        self.builder.begin();
        while let Some(line) = self.cursor.next_content()? {
            if line.column == 0 && self.cursor.is_marker(line.start) {
                // What may follow `...`, and where it ends, is for the event parser.
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

    /// Takes `---`; nothing may stand behind it.
    fn marker(&mut self, line: Line) -> Outcome<()> {
        self.cursor.only_blanks(line.start + 3, line.end)?;
        self.awaited = Awaited::Root { marked: true };
        Ok(())
    }

    /// Ends what is still open, and with it the document.
    fn finish(&mut self) -> Outcome<bool> {
        self.no_value();
        while let Some(level) = self.levels.pop() {
            self.close(level);
        }
        self.has_room(self.cursor.at())?;
        Ok(true)
    }

    /// What was awaited is not there: null.
    fn no_value(&mut self) {
        match std::mem::replace(&mut self.awaited, Awaited::Nothing) {
            Awaited::Value { colon: at } | Awaited::Item { at } => self.builder.borrowed(Kind::Null, at, at..at),
            Awaited::Root { .. } | Awaited::Nothing => {}
        }
    }

    fn close(&mut self, level: Level) {
        if level.ascending { self.builder.close_distinct() } else { self.builder.close() }
    }

    /// A line with something on it: a node that was awaited, or the next entry or item of a collection.
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

    /// Closes what ends before this column and goes on with the collection there.
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
        // How deep is too deep, and on which line, says the event parser.
        if self.builder.depth() > MAX_DEPTH {
            return Err(Stop::Declined);
        }
        self.levels.push(Level { column, shape, last_key: (0, 0), ascending: true });
        Ok(())
    }

    /// A node at a place where block collections may begin; `inline` behind a dash on the same line.
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

    /// Behind the dash at a place. Recursion ends because [`Self::open`] bounds the depth.
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

    /// The value of a key, as far as it stands on the same line.
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
        // A null key has no text to compare; the builder looks at such mappings whole.
        level.ascending &= kind != Kind::Null && (first || self.text.get(start..end).is_some_and(|last| last < text));
    }

    /// The key at a place, if what stands there is one.
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
            Some(first) if scalar::begins_plain(first, self.cursor.byte_before(at + 1, end)) => {
                self.cursor.colon(at, end)?.map(|colon| {
                    let stop = self.cursor.before_spaces(at, colon);
                    Key { offset: at, value: at..stop, colon, quoted: false }
                })
            }
            _ => None,
        };
        let Some(key) = found else { return Ok(None) };
        let decoded = key.quoted && self.cursor.holds_escape(&key.value, key.offset);
        if decoded || key.colon - key.offset > MAX_KEY { Err(Stop::Declined) } else { Ok(Some(key)) }
    }
}

/// A key on one line.
#[derive(Clone, Debug)]
struct Key {
    /// Of its first byte, or quote.
    offset: usize,
    value: Range<usize>,
    colon: usize,
    quoted: bool,
}

#[cfg(test)]
pub(super) mod tests;
