//! Objects and their addresses.

use std::path::{Path, PathBuf};

/// How addresses begin.
pub const SCHEME: &str = "s3://";

/// An object in a bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    pub key: String,
    /// In bytes.
    pub size: u64,
    /// RFC 3339, UTC.
    pub mtime: String,
    /// Changes with the content; empty where the store has none.
    pub tag: String,
}

/// Why objects cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum ObjectError {
    #[cfg(not(feature = "s3"))]
    #[error("this gleaner was built without object stores; build it with `cargo build --release --features s3`")]
    Absent,
    #[cfg(feature = "s3")]
    #[error("`{0}` names no bucket; write s3://BUCKET or s3://BUCKET/PREFIX")]
    Address(String),
    #[cfg(feature = "s3")]
    #[error("{0}")]
    Store(#[from] object_store::Error),
    #[error("cannot be kept: {0}")]
    Io(#[from] std::io::Error),
}

/// Whether a path is the address of something in an object store.
pub fn is_address(path: &Path) -> bool {
    path.to_str().is_some_and(|text| text.starts_with(SCHEME))
}

/// The address of an object in the bucket of another address.
pub fn address_of(address: &str, key: &str) -> PathBuf {
    let bucket = address.strip_prefix(SCHEME).unwrap_or(address).split('/').next().unwrap_or_default();
    PathBuf::from(format!("{SCHEME}{bucket}/{key}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_from_paths() {
        assert!(is_address(Path::new("s3://tickets/2024")) && !is_address(Path::new("./s3")));
        assert_eq!(address_of("s3://tickets/2024", "2024/a b.zip"), Path::new("s3://tickets/2024/a b.zip"));
    }
}
