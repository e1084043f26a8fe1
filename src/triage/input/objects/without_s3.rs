//! Functions of a build without object stores.

use std::path::{Path, PathBuf};

use super::object::{Object, ObjectError};

/// All objects below an address, or the one that it names, by key.
///
/// # Errors
/// Always: this build has no object stores.
pub fn list(_address: &str) -> Result<Vec<Object>, ObjectError> {
    Err(ObjectError::Absent)
}

/// The first bytes of an object.
///
/// # Errors
/// Always: this build has no object stores.
pub fn beginning(_address: &str, _size: u64) -> Result<Vec<u8>, ObjectError> {
    Err(ObjectError::Absent)
}

/// Brings an object into a folder and gives its path there.
///
/// # Errors
/// Always: this build has no object stores.
pub fn fetch(_address: &str, _folder: &Path) -> Result<PathBuf, ObjectError> {
    Err(ObjectError::Absent)
}
