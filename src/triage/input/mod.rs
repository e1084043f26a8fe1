//! Finds what may be bundles: archives by their content, and folders that bundles were unpacked to.
//!
//! A folder is walked twice: once to see which folders are bundles, once for the files outside of them. Nothing is opened
//! but files that the caller does not know, to see what they are.

mod list;
mod walk;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::objects::{self, Object, ObjectError};
use super::shard::Shard;

pub use list::paths;

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
pub struct Found {
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

/// Why there is nothing to look at.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    #[error("`{}` does not exist; check the spelling, or the folder you are in", .0.display())]
    Missing(PathBuf),
    #[error("cannot read `{}`: {source}", .path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("`{address}`: {source}")]
    Objects { address: String, source: ObjectError },
    #[error("the list `{}` is longer than {} MiB", .0.display(), list::LONGEST >> 20)]
    LongList(PathBuf),
}

impl Found {
    /// Nothing yet; what belongs to other shards will not be kept.
    pub fn new(shard: Shard) -> Self {
        Self { shard, ..Self::default() }
    }

    /// Looks at a folder, a file, or a list of paths (`-`: on standard input).
    ///
    /// # Errors
    /// When it is not there or cannot be read.
    pub fn add(&mut self, given: &Path) -> Result<(), InputError> {
        if given.as_os_str() == "-" {
            return self.add_all(&list::read(given)?);
        }
        if objects::is_address(given) {
            return self.add_objects(&given.to_string_lossy(), false);
        }
        let metadata = std::fs::metadata(given).map_err(|source| match source.kind() {
            std::io::ErrorKind::NotFound => InputError::Missing(given.to_owned()),
            _ => InputError::Unreadable { path: given.to_owned(), source },
        })?;
        if metadata.is_dir() {
            walk::folder(&absolute(given), self);
        } else if list::is_list(given) {
            return self.add_all(&list::read(given)?);
        } else {
            self.add_named(given, false);
        }
        Ok(())
    }

    /// Paths that stand in a list; what is not there becomes a row that says so.
    fn add_all(&mut self, paths: &[PathBuf]) -> Result<(), InputError> {
        for path in paths {
            if objects::is_address(path) {
                self.add_objects(&path.to_string_lossy(), true)?;
            } else {
                self.add_named(path, path.is_dir());
            }
        }
        Ok(())
    }

    /// What lies below an address, as files below a folder; an object that is named itself lies in the folder above it.
    fn add_objects(&mut self, address: &str, listed: bool) -> Result<(), InputError> {
        let refused = |source| InputError::Objects { address: address.to_owned(), source };
        let input: Arc<str> = address.trim_end_matches('/').into();
        let mut is_one = false;
        for object in objects::list(address).map_err(refused)? {
            let location = objects::address_of(address, &object.key);
            let whole = text(&location);
            let below = whole.strip_prefix(&*input).map(|rest| rest.trim_start_matches('/')).unwrap_or_default();
            is_one = below.is_empty();
            let (input, path) = match whole.rsplit_once('/') {
                Some((folder, name)) if is_one => (folder.into(), name.to_owned()),
                _ => (Arc::clone(&input), below.to_owned()),
            };
            if self.shard.has(if is_one { address } else { &path }) {
                let named = listed || is_one;
                self.candidates.push(Candidate {
                    input,
                    path,
                    is_folder: false,
                    location,
                    object: Some(object),
                    named,
                });
            }
        }
        if !listed && !is_one {
            self.searched.push(input.to_string());
        }
        Ok(())
    }

    /// A file or folder that was given itself: its folder is where it was looked for. Which shard it belongs to follows from
    /// the path as it was given.
    fn add_named(&mut self, given: &Path, is_folder: bool) {
        if self.shard.has(&text(given)) {
            let location = absolute(given);
            let input = text(location.parent().unwrap_or(&location)).into();
            let path = text(Path::new(location.file_name().unwrap_or(location.as_os_str())));
            self.candidates.push(Candidate { input, path, is_folder, object: None, named: true, location });
        }
    }

    /// A file or folder that was found below an input.
    fn add_found(&mut self, input: &Arc<str>, path: String, location: &Path, is_folder: bool) {
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
fn absolute(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    absolute.components().collect()
}

/// A path as the store has it: with `/`; of names that are no text with a mark that tells them apart.
fn text(path: &Path) -> String {
    match path.to_str() {
        Some(text) if std::path::MAIN_SEPARATOR == '/' => text.to_owned(),
        Some(text) => text.replace(std::path::MAIN_SEPARATOR, "/"),
        None => {
            let bytes = path.as_os_str().as_encoded_bytes();
            format!("{}#{:08x}", path.to_string_lossy(), crc32fast::hash(bytes))
        }
    }
}
