//! What tells, without opening it, that a file or folder was written again: [`Stamp`].

use std::fs::Metadata;
use std::path::Path;
use std::time::SystemTime;

use jiff::Timestamp;
use sha2::{Digest, Sha256};
use walkdir::WalkDir;

use crate::triage::input::objects::Object;

/// Size and time, and a text that changes with either.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Bytes of the file, or of all files of the folder.
    pub size: u64,
    /// RFC 3339, UTC; of a folder, of its newest file.
    pub mtime: String,
    pub text: String,
}

impl Stamp {
    /// Of a file.
    pub fn of_file(metadata: &Metadata) -> Self {
        let (size, time) = (metadata.len(), time_of(metadata));
        Self { size, text: format!("{size} {time}"), mtime: time }
    }

    /// Of an object; its tag changes with its content.
    pub fn of_object(object: &Object) -> Self {
        let Object { size, mtime, tag, .. } = object;
        Self { size: *size, text: format!("{size} {mtime} {tag}"), mtime: mtime.clone() }
    }

    /// Of a folder: of the names, sizes and times of all that is in it. A file that cannot be asked counts with its name.
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

/// With nanoseconds, so that texts sort as times do. Empty where the system does not tell, or tells what is no time.
fn time_of(metadata: &Metadata) -> String {
    let time = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
    Timestamp::try_from(time).map(|time| format!("{time:.9}")).unwrap_or_default()
}
