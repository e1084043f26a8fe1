//! File of a task on this machine: [`LocalFile`].

use std::path::PathBuf;

use super::message::Task;
use crate::bundle::Bundle;
use crate::triage::input::objects::{self, ObjectError};

/// The file of a task on this machine.
pub struct LocalFile {
    /// The file, folder or object of the task.
    pub given: PathBuf,
    /// What is opened.
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

    /// Where a bundle lies in the file; empty when it is the file itself.
    pub fn place_of<'b>(&self, bundle: &'b Bundle) -> &'b str {
        let place = bundle.container().path.strip_prefix(&*self.path.to_string_lossy()).unwrap_or_default();
        place.trim_start_matches(['!', '/'])
    }

    /// A text about the file that was opened, as one about the file that was given.
    pub fn as_given(&self, text: &str, given: &str) -> String {
        text.replace(&*self.path.to_string_lossy(), given)
    }
}

impl Drop for LocalFile {
    fn drop(&mut self) {
        // What was fetched goes when the task is done.
        if self.path != self.given {
            // The folder goes with the run at the latest.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}
