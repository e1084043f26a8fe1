//! The tape of nodes that readers fill.

use std::ops::Range;

/// Maximum depth of nodes; readers refuse deeper documents, so recursion is safe.
pub const MAX_DEPTH: usize = 128;

/// Limit of the number of nodes on a tape (400 MB of them), and of the bytes of a value; readers refuse more.
pub const MAX_EXTENT: usize = 1 << 25;

/// Kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Absent in YAML (`null`, `~`, nothing) or by a collector's convention ([`super::normalise`]).
    Null,
    Bool,
    /// Integer or float; see [`Node::as_i64`] and [`Node::as_f64`].
    Number,
    String,
    Sequence,
    Mapping,
}

impl Kind {
    /// Returns true if it is neither a sequence nor a mapping.
    pub fn is_scalar(self) -> bool {
        !matches!(self, Self::Sequence | Self::Mapping)
    }
}

/// Node on the tape, 12 bytes.
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
    /// Flag: the value is in the arena.
    pub const IN_ARENA: u32 = 1 << 25;
    /// Flag: the value is masked in every output.
    pub const SECRET: u32 = 1 << 26;
    /// Flag on a key: the entry is hidden.
    pub const HIDDEN: u32 = 1 << 27;
    /// Flag on a sequence that was a mapping: its items are the values, the keys are skipped.
    pub const KEYED: u32 = 1 << 28;
    const KIND_SHIFT: u32 = 29;
    const EXTENT: u32 = MAX_EXTENT as u32 - 1;

    /// Creates a node without flags, whose extent is below [`MAX_EXTENT`].
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

    /// Returns the length of a scalar's value, or the index after a collection's subtree.
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

    /// Returns the index after its subtree, given its own.
    pub fn end(&self, index: u32) -> u32 {
        if self.kind().is_scalar() { index + 1 } else { self.extent() }
    }

    /// Returns the place of a scalar's value, in the text or in the arena.
    pub fn value_range(&self) -> Range<usize> {
        self.value as usize..self.value as usize + self.extent() as usize
    }
}

/// Keys of mappings that are given again further down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeated {
    /// Index of the first of them in the file.
    pub first: u32,
    pub count: u64,
}

/// Nodes of a file without its text.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Tape {
    /// Keys that are hidden because they are repeated.
    pub(super) repeated: Option<Repeated>,
    pub(super) arena: String,
    /// Start of each value in the arena, and the end of its source in the text.
    pub(super) arena_ends: Vec<(u32, u32)>,
    pub(super) nodes: Vec<Raw>,
    pub(super) roots: Vec<u32>,
}

impl Tape {
    /// Returns the number of documents.
    pub fn roots(&self) -> usize {
        self.roots.len()
    }

    /// Returns the memory that it takes, without spare capacity.
    pub(super) fn bytes(&self) -> usize {
        self.arena_bytes() + self.nodes.len() * size_of::<Raw>()
    }

    /// Returns the memory for values that are not in the text.
    pub(super) fn arena_bytes(&self) -> usize {
        self.arena.len() + self.arena_ends.len() * size_of::<(u32, u32)>()
    }

    /// Returns the index after the subtree of a node.
    pub(super) fn end(&self, index: u32) -> u32 {
        self.nodes[index as usize].end(index)
    }
}
