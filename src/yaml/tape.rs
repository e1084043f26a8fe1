//! The tape that every reader fills and everyone else walks, and the [`Document`] that owns it.

use std::ops::Range;
use std::sync::OnceLock;

use super::{Builder, Node};

/// Nodes nest at most so deep; readers refuse deeper documents, so walks may recurse.
pub const MAX_DEPTH: usize = 128;

/// A tape holds less nodes than this (400 MB of them), and a value less bytes; readers refuse what would need more.
pub const MAX_EXTENT: usize = 1 << 25;

/// Distance in bytes between two entries of the line index: a look-up counts line ends in at most so much text.
const LINE_STEP: usize = 4096;

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Absent by YAML (`null`, `~`, nothing) or by the collector's habits ([`super::normalise`]).
    Null,
    Bool,
    /// Integer or float; see [`Node::as_i64`] and [`Node::as_f64`].
    Number,
    String,
    Sequence,
    Mapping,
}

impl Kind {
    /// Whether it is neither a sequence nor a mapping.
    pub fn is_scalar(self) -> bool {
        !matches!(self, Self::Sequence | Self::Mapping)
    }
}

/// One node on the tape, 12 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Raw {
    /// Offset in the text of the node's first byte (of its opening quote).
    pub offset: u32,
    /// Scalars: start of the value, in the text or, with [`Raw::IN_ARENA`], in the arena.
    /// Collections: number of children (entries of a mapping, items of a sequence).
    pub value: u32,
    /// From the lowest bit: extent (25 bits), flags (4), kind (3).
    packed: u32,
}

impl Raw {
    /// The value stands in the arena.
    pub const IN_ARENA: u32 = 1 << 25;
    /// The value is masked in every output.
    pub const SECRET: u32 = 1 << 26;
    /// On a key: the entry is skipped by every walk.
    pub const HIDDEN: u32 = 1 << 27;
    /// On a sequence that was a mapping: its items are the values, the keys are skipped.
    pub const KEYED: u32 = 1 << 28;
    const KIND_SHIFT: u32 = 29;
    const EXTENT: u32 = MAX_EXTENT as u32 - 1;

    /// A node without flags, whose extent is below [`MAX_EXTENT`].
    pub fn new(kind: Kind, offset: usize, value: u32, extent: u32) -> Self {
        Self { offset: offset as u32, value, packed: (kind as u32) << Self::KIND_SHIFT | extent & Self::EXTENT }
    }

    pub fn kind(&self) -> Kind {
        match self.packed >> Self::KIND_SHIFT {
            0 => Kind::Null,
            1 => Kind::Bool,
            2 => Kind::Number,
            3 => Kind::String,
            4 => Kind::Sequence,
            _ => Kind::Mapping,
        }
    }

    pub fn set_kind(&mut self, kind: Kind) {
        self.packed = self.packed & !(7 << Self::KIND_SHIFT) | (kind as u32) << Self::KIND_SHIFT;
    }

    /// Scalars: length of the value. Collections: index behind the subtree.
    pub fn extent(&self) -> u32 {
        self.packed & Self::EXTENT
    }

    pub fn set_extent(&mut self, extent: u32) {
        self.packed = self.packed & !Self::EXTENT | extent & Self::EXTENT;
    }

    pub fn has(&self, flag: u32) -> bool {
        self.packed & flag != 0
    }

    pub fn add(&mut self, flag: u32) {
        self.packed |= flag;
    }

    /// Where the value of a scalar stands, in the text or in the arena.
    pub fn value_range(&self) -> Range<usize> {
        self.value as usize..self.value as usize + self.extent() as usize
    }
}

/// The nodes of a file without its text.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Tape {
    pub(super) arena: String,
    /// For each value in the arena its start there and the end of its source in the text.
    pub(super) arena_ends: Vec<(u32, u32)>,
    pub(super) nodes: Vec<Raw>,
    pub(super) roots: Vec<u32>,
}

impl Tape {
    /// How many documents it holds.
    pub fn roots(&self) -> usize {
        self.roots.len()
    }

    /// Memory that it takes, without what is reserved for more.
    pub(super) fn bytes(&self) -> usize {
        self.arena_bytes() + self.nodes.len() * size_of::<Raw>()
    }

    /// Of that what values take that are not in the text.
    pub(super) fn arena_bytes(&self) -> usize {
        self.arena.len() + self.arena_ends.len() * size_of::<(u32, u32)>()
    }

