//! Builder of tapes, used by all readers; it writes from front to back.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;

use super::document::Document;
use super::node::Node;
use super::tape::{Kind, MAX_DEPTH, MAX_EXTENT, Raw, Repeated, Tape};
use crate::model::message::DocumentProblem;
use crate::model::secret;

/// Fills a tape; each document begins with [`Builder::begin`].
#[derive(Debug)]
pub struct Builder<'t> {
    text: &'t str,
    tape: Tape,
    open: Vec<Open>,
    /// State of the tape when the current document began.
    begun: Begun,
    /// Maximum number of bytes for the tape.
    room: usize,
    /// Maximum number of nodes, given the size of the arena; checked for each node.
    most_nodes: usize,
    full: bool,
}

/// Open collection.
#[derive(Debug)]
struct Open {
    index: u32,
    children: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Begun {
    nodes: usize,
    roots: usize,
    arena: usize,
    arena_ends: usize,
    repeated: Option<Repeated>,
}

/// Reason why a subtree cannot be copied in place of an alias.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyError {
    Cycle,
    TooMany,
    TooDeep,
}

impl From<CopyError> for DocumentProblem {
    fn from(error: CopyError) -> Self {
        match error {
            CopyError::Cycle => Self::AliasInItself,
            CopyError::TooMany => Self::TooManyAliases,
            CopyError::TooDeep => Self::AliasesTooDeep { levels: MAX_DEPTH },
        }
    }
}

impl<'t> Builder<'t> {
    /// Creates a builder over the text of a file.
    pub fn new(text: &'t str) -> Self {
        Self {
            text,
            tape: Tape::default(),
            open: Vec::new(),
            begun: Begun::default(),
            room: usize::MAX,
            most_nodes: MAX_EXTENT - 1,
            full: false,
        }
    }

    /// Limits text and tape to a number of bytes together.
    pub fn within(mut self, room: u64) -> Self {
        self.room = usize::try_from(room).unwrap_or(usize::MAX).saturating_sub(self.text.len());
        self.count_room();
        self
    }

    /// Returns the memory that text and tape take, in bytes.
    pub fn bytes(&self) -> u64 {
        (self.text.len() + self.tape.bytes()) as u64
    }

    /// Returns the number of open collections.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// Returns the kind of the collection opened last.
    pub fn innermost(&self) -> Option<Kind> {
        self.open.last().map(|open| self.tape.nodes[open.index as usize].kind())
    }

    /// Returns the node of the collection opened last.
    pub fn opened(&self) -> Option<u32> {
        self.open.last().map(|open| open.index)
    }

    /// Returns true if the next node is a key.
    pub fn expects_key(&self) -> bool {
        self.innermost() == Some(Kind::Mapping) && self.open.last().is_some_and(|open| open.children.is_multiple_of(2))
    }

    /// Returns true if something did not fit ([`Builder::within`], [`MAX_EXTENT`], 4 GiB of decoded text). The document must
    /// be abandoned then, with [`DocumentProblem::TooManyValues`] as the reason.
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// Returns the index of the next node.
    pub fn next_index(&self) -> u32 {
        self.tape.nodes.len() as u32
    }

    /// Begins a document.
    pub fn begin(&mut self) {
        self.open.clear();
        self.full = false;
        self.begun = Begun {
            nodes: self.tape.nodes.len(),
            roots: self.tape.roots.len(),
            arena: self.tape.arena.len(),
            arena_ends: self.tape.arena_ends.len(),
            repeated: self.tape.repeated,
        };
    }

    /// Removes the document begun last, because it is unreadable.
    pub fn abandon(&mut self) {
        self.open.clear();
        self.tape.nodes.truncate(self.begun.nodes);
        self.tape.roots.truncate(self.begun.roots);
        self.tape.arena.truncate(self.begun.arena);
        self.tape.arena_ends.truncate(self.begun.arena_ends);
        self.tape.repeated = self.begun.repeated;
        self.count_room();
    }

    /// Updates the limit after the arena has changed.
    fn count_room(&mut self) {
        let nodes = self.room.saturating_sub(self.tape.arena_bytes()) / size_of::<Raw>();
        self.most_nodes = nodes.min(MAX_EXTENT - 1);
    }

