//! Functions of a build without object stores.

use std::path::{Path, PathBuf};

use super::object::{Object, ObjectError};

/// Lists all objects below an address, or the one object with that address, sorted by key.
///
/// # Errors
/// Always fails: this build has no object stores.
pub fn list(_address: &str) -> Result<Vec<Object>, ObjectError> {
    Err(ObjectError::Absent)
}

/// Reads the first bytes of an object.
///
/// # Errors
/// Always fails: this build has no object stores.
pub fn beginning(_address: &str, _size: u64) -> Result<Vec<u8>, ObjectError> {
    Err(ObjectError::Absent)
}

/// Downloads an object to a folder and returns its path.
///
/// # Errors
/// Always fails: this build has no object stores.
pub fn fetch(_address: &str, _folder: &Path) -> Result<PathBuf, ObjectError> {
    Err(ObjectError::Absent)
}
