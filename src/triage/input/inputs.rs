//! Files to analyse: [`InputFiles`].

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::objects::Object;
use super::shard::Shard;

/// File or folder that may contain bundles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Searched folder, absolute.
    pub input: Arc<str>,
    /// Path below the searched folder, with `/`.
    pub path: String,
    pub is_folder: bool,
    /// Absolute path or address.
    pub location: PathBuf,
    /// Size, time and tag, if it is in an object store.
    pub object: Option<Object>,
    /// Given by the user or a list, so that errors must be recorded.
    pub named: bool,
}

/// Files of one shard found in the inputs.
#[derive(Clone, Debug, Default)]
pub struct InputFiles {
    pub shard: Shard,
    /// Sorted by input and path, each once.
    pub candidates: Vec<Candidate>,
    /// Inputs that were searched completely: files not found there were deleted.
    pub searched: Vec<String>,
    /// Files and folders that could not be read, with the reason.
    pub trouble: Vec<String>,
    /// Number of links to folders, which are not followed.
    pub links: u64,
}

impl InputFiles {
    /// Creates an empty list that keeps only files of the shard.
    pub fn new(shard: Shard) -> Self {
        Self { shard, ..Self::default() }
    }

    /// Adds a file or folder that was given itself, with its folder as input. The path as given decides the shard.
    pub(super) fn add_named(&mut self, given: &Path, is_folder: bool) {
        if self.shard.has(&path_text(given)) {
            let location = absolute(given);
            let input = path_text(location.parent().unwrap_or(&location)).into();
            let path = path_text(Path::new(location.file_name().unwrap_or(location.as_os_str())));
            self.candidates.push(Candidate { input, path, is_folder, object: None, named: true, location });
        }
    }

    /// Adds a file or folder found below an input.
    pub(super) fn add_found(&mut self, input: &Arc<str>, path: String, location: &Path, is_folder: bool) {
        if self.shard.has(&path) {
            let (input, location) = (Arc::clone(input), location.to_owned());
            self.candidates.push(Candidate { input, path, is_folder, object: None, named: false, location });
        }
    }

    /// Sorts the files and removes duplicates.
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

/// Makes a path absolute, without `.` and double slashes; does not resolve links.
pub(super) fn absolute(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    absolute.components().collect()
}

/// Returns a path as stored: with `/`, and with a checksum appended if it is not valid Unicode.
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
