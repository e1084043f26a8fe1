//! File of a task on this machine: [`LocalFile`].

use std::path::{Path, PathBuf};

use super::message::Task;
use crate::bundle::Bundle;
use crate::triage::input::objects::{self, ObjectError};

/// File of a task; objects are downloaded first.
pub struct LocalFile {
    /// File, folder or object of the task.
    pub given: PathBuf,
    /// Path to open.
    pub path: PathBuf,
}

impl LocalFile {
    pub fn of(task: &Task) -> Result<Self, ObjectError> {
        let given = task.path();
        let path = match &task.spool {
            Some(spool) if objects::is_address(&given) => {
                let folder = spool.join(std::process::id().to_string());
                std::fs::create_dir_all(&folder)?;
                objects::fetch(&given.to_string_lossy(), &folder)?
            }
            _ => given.clone(),
        };
        Ok(Self { given, path })
    }

    /// A file or folder that is on this machine already.
    pub fn here(path: &Path) -> Self {
        Self { given: path.to_owned(), path: path.to_owned() }
    }

    /// Returns the place of a bundle in the file; empty if it is the file itself.
    pub fn place_of<'b>(&self, bundle: &'b Bundle) -> &'b str {
        let place = bundle.container().path.strip_prefix(&*self.path.to_string_lossy()).unwrap_or_default();
        place.trim_start_matches(['!', '/'])
    }

    /// Replaces the opened path in a text by the given one.
    pub fn as_given(&self, text: &str, given: &str) -> String {
        text.replace(&*self.path.to_string_lossy(), given)
    }
}

impl Drop for LocalFile {
    fn drop(&mut self) {
        // A download is removed when the task is done.
        if self.path != self.given {
            // The parent removes the folder at the end of the run.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}
