//! Containers inside each other, and where entries lie in them.

use std::sync::Arc;

use crate::bundle::containers::listing::Store;

/// One container: the outermost first, nested ones after the one they lie in.
pub(crate) struct Layer {
    pub store: Store,
    /// Where the archive itself lies; none for the outermost.
    pub around: Option<Around>,
    /// Its path, for issues; empty for the outermost.
    pub path: String,
}

/// A nested archive, seen from the archive around it.
pub(crate) struct Around {
    pub place: MemberPlace,
    /// Its bytes, expanded by the archive around it.
    pub size: u64,
    /// The archive itself, where it was kept.
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

/// Where an entry lies: its container and its index therein.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MemberPlace {
    pub layer: usize,
    pub member: usize,
}

/// One entry to be visited.
#[derive(Clone)]
pub(crate) struct Job {
    pub place: MemberPlace,
    pub size: u64,
    pub held: Option<Arc<Vec<u8>>>,
}
