//! Nested containers and the locations of entries in them.

use std::sync::Arc;

use crate::bundle::containers::listing::Store;

/// One container. The outermost comes first, nested ones after their parent.
pub(crate) struct ContainerLayer {
    pub store: Store,
    /// Location of the archive itself; none for the outermost.
    pub parent: Option<NestedEntry>,
    /// Path used in issues; empty for the outermost.
    pub path: String,
}

/// Nested archive as an entry of its parent archive.
pub(crate) struct NestedEntry {
    pub place: MemberPlace,
    /// Size of the archive after expansion by its parent.
    pub size: u64,
    /// Content of the archive, if it was kept.
    pub held: Option<Arc<Vec<u8>>>,
}

impl ContainerLayer {
    pub fn place(&self) -> Option<MemberPlace> {
        self.parent.as_ref().map(|parent| parent.place)
    }

    pub fn size(&self) -> u64 {
        self.parent.as_ref().map_or(0, |parent| parent.size)
    }
}

/// Location of an entry: its container and its index in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MemberPlace {
    pub layer: usize,
    pub member: usize,
}

/// Entry to visit.
#[derive(Clone)]
pub(crate) struct ReadRequest {
    pub place: MemberPlace,
    pub size: u64,
    pub held: Option<Arc<Vec<u8>>>,
}