    /// Index behind the subtree of a node.
    pub(super) fn end(&self, index: u32) -> u32 {
        let raw = &self.nodes[index as usize];
        if raw.kind().is_scalar() { index + 1 } else { raw.extent() }
    }
}

/// Why a document is not read for which a builder is full.
const TOO_LARGE: &str = "more values than there is memory for, or one of more than 32 MiB";

/// A document that cannot be read, or something in the text that had to be replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// 1-based.
    pub line: u64,
    pub message: String,
    kind: ProblemKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProblemKind {
    Mended,
    Lost,
    Memory,
}

impl Problem {
    /// Something that could not be read.
    pub fn lost(line: u64, message: impl Into<String>) -> Self {
        Self { line, message: message.into(), kind: ProblemKind::Lost }
    }

    /// A document that was not read because its builder was full.
    pub fn memory(line: u64) -> Self {
        Self { line, message: TOO_LARGE.to_owned(), kind: ProblemKind::Memory }
    }

    /// Something that was mended; everything was read.
    pub fn mended(line: u64, message: impl Into<String>) -> Self {
        Self { line, message: message.into(), kind: ProblemKind::Mended }
    }

    /// Whether a part of the text was not read because of it.
    pub fn is_lost(&self) -> bool {
        self.kind != ProblemKind::Mended
    }

    /// Whether there was no memory for what the text holds.
    pub fn is_memory(&self) -> bool {
        self.kind == ProblemKind::Memory
    }
}

/// The text of one file with the tape of its documents.
#[derive(Debug, Default)]
pub struct Document {
    text: String,
    pub(super) tape: Tape,
    /// Line ends before every [`LINE_STEP`]th byte.
    lines: OnceLock<Vec<u32>>,
    /// Sorted.
    secrets: OnceLock<Vec<Range<usize>>>,
}

impl Document {
    /// The text of a file with the tape that a reader made from it.
    pub fn new(text: String, tape: Tape) -> Self {
        Self { text, tape, ..Self::default() }
    }

    /// A text with the one document that `fill` makes of it; without any when it holds more than a tape can.
    pub(super) fn filled(text: String, fill: impl FnOnce(&mut Builder<'_>, &str)) -> Self {
        let mut builder = Builder::new(&text);
        builder.begin();
        fill(&mut builder, &text);
        if builder.is_full() {
            builder.abandon();
        }
        let tape = builder.finish();
        Self::new(text, tape)
    }

    /// The same text with the documents that `fill` makes of this one; it begins each of them. Text and tape take at most
    /// `room` bytes of memory.
    pub fn rebuilt(self, room: u64, fill: impl FnOnce(&Self, &mut Builder<'_>)) -> Self {
        let mut builder = Builder::new(&self.text).within(room);
        fill(&self, &mut builder);
        let tape = builder.finish();
        Self::new(self.text, tape)
    }

    /// The roots of the documents in the file, in order.
    pub fn roots(&self) -> impl Iterator<Item = Node<'_>> {
        self.tape.roots.iter().map(|&index| Node::new(self, index))
    }

    /// The node of that index ([`Node::index`]).
    ///
    /// # Panics
    /// If the index is not one of this document's nodes.
    pub fn node(&self, index: u32) -> Node<'_> {
        assert!((index as usize) < self.tape.nodes.len(), "node index out of range");
        Node::new(self, index)
    }

    /// The text as read: invalid UTF-8 and control characters replaced, length unchanged.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Memory that text and tape take, in bytes.
    pub fn bytes(&self) -> usize {
        self.text.len() + self.tape.bytes()
    }

    /// 1-based line of a byte offset in [`Document::text`]; the first call builds an index.
    pub fn line_of(&self, offset: usize) -> u64 {
        let offset = offset.min(self.text.len());
        let index = self.lines.get_or_init(|| line_index(self.text.as_bytes()));
        let step = (offset / LINE_STEP).min(index.len().saturating_sub(1));
        let before = index.get(step).copied().unwrap_or(0);
        let rest = self.text.as_bytes().get(step * LINE_STEP..offset).unwrap_or_default();
        1 + u64::from(before) + memchr::memchr_iter(b'\n', rest).count() as u64
    }

