//! Files to analyse: [`InputFiles`].

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::objects::Object;
use super::shard::Shard;

/// A file or folder that may hold bundles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The folder that was searched, absolute.
    pub input: Arc<str>,
    /// Relative to it, with `/`.
    pub path: String,
    pub is_folder: bool,
    /// Where it is.
    pub location: PathBuf,
    /// What the object store tells of it, if it lies in one.
    pub object: Option<Object>,
    /// It was named one by one: whatever is wrong with it must be told.
    pub named: bool,
}

/// All that was found in the inputs for one shard.
#[derive(Clone, Debug, Default)]
pub struct InputFiles {
    pub shard: Shard,
    /// Sorted by input and path, each once.
    pub candidates: Vec<Candidate>,
    /// Inputs all of whose files were seen, so that what is not among them is gone.
    pub searched: Vec<String>,
    /// What could not be looked at, and why.
    pub trouble: Vec<String>,
    /// Links to folders, which are not followed.
    pub links: u64,
}

impl InputFiles {
    /// Nothing yet; what belongs to other shards will not be kept.
    pub fn new(shard: Shard) -> Self {
        Self { shard, ..Self::default() }
    }

    /// A file or folder that was given itself: its folder is where it was looked for. Which shard it belongs to follows from
    /// the path as it was given.
    pub(super) fn add_named(&mut self, given: &Path, is_folder: bool) {
        if self.shard.has(&path_text(given)) {
            let location = absolute(given);
            let input = path_text(location.parent().unwrap_or(&location)).into();
            let path = path_text(Path::new(location.file_name().unwrap_or(location.as_os_str())));
            self.candidates.push(Candidate { input, path, is_folder, object: None, named: true, location });
        }
    }

    /// A file or folder that was found below an input.
    pub(super) fn add_found(&mut self, input: &Arc<str>, path: String, location: &Path, is_folder: bool) {
        if self.shard.has(&path) {
            let (input, location) = (Arc::clone(input), location.to_owned());
            self.candidates.push(Candidate { input, path, is_folder, object: None, named: false, location });
        }
    }

    /// Sorts; what was given twice counts once.
    pub fn finish(&mut self) {
        self.candidates.sort_by(|a, b| (&a.input, &a.path).cmp(&(&b.input, &b.path)));
        self.candidates.dedup_by(|next, kept| {
            let same = (&next.input, &next.path) == (&kept.input, &kept.path);
            kept.named |= same && next.named;
            same
        });
        self.searched.sort();
        self.searched.dedup();
    }
}

/// Absolute, without `.` and doubled slashes; links stay as they are.
pub(super) fn absolute(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    absolute.components().collect()
}

/// A path as the store has it: with `/`; of names that are no text with a mark that tells them apart.
pub(super) fn path_text(path: &Path) -> String {
    match path.to_str() {
        Some(text) if std::path::MAIN_SEPARATOR == '/' => text.to_owned(),
        Some(text) => text.replace(std::path::MAIN_SEPARATOR, "/"),
        None => {
            let bytes = path.as_os_str().as_encoded_bytes();
            format!("{}#{:08x}", path.to_string_lossy(), crc32fast::hash(bytes))
        }
    }
}
