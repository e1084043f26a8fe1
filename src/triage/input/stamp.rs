//! Detection of changed files without opening them: [`Stamp`].

use std::fs::Metadata;
use std::path::Path;
use std::time::SystemTime;

use jiff::Timestamp;
use sha2::{Digest, Sha256};
use walkdir::WalkDir;

use crate::triage::input::objects::Object;

/// Size and time of a file, and a text that changes with either.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Size in bytes of the file, or of all files of the folder.
    pub size: u64,
    /// Modification time in RFC 3339, UTC; for a folder that of its newest file.
    pub mtime: String,
    pub text: String,
}

impl Stamp {
    /// Returns the stamp of a file.
    pub fn of_file(metadata: &Metadata) -> Self {
        let (size, time) = (metadata.len(), time_of(metadata));
        Self { size, text: format!("{size} {time}"), mtime: time }
    }

    /// Returns the stamp of an object, whose tag changes with its content.
    pub fn of_object(object: &Object) -> Self {
        let Object { size, mtime, tag, .. } = object;
        Self { size: *size, text: format!("{size} {mtime} {tag}"), mtime: mtime.clone() }
    }

    /// Returns the stamp of a folder, from names, sizes and times of all files; of an unreadable file only the name counts.
    pub fn of_folder(root: &Path) -> Self {
        let (mut size, mut newest, mut digest) = (0u64, String::new(), Sha256::new());
        for entry in WalkDir::new(root).sort_by_file_name().into_iter().filter_map(Result::ok) {
            let name = entry.path().strip_prefix(root).unwrap_or(entry.path());
            digest.update(name.as_os_str().as_encoded_bytes());
            if entry.file_type().is_file()
                && let Ok(metadata) = entry.metadata()
            {
                let stamp = Self::of_file(&metadata);
                digest.update(format!("\0{}", stamp.text));
                size = size.saturating_add(stamp.size);
                newest = newest.max(stamp.mtime);
            }
            digest.update(b"\n");
        }
        Self { size, mtime: newest, text: format!("{:x}", digest.finalize()) }
    }
}

/// Returns the modification time with nanoseconds, so that texts sort like times; empty if it is out of range.
fn time_of(metadata: &Metadata) -> String {
    let time = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
    Timestamp::try_from(time).map(|time| format!("{time:.9}")).unwrap_or_default()
}
