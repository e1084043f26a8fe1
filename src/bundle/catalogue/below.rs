//! Assignment of a container's members to bundles.

/// Owners of a container's members.
pub(super) struct Below {
    /// Part that owns the container.
    pub part: usize,
    /// Path of the container in that part; empty for the outermost.
    pub archive: String,
    /// Parts that begin in the container, by folder.
    pub roots: Vec<(String, usize)>,
}

impl Below {
    /// Returns the part of a member, its path there, and true if no other archive is in between.
    pub fn locate(&self, path: String, wrapping: &str) -> (usize, String, bool) {
        let inside = self.roots.iter().find_map(|(prefix, part)| Some((*part, path.strip_prefix(prefix.as_str())?)));
        match (inside, self.archive.as_str()) {
            (Some((part, rest)), _) => (part, rest.to_owned(), true),
            (None, "") => (self.part, path.strip_prefix(wrapping).map(str::to_owned).unwrap_or(path), true),
            // Files next to the only bundle of an archive are few, or they would be a bundle.
            (None, _) if self.roots.len() == 1 => (self.owner(), path, true),
            (None, archive) => (self.part, format!("{archive}!/{path}"), false),
        }
    }

    /// Returns the part that gets faults without a path.
    pub fn owner(&self) -> usize {
        match self.roots.as_slice() {
            [(_, only)] => *only,
            _ => self.part,
        }
    }
}