    fn has_room(&self, nodes: usize) -> bool {
        self.tape.nodes.len() + nodes <= self.most_nodes
    }

    fn push(&mut self, raw: Raw) {
        if !self.has_room(1) {
            self.full = true;
            return;
        }
        let index = self.next_index();
        match self.open.last_mut() {
            Some(open) => open.children += 1,
            None => self.tape.roots.push(index),
        }
        self.tape.nodes.push(raw);
    }

    /// Adds a scalar whose value is in the text unchanged.
    pub fn borrowed(&mut self, kind: Kind, offset: usize, value: Range<usize>) {
        let extent = value.len() as u32;
        self.full |= value.len() >= MAX_EXTENT;
        self.push(Raw::new(kind, offset, value.start as u32, extent));
    }

    /// Adds a scalar whose value had to be decoded; `source` is its place in the text.
    pub fn owned(&mut self, kind: Kind, source: Range<usize>, value: &str) {
        let start = self.tape.arena.len();
        if start + value.len() > u32::MAX as usize || value.len() >= MAX_EXTENT {
            self.full = true;
            return;
        }
        if !value.is_empty() {
            self.tape.arena.push_str(value);
            self.tape.arena_ends.push((start as u32, source.end as u32));
            self.count_room();
        }
        let extent = value.len() as u32;
        let mut raw = Raw::new(kind, source.start, start as u32, extent);
        raw.add(Raw::IN_ARENA);
        self.push(raw);
    }

    /// Opens a mapping or a sequence.
    pub fn open(&mut self, kind: Kind, offset: usize) {
        let index = self.next_index();
        self.push(Raw::new(kind, offset, 0, index + 1));
        if !self.full {
            self.open.push(Open { index, children: 0 });
        }
    }

    /// Closes the collection opened last.
    pub fn close(&mut self) {
        if let Some((index, Kind::Mapping)) = self.close_last() {
            self.hide_repeated_keys(index, self.next_index());
        }
    }

    /// Closes the collection opened last, which has no repeated keys.
    pub fn close_distinct(&mut self) {
        self.close_last();
    }

    fn close_last(&mut self) -> Option<(u32, Kind)> {
        let Open { index, children } = self.open.pop()?;
        let end = self.next_index();
        if children == 1 && self.hide_bracketed(index) {
            return Some((index, Kind::String));
        }
        let raw = &mut self.tape.nodes[index as usize];
        raw.set_extent(end);
        raw.value = if raw.kind() == Kind::Mapping { children / 2 } else { children };
        Some((index, raw.kind()))
    }

    /// Makes a text of a sequence that is `[REDACTED]`, which somebody wrote over a value without quotes.
    fn hide_bracketed(&mut self, sequence: u32) -> bool {
        let item = self.tape.nodes.get(sequence as usize + 1).filter(|raw| raw.kind() == Kind::String);
        let Some(item) = item.filter(|raw| !raw.has(Raw::IN_ARENA)).map(Raw::value_range) else { return false };
        let whole = item.start.saturating_sub(1)..item.end + 1;
        let text = self.text.get(whole.clone()).unwrap_or_default();
        let is_hidden = text.starts_with('[') && text.ends_with(']') && secret::is_withheld(text);
        if is_hidden {
            self.tape.nodes.truncate(sequence as usize);
            let extent = whole.len() as u32;
            self.tape.nodes.push(Raw::new(Kind::String, whole.start, whole.start as u32, extent));
        }
        is_hidden
    }

    /// Copies the subtree at `index` (of the current document) to the end, as an alias does; `budget` is the number of
    /// nodes that may still be copied.
    ///
    /// # Errors
    /// The document must be abandoned then.
    pub fn copy(&mut self, index: u32, budget: &mut usize) -> Result<(), CopyError> {
        if self.open.iter().any(|open| open.index == index) {
            return Err(CopyError::Cycle);
        }
        let end = self.tape.end(index);
        let size = (end - index) as usize;
        *budget = budget.checked_sub(size).ok_or(CopyError::TooMany)?;
        if self.depth() + self.height(index, end) > MAX_DEPTH {
            return Err(CopyError::TooDeep);
        }
        if !self.has_room(size) {
            return Err(CopyError::TooMany);
        }
        let moved = self.next_index() - index;
        for at in index..end {
            let mut raw = self.tape.nodes[at as usize];
            if !raw.kind().is_scalar() {
                raw.set_extent(raw.extent() + moved);
            }
            if at == index { self.push(raw) } else { self.tape.nodes.push(raw) }
        }
        Ok(())
    }

