//! Adds what a user gave to [`InputFiles`]: folders, files, lists and addresses in object stores.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::InputError;
use super::inputs::{Candidate, InputFiles, absolute, path_text};
use super::{list, objects, walk};

impl InputFiles {
    /// Adds a folder, a file, or a list of paths (`-` for standard input).
    ///
    /// # Errors
    /// Fails when the input does not exist or cannot be read.
    pub fn add(&mut self, given: &Path) -> Result<(), InputError> {
        if given.as_os_str() == "-" {
            return self.add_all(&list::read_list(given)?);
        }
        if objects::is_address(given) {
            return self.add_objects(&given.to_string_lossy(), false);
        }
        let metadata = std::fs::metadata(given).map_err(|source| match source.kind() {
            std::io::ErrorKind::NotFound => InputError::Missing(given.to_owned()),
            _ => InputError::Unreadable { path: given.to_owned(), source },
        })?;
        if metadata.is_dir() {
            walk::add_folder(&absolute(given), self);
        } else if list::is_list(given) {
            return self.add_all(&list::read_list(given)?);
        } else {
            self.add_named(given, false);
        }
        Ok(())
    }

    /// Adds the paths of a list; a path that does not exist becomes a row with an error.
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

    /// Adds the objects below an address; an object given itself has the folder above it as input.
    fn add_objects(&mut self, address: &str, listed: bool) -> Result<(), InputError> {
        let refused = |source| InputError::Objects { address: address.to_owned(), source };
        let input: Arc<str> = address.trim_end_matches('/').into();
        let mut is_one = false;
        for object in objects::list(address).map_err(refused)? {
            let location = objects::address_of(address, &object.key);
            let whole = path_text(&location);
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
}
