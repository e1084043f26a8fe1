//! Nested containers and the locations of entries in them.

use std::sync::Arc;

use crate::bundle::containers::listing::Store;

/// One container. The outermost comes first, nested ones after their parent.
pub(crate) struct Layer {
    pub store: Store,
    /// Location of the archive itself; none for the outermost.
    pub around: Option<Around>,
    /// Path used in issues; empty for the outermost.
    pub path: String,
}

/// Nested archive as an entry of its parent archive.
pub(crate) struct Around {
    pub place: MemberPlace,
    /// Size of the archive after expansion by its parent.
    pub size: u64,
    /// Content of the archive, if it was kept.
    pub held: Option<Arc<Vec<u8>>>,
}

impl Layer {
    pub fn place(&self) -> Option<MemberPlace> {
        self.around.as_ref().map(|around| around.place)
    }

    pub fn size(&self) -> u64 {
        self.around.as_ref().map_or(0, |around| around.size)
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
pub(crate) struct Job {
    pub place: MemberPlace,
    pub size: u64,
    pub held: Option<Arc<Vec<u8>>>,
}
