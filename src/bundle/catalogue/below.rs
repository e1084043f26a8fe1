//! To which bundle the members of a container belong.

/// Where the members of a container belong.
pub(super) struct Below {
    /// The part that has the container.
    pub part: usize,
    /// The container's path therein; empty for the outermost.
    pub archive: String,
    /// Parts that begin in the container, by their folder.
    pub roots: Vec<(String, usize)>,
}

impl Below {
    /// The part that a member belongs to, its path there, and whether no other archive lies between.
    pub fn locate(&self, path: String, wrapping: &str) -> (usize, String, bool) {
        let inside = self.roots.iter().find_map(|(prefix, part)| Some((*part, path.strip_prefix(prefix.as_str())?)));
        match (inside, self.archive.as_str()) {
            (Some((part, rest)), _) => (part, rest.to_owned(), true),
            (None, "") => (self.part, path.strip_prefix(wrapping).map(str::to_owned).unwrap_or(path), true),
            // What lies beside the only bundle of an archive is not much, or it would be a bundle.
            (None, _) if self.roots.len() == 1 => (self.owner(), path, true),
            (None, archive) => (self.part, format!("{archive}!/{path}"), false),
        }
    }

    /// The part to which faults without a path belong.
    pub fn owner(&self) -> usize {
        match self.roots.as_slice() {
            [(_, only)] => *only,
            _ => self.part,
        }
    }
}
