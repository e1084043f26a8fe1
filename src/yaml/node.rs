//! A [`Node`] of a document, the interface for all other modules.

use std::borrow::Cow;
use std::ops::Range;

use super::document::Document;
use super::scalar::parse_number;
use super::tape::{Kind, Raw};

/// A node of a document; cheap to copy.
#[derive(Clone, Copy)]
pub struct Node<'a> {
    document: &'a Document,
    index: u32,
}

impl std::fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.kind() {
            _ if self.is_secret() => f.write_str(super::secret::MASK),
            Kind::Mapping => f.debug_map().entries(self.entries()).finish(),
            Kind::Sequence => f.debug_list().entries(self.items()).finish(),
            Kind::Null => f.write_str("null"),
            Kind::String => write!(f, "{:?}", self.text()),
            Kind::Bool | Kind::Number => f.write_str(self.text()),
        }
    }
}

impl Document {
    /// Returns the roots of the documents in the file, in order.
    pub fn roots(&self) -> impl Iterator<Item = Node<'_>> {
        self.tape.roots.iter().map(|&index| Node::new(self, index))
    }

    /// Returns the node with an index ([`Node::index`]).
    ///
    /// # Panics
    /// If the index is not one of this document's nodes.
    pub fn node(&self, index: u32) -> Node<'_> {
        assert!((index as usize) < self.tape.nodes.len(), "node index out of range");
        Node::new(self, index)
    }

    /// Returns the place of a scalar in the text, including its quotes.
    pub fn source_of(&self, node: Node<'_>) -> Range<usize> {
        self.tape.nodes.get(node.index() as usize).map_or(0..0, |raw| self.source_range(raw))
    }
}

impl<'a> Node<'a> {
    pub(super) fn new(document: &'a Document, index: u32) -> Self {
        Self { document, index }
    }