    /// Adds to the open mapping the entries of the mapping, or of the list of mappings, behind its merge key (YAML 1.1): those
    /// whose keys it does not have yet, the first of a list before the others.
    ///
    /// # Errors
    /// As [`Builder::copy`].
    pub fn merge(&mut self, merge_key: u32, budget: &mut usize) -> Result<(), CopyError> {
        let Some(mapping) = self.opened() else { return Ok(()) };
        let value = self.tape.end(merge_key);
        let mut keys = self.key_texts(mapping, self.next_index());
        // Many merge keys in one large mapping would cost the square of it.
        *budget = budget.checked_sub(keys.len()).ok_or(CopyError::TooMany)?;
        for source in self.merged(value) {
            for (text, key) in self.key_texts(source, self.tape.end(source)) {
                if let Entry::Vacant(entry) = keys.entry(text) {
                    entry.insert(key);
                    self.copy(key, budget)?;
                    self.copy(self.tape.end(key), budget)?;
                }
            }
        }
        Ok(())
    }

    /// Returns the mappings that a value of a merge key stands for.
    fn merged(&self, value: u32) -> Vec<u32> {
        let kind = |index: u32| self.tape.nodes.get(index as usize).map(|raw| raw.kind());
        let mut mappings: Vec<u32> = match kind(value) {
            Some(Kind::Mapping) => vec![value],
            Some(Kind::Sequence) => {
                let end = self.tape.end(value);
                std::iter::successors(Some(value + 1), |item| Some(self.tape.end(*item)))
                    .take_while(|at| *at < end)
                    .collect()
            }
            _ => Vec::new(),
        };
        mappings.retain(|index| kind(*index) == Some(Kind::Mapping));
        mappings
    }

    /// Returns the keys of a mapping, whose nodes end at `end`.
    fn key_texts(&self, mapping: u32, end: u32) -> BTreeMap<String, u32> {
        let mut keys = BTreeMap::new();
        let mut at = mapping + 1;
        while at < end {
            keys.extend(self.key_text(at).map(|text| (text.to_owned(), at)));
            at = self.behind_entry(at, end);
        }
        keys
    }

    /// Copies a subtree of another tape over the same text, before normalisation. The reader has bounded
    /// its depth.
    pub fn graft(&mut self, node: Node<'_>) {
        match node.kind() {
            Kind::Mapping => {
                self.open(Kind::Mapping, node.offset());
                for (key, value) in node.entry_nodes() {
                    self.graft(key);
                    self.graft(value);
                }
                self.close();
            }
            Kind::Sequence => {
                self.open(Kind::Sequence, node.offset());
                node.items().for_each(|item| self.graft(item));
                self.close();
            }
            kind => match node.in_text() {
                Some(value) => self.borrowed(kind, node.offset(), value),
                None => self.owned(kind, node.document().source_of(node), node.text()),
            },
        }
    }

    /// Returns the depth of a subtree.
    fn height(&self, index: u32, end: u32) -> usize {
        let mut ends: Vec<u32> = Vec::new();
        let mut height = 0;
        for at in index..end {
            while ends.last().is_some_and(|&end| end <= at) {
                ends.pop();
            }
            if !self.tape.nodes[at as usize].kind().is_scalar() {
                ends.push(self.tape.end(at));
                height = height.max(ends.len());
            }
        }
        height
    }