    /// Byte ranges of the text whose content must not be shown, sorted.
    pub fn secret_ranges(&self) -> Vec<Range<usize>> {
        self.secrets().to_vec()
    }

    pub(super) fn secrets(&self) -> &[Range<usize>] {
        self.secrets.get_or_init(|| {
            let secret = self.tape.nodes.iter().filter(|raw| raw.has(Raw::SECRET));
            let mut ranges: Vec<_> = secret.map(|raw| self.source_range(raw)).collect();
            ranges.sort_unstable_by_key(|r| (r.start, r.end));
            ranges.dedup();
            ranges
        })
    }

    /// Where a scalar stands in the text, its quotes included.
    pub fn source_of(&self, node: Node<'_>) -> Range<usize> {
        self.tape.nodes.get(node.index() as usize).map_or(0..0, |raw| self.source_range(raw))
    }

    fn source_range(&self, raw: &Raw) -> Range<usize> {
        let start = raw.offset as usize;
        if !raw.has(Raw::IN_ARENA) {
            let end = raw.value_range().end.max(start);
            let byte = |at: usize| self.text.as_bytes().get(at).filter(|b| matches!(b, b'"' | b'\''));
            let quoted = byte(start).is_some() && byte(start) == byte(end);
            return start..end + usize::from(quoted);
        }
        if raw.extent() == 0 {
            return start..start;
        }
        let found = self.tape.arena_ends.binary_search_by_key(&raw.value, |&(at, _)| at).ok();
        let end = found.and_then(|at| self.tape.arena_ends.get(at)).map_or(start, |&(_, end)| end as usize);
        start..end.max(start)
    }
}

fn line_index(text: &[u8]) -> Vec<u32> {
    let mut ends = 0;
    text.chunks(LINE_STEP)
        .map(|chunk| {
            let before = ends;
            ends += memchr::memchr_iter(b'\n', chunk).count() as u32;
            before
        })
        .collect()
}

/// Access for [`super::normalise`], which changes nodes in place without moving any.
impl Document {
    fn raw_mut(&mut self, index: u32) -> &mut Raw {
        &mut self.tape.nodes[index as usize]
    }

    /// Makes a scalar absent.
    pub(super) fn make_null(&mut self, index: u32) {
        let raw = self.raw_mut(index);
        if raw.kind().is_scalar() {
            raw.set_kind(Kind::Null);
        }
    }

    /// Takes bytes off the end of a scalar's value.
    pub(super) fn shorten(&mut self, index: u32, by: u32) {
        let raw = self.raw_mut(index);
        if raw.kind().is_scalar() {
            raw.set_extent(raw.extent().saturating_sub(by));
        }
    }

    /// Gives a scalar another value; its place in the text stays the same.
    pub(super) fn replace(&mut self, index: u32, value: &str) {
        let (start, end) = (self.tape.arena.len(), self.source_range(&self.tape.nodes[index as usize]).end);
        let in_arena = start.checked_add(value.len()).is_some_and(|end| u32::try_from(end).is_ok());
        let fits = in_arena && value.len() < MAX_EXTENT;
        // Without room for the new value the old one must not stay either.
        let value = if fits { value } else { "" };
        let raw = self.raw_mut(index);
        raw.value = if fits { start as u32 } else { 0 };
        raw.set_extent(value.len() as u32);
        raw.add(Raw::IN_ARENA);
        if !value.is_empty() {
            self.tape.arena.push_str(value);
            self.tape.arena_ends.push((start as u32, end as u32));
        }
    }

    /// Masks a scalar in every output.
    pub(super) fn mark_secret(&mut self, index: u32) {
        self.secrets.take();
        self.raw_mut(index).add(Raw::SECRET);
    }

    /// Takes an entry out of a mapping; nothing reaches it any more.
    pub(super) fn hide_entry(&mut self, mapping: u32, key: u32) {
        if !self.raw_mut(key).has(Raw::HIDDEN) {
            self.raw_mut(key).add(Raw::HIDDEN);
            let mapping = self.raw_mut(mapping);
            mapping.value = mapping.value.saturating_sub(1);
        }
    }

    /// Lets a mapping read as the list of its values.
    pub(super) fn make_sequence(&mut self, mapping: u32) {
        let raw = self.raw_mut(mapping);
        if raw.kind() == Kind::Mapping {
            raw.set_kind(Kind::Sequence);
            raw.add(Raw::KEYED);
        }
    }
}
