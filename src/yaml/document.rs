//! The text of one file with the tape of its documents.

use std::ops::Range;
use std::sync::OnceLock;

use super::masked_source;
use super::tape::{Kind, MAX_EXTENT, Raw, Tape};
use crate::model::secret::{self, Beginnings};

/// Distance in bytes between two entries of the line index, so a look-up counts line ends in at most this much text.
const LINE_STEP: usize = 4096;

/// Text of one file with the tape of its documents.
#[derive(Debug, Default)]
pub struct Document {
    pub(super) text: String,
    pub(super) tape: Tape,
    /// Number of line ends before every [`LINE_STEP`]th byte.
    lines: OnceLock<Vec<u32>>,
    /// Sorted.
    secrets: OnceLock<Vec<Range<usize>>>,
    /// Nodes with secrets inside of their value.
    masked: Vec<u32>,
}

impl Document {
    /// Creates a document from a text and the tape that a reader made from it.
    pub fn new(text: String, tape: Tape) -> Self {
        Self { text, tape, ..Self::default() }
    }

    /// Returns the text as read: invalid UTF-8 and control characters replaced, length unchanged.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the memory that text and tape take, in bytes.
    pub fn bytes(&self) -> usize {
        self.text.len() + self.tape.bytes()
    }

    /// Returns the 1-based line of a byte offset in [`Document::text`]; the first call builds an index.
    pub fn line_of(&self, offset: usize) -> u64 {
        let offset = offset.min(self.text.len());
        let index = self.lines.get_or_init(|| line_index(self.text.as_bytes()));
        let step = (offset / LINE_STEP).min(index.len().saturating_sub(1));
        let before = index.get(step).copied().unwrap_or(0);
        let rest = self.text.as_bytes().get(step * LINE_STEP..offset).unwrap_or_default();
        1 + u64::from(before) + memchr::memchr_iter(b'\n', rest).count() as u64
    }

    /// Returns the byte ranges of the text whose content must not be shown, sorted.
    pub fn secret_ranges(&self) -> Vec<Range<usize>> {
        self.secrets().to_vec()
    }

    pub(super) fn secrets(&self) -> &[Range<usize>] {
        self.secrets.get_or_init(|| {
            let secret = self.tape.nodes.iter().filter(|raw| raw.has(Raw::SECRET));
            let whole = secret.map(|raw| self.source_range(raw));
            let inside = self.masked.iter().flat_map(|index| self.masked_parts(*index));
            secret::merged(whole.chain(inside).collect())
        })
    }

    /// Returns the secrets inside of a scalar, as they stand in the text.
    fn masked_parts(&self, index: u32) -> Vec<Range<usize>> {
        let place = self.tape.nodes.get(index as usize).map_or(0..0, |raw| self.source_range(raw));
        let parts = masked_source::ranges(self.text.get(place.clone()).unwrap_or_default());
        parts.into_iter().map(|part| place.start + part.start..place.start + part.end).collect()
    }

    pub(super) fn source_range(&self, raw: &Raw) -> Range<usize> {
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

    /// Removes bytes from the end of a scalar's value.
    pub(super) fn shorten(&mut self, index: u32, by: u32) {
        let raw = self.raw_mut(index);
        if raw.kind().is_scalar() {
            raw.set_extent(raw.extent().saturating_sub(by));
        }
    }

    /// Replaces the value of a scalar; its place in the text stays the same.
    pub(super) fn replace(&mut self, index: u32, value: &str) {
        let (start, end) = (self.tape.arena.len(), self.source_range(&self.tape.nodes[index as usize]).end);
        let in_arena = start.checked_add(value.len()).is_some_and(|end| u32::try_from(end).is_ok());
        let fits = in_arena && value.len() < MAX_EXTENT;
        // If there is no memory for the new value, the old one must still go.
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

    /// Like [`Document::replace`], by the value with its secrets masked.
    pub(super) fn replace_masked(&mut self, index: u32, value: &str) {
        self.secrets.take();
        self.masked.push(index);
        self.replace(index, value);
    }

    /// Returns the text that holds the value of a scalar, its place there, and where secrets may begin in it: in the
    /// text, or in the arena.
    pub(super) fn home_of<'b>(
        &self,
        index: u32,
        beginnings: &'b [Beginnings; 2],
    ) -> (&str, Range<usize>, &'b Beginnings) {
        let raw = &self.tape.nodes[index as usize];
        let [in_text, in_arena] = beginnings;
        if raw.has(Raw::IN_ARENA) {
            (&self.tape.arena, raw.value_range(), in_arena)
        } else {
            (&self.text, raw.value_range(), in_text)
        }
    }

    /// Masks a scalar in every output.
    pub(super) fn mark_secret(&mut self, index: u32) {
        self.secrets.take();
        self.raw_mut(index).add(Raw::SECRET);
    }

    /// Hides an entry of a mapping.
    pub(super) fn hide_entry(&mut self, mapping: u32, key: u32) {
        if !self.raw_mut(key).has(Raw::HIDDEN) {
            self.raw_mut(key).add(Raw::HIDDEN);
            let mapping = self.raw_mut(mapping);
            mapping.value = mapping.value.saturating_sub(1);
        }
    }

    /// Turns a mapping into the list of its values.
    pub(super) fn make_sequence(&mut self, mapping: u32) {
        let raw = self.raw_mut(mapping);
        if raw.kind() == Kind::Mapping {
            raw.set_kind(Kind::Sequence);
            raw.add(Raw::KEYED);
        }
    }
}
