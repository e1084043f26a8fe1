//! What rules can ask about a bundle.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::expr::{FileFact, World};
use crate::log::LogIndex;
use crate::model::Origin;
use crate::rule::FileShape;
use crate::yaml::Document;

/// Everything that rules can ask about a bundle.
#[derive(Clone, Debug)]
pub struct Input {
    pub world: Arc<World>,
    pub logs: Arc<LogIndex>,
    /// Entries that a file fact asks for, sorted by path.
    pub files: Arc<[BundleFile]>,
    pub absent: Arc<FileGaps>,
}

/// Files that should be in the bundle and are not, so that a fact which did not find them proves nothing.
#[derive(Debug, Default)]
pub struct FileGaps {
    pub files: Vec<FileGap>,
    /// Nodes of the cluster of which nothing was collected, or only a part.
    pub nodes: Vec<String>,
    /// Why there may have been any other file.
    pub cut: Option<String>,
}

/// An entry that is known and cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileGap {
    /// Path without archive layers, which globs see.
    pub logical: Arc<str>,
    pub node: Option<String>,
    /// What a command said that should have filled the file, where that is all there is.
    pub said: Option<String>,
}

/// An entry that was kept because a rule asks for it.
#[derive(Debug)]
pub struct BundleFile {
    /// Path of the entry; of a section with its name.
    pub path: Arc<str>,
    /// The entry; with the line on which a section begins.
    pub origin: Origin,
    /// Path without archive layers, which globs see; of a section with its name.
    pub logical: Arc<str>,
    pub node: Option<String>,
    pub text: Arc<str>,
    /// Read in each way that rules ask for.
    pub data: BTreeMap<FileShape, Arc<Document>>,
}

impl BundleFile {
    pub(super) fn as_shape(&self, shape: FileShape) -> Arc<FileFact> {
        let data = self.data.get(&shape).cloned();
        let (path, origin) = (self.path.clone(), self.origin.clone());
        Arc::new(FileFact { path, origin, node: self.node.clone(), text: self.text.clone(), data })
    }
}