    fn raw(self) -> &'a Raw {
        &self.document.tape.nodes[self.index as usize]
    }

    /// The document it belongs to.
    pub fn document(self) -> &'a Document {
        self.document
    }

    /// Its place on the tape; stable for the life of the document.
    pub fn index(self) -> u32 {
        self.index
    }

    pub fn kind(self) -> Kind {
        self.raw().kind()
    }

    pub fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// Byte offset in [`Document::text`]: of the opening quote or bracket, of the first line of a
    /// block scalar, of the first key or dash of a block collection. The target of an alias has the place of its
    /// anchor.
    pub fn offset(self) -> usize {
        self.raw().offset as usize
    }

    /// Returns the 1-based line. This is slow, so it is for evidence only.
    pub fn line(self) -> u64 {
        self.document.line_of(self.offset())
    }

    /// Returns true if its value must be masked in output.
    pub fn is_secret(self) -> bool {
        self.raw().has(Raw::SECRET)
    }

    /// Returns the index after this node's subtree.
    fn end(self) -> u32 {
        self.document.tape.end(self.index)
    }

    /// Returns the place of a scalar's value in the text, without quotes; none if it had to be decoded.
    pub fn in_text(self) -> Option<Range<usize>> {
        let raw = self.raw();
        (raw.kind().is_scalar() && !raw.has(Raw::IN_ARENA)).then(|| raw.value_range())
    }

    /// Returns the decoded text of a scalar (unquoted, unescaped, unfolded); empty for null and collections.
    pub fn text(self) -> &'a str {
        let raw = self.raw();
        if matches!(raw.kind(), Kind::Mapping | Kind::Sequence | Kind::Null) {
            return "";
        }
        let home = if raw.has(Raw::IN_ARENA) { &self.document.tape.arena } else { self.document.text() };
        home.get(raw.value_range()).unwrap_or_default()
    }

    /// Returns the value of a string.
    pub fn as_str(self) -> Option<&'a str> {
        (self.kind() == Kind::String).then(|| self.text())
    }

    /// Returns the value of a boolean.
    pub fn as_bool(self) -> Option<bool> {
        (self.kind() == Kind::Bool).then(|| self.text().eq_ignore_ascii_case("true"))
    }

    /// Returns the value of an integer, even if it is written as a float (`1e+09`, `3.0`).
    pub fn as_i64(self) -> Option<i64> {
        if self.kind() != Kind::Number {
            return None;
        }
        if let Ok(value) = self.text().parse::<i64>() {
            return Some(value);
        }
        let value = self.as_f64()?;
        // 2^63 is the first f64 that does not fit.
        (value.fract() == 0.0 && value.abs() < 9_223_372_036_854_775_808.0).then_some(value as i64)
    }

    /// Returns the value of any number.
    pub fn as_f64(self) -> Option<f64> {
        if self.kind() != Kind::Number {
            return None;
        }
        parse_number(self.text())
    }

    /// Returns the number of entries or items; 0 for scalars.
    pub fn len(self) -> usize {
        match self.kind() {
            Kind::Mapping | Kind::Sequence => self.raw().value as usize,
            _ => 0,
        }
    }

    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Returns the value of a key of a mapping; the last one if the key is repeated, as in Go's readers.
    pub fn get(self, key: &str) -> Option<Node<'a>> {
        // Repeated keys are hidden except for the last, so the first one found is the right one. It does what [`Entries`] does, without
        // its state: conditions spend a third of their time here.
        let nodes = self.document.tape.nodes.as_slice();
        let mapping = self.raw();
        if mapping.kind() != Kind::Mapping {
            return None;
        }
        let (mut at, end) = (self.index + 1, mapping.extent());
        while at < end {
            let name = nodes.get(at as usize)?;
            let value = name.end(at);
            if value >= end {
                return None;
            }
            if self.reads(name, key) {
                return Some(Node::new(self.document, value));
            }
            at = nodes.get(value as usize)?.end(value);
        }
        None
    }

    /// Returns whether a key is not hidden and reads so. Compares texts only if their length matches, because only the tape stays in
    /// the CPU cache.
    fn reads(self, name: &Raw, text: &str) -> bool {
        if !name.kind().is_scalar() || name.kind() == Kind::Null {
            return text.is_empty() && !name.has(Raw::HIDDEN);
        }
        let home = || if name.has(Raw::IN_ARENA) { &self.document.tape.arena } else { self.document.text() };
        name.extent() as usize == text.len()
            && !name.has(Raw::HIDDEN)
            && home().as_bytes().get(name.value_range()) == Some(text.as_bytes())
    }

    /// Follows a path of keys.
    pub fn path(self, keys: &[&str]) -> Option<Node<'a>> {
        keys.iter().try_fold(self, |node, key| node.get(key))
    }

    /// Returns the string at a path of keys.
    pub fn str_at(self, keys: &[&str]) -> Option<&'a str> {
        self.path(keys)?.as_str()
    }

    /// Returns an item of a sequence by its index, from 0.
    pub fn at(self, position: usize) -> Option<Node<'a>> {
        self.items().nth(position)
    }

    /// Returns the entries of a mapping in file order, each key once; nothing for other kinds.
    pub fn entries(self) -> impl Iterator<Item = (Cow<'a, str>, Node<'a>)> {
        self.entry_nodes().map(|(key, value)| (Cow::Borrowed(key.text()), value))
    }

    /// Returns the entries of a mapping with the nodes of their keys, which have the places of the keys.
    pub fn entry_nodes(self) -> Entries<'a> {
        let end = if self.kind() == Kind::Mapping { self.end() } else { self.index };
        Entries { document: self.document, index: self.index + 1, end }
    }

    /// Returns the items of a sequence in file order; nothing for other kinds.
    pub fn items(self) -> Items<'a> {
        let end = if self.kind() == Kind::Sequence { self.end() } else { self.index };
        Items { document: self.document, index: self.index + 1, end, keyed: self.raw().has(Raw::KEYED) }
    }
}

/// Keys and values of a mapping; see [`Node::entry_nodes`].
#[derive(Clone)]
pub struct Entries<'a> {
    document: &'a Document,
    index: u32,
    end: u32,
}

impl<'a> Iterator for Entries<'a> {
    type Item = (Node<'a>, Node<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        while self.index < self.end {
            let key = Node::new(self.document, self.index);
            if key.end() >= self.end {
                break;
            }
            let value = Node::new(self.document, key.end());
            self.index = value.end();
            if !key.raw().has(Raw::HIDDEN) {
                return Some((key, value));
            }
        }
        self.index = self.end;
        None
    }
}

/// Items of a sequence; see [`Node::items`].
#[derive(Clone)]
pub struct Items<'a> {
    document: &'a Document,
    index: u32,
    end: u32,
    keyed: bool,
}

impl<'a> Iterator for Items<'a> {
    type Item = Node<'a>;

    fn next(&mut self) -> Option<Node<'a>> {
        if self.keyed {
            let mut entries = Entries { document: self.document, index: self.index, end: self.end };
            let found = entries.next();
            self.index = entries.index;
            return found.map(|(_, value)| value);
        }
        if self.index >= self.end {
            return None;
        }
        let item = Node::new(self.document, self.index);
        self.index = item.end();
        Some(item)
    }
}
