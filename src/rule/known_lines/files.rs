//! Known lines as loaded.

use std::sync::{Arc, OnceLock};

use super::read;
use crate::known_lines::{KnownLineSource, KnownLines};
use crate::rule::error::Source;

/// Files of known lines, read when they are first asked for.
#[derive(Clone, Debug, Default)]
pub struct KnownLineFiles(Arc<(Vec<Source>, OnceLock<KnownLines>)>);

impl KnownLineFiles {
    /// Takes files without faults; of equal templates those of a later file are known.
    pub fn new(files: Vec<Source>) -> Self {
        Self(Arc::new((files, OnceLock::new())))
    }

    /// Begins to read the files, on a thread that has nothing else to do.
    pub fn prepare(&self) {
        let files = self.clone();
        rayon::spawn(move || {
            files.lines();
        });
    }

    /// Returns the lines of all files.
    pub fn lines(&self) -> &KnownLines {
        let (files, lines) = &*self.0;
        // One after the other: a thread that waits for others may begin work that waits for these lines.
        lines.get_or_init(|| {
            let entries = files.iter().flat_map(read::entries);
            KnownLines::new(entries.map(|entry| (entry.template, entry.known)).collect())
        })
    }
}

impl KnownLineSource for KnownLineFiles {
    fn lines(&self) -> &KnownLines {
        self.lines()
    }
}