    /// Hides repeated keys: the last entry counts, as in Go's readers. Keys that a collector made equal stay, and so do their values.
    fn hide_repeated_keys(&mut self, mapping: u32, end: u32) {
        if self.keys_ascend(mapping, end) {
            return;
        }
        // JSON of Go's structs is in field order; sorting a few borrowed texts costs a tenth of a map with owned texts.
        let mut keys = Vec::new();
        let mut at = mapping + 1;
        while at < end {
            keys.extend(self.key_text(at).map(|text| (text, at)));
            at = self.behind_entry(at, end);
        }
        keys.sort_unstable();
        let is_repeated = |pair: &&[(&str, u32)]| pair[0].0 == pair[1].0 && !secret::hides_part(pair[0].0);
        let repeated: Vec<u32> = keys.windows(2).filter(is_repeated).map(|pair| pair[0].1).collect();
        for key in &repeated {
            self.tape.nodes[*key as usize].add(Raw::HIDDEN);
        }
        self.tape.nodes[mapping as usize].value -= repeated.len() as u32;
        for key in repeated {
            let known = self.tape.repeated.get_or_insert(Repeated { first: key, count: 0 });
            known.first = known.first.min(key);
            known.count += 1;
        }
    }

    /// Returns true if the keys ascend, so that none is repeated; true for nearly all dumps.
    fn keys_ascend(&self, mapping: u32, end: u32) -> bool {
        let mut before: Option<&str> = None;
        let mut at = mapping + 1;
        while at < end {
            let Some(key) = self.key_text(at) else { return false };
            if before.is_some_and(|before| before >= key) {
                return false;
            }
            before = Some(key);
            at = self.behind_entry(at, end);
        }
        true
    }

    fn behind_entry(&self, key: u32, end: u32) -> u32 {
        let value = self.tape.end(key);
        if value < end { self.tape.end(value) } else { end }
    }

    /// Returns the text of a scalar key.
    fn key_text(&self, index: u32) -> Option<&str> {
        let raw = self.tape.nodes.get(index as usize)?;
        if matches!(raw.kind(), Kind::Null | Kind::Sequence | Kind::Mapping) {
            return None;
        }
        let home = if raw.has(Raw::IN_ARENA) { &self.tape.arena } else { self.text };
        home.get(raw.value_range())
    }

    /// Finishes a document that was made, not read: its nodes have values but no places in a text.
    pub fn made(self) -> Document {
        Document::new(String::new(), self.finish())
    }

    /// Returns the finished tape.
    pub fn finish(mut self) -> Tape {
        if !self.open.is_empty() {
            self.abandon();
        }
        self.tape.nodes.shrink_to_fit();
        self.tape.arena.shrink_to_fit();
        self.tape
    }
}

impl Document {
    /// Creates one document with `fill`; none if it does not fit on a tape.
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

    /// Replaces the documents by those that `fill` makes of them; `fill` begins each one. Text and tape take at most
    /// `room` bytes of memory.
    pub fn rebuilt(self, room: u64, fill: impl FnOnce(&Self, &mut Builder<'_>)) -> Self {
        let mut builder = Builder::new(&self.text).within(room);
        fill(&self, &mut builder);
        let tape = builder.finish();
        Self::new(self.text, tape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested() -> Builder<'static> {
        let mut builder = Builder::new("ab");
        builder.begin();
        builder.open(Kind::Sequence, 0);
        builder.open(Kind::Sequence, 0);
        builder.borrowed(Kind::String, 0, 0..1);
        builder.close();
        builder
    }

    #[test]
    fn a_copy_counts_as_one_child_and_keeps_its_shape() {
        let mut builder = nested();
        let mut budget = 2;
        assert_eq!(builder.copy(1, &mut budget), Ok(()));
        builder.close();
        let tape = builder.finish();
        assert_eq!((tape.nodes[0].value, tape.nodes[0].extent()), (2, 5));
        assert_eq!(tape.nodes[3].extent(), 5);
        assert_eq!(budget, 0);
    }

    #[test]
    fn copies_are_bounded() {
        assert_eq!(nested().copy(1, &mut 1), Err(CopyError::TooMany));
        assert_eq!(nested().copy(0, &mut 10), Err(CopyError::Cycle));
        let mut deep = nested();
        for _ in deep.depth()..MAX_DEPTH {
            deep.open(Kind::Sequence, 0);
        }
        assert_eq!(deep.copy(1, &mut 10), Err(CopyError::TooDeep));
    }

    #[test]
    fn an_unfinished_document_leaves_nothing() {
        let tape = nested().finish();
        assert_eq!((tape.nodes.len(), tape.roots()), (0, 0));
    }
}
