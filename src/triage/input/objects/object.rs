//! Objects and their addresses.

use std::path::{Path, PathBuf};

/// Prefix of addresses.
pub const SCHEME: &str = "s3://";

/// Object in a bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    pub key: String,
    /// Size in bytes.
    pub size: u64,
    /// Modification time in RFC 3339, UTC.
    pub mtime: String,
    /// Entity tag, which changes with the content; empty if the store has none.
    pub tag: String,
}

/// Reason why objects cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ObjectError {
    #[cfg(not(feature = "s3"))]
    #[error("this gleaner was built without object stores; build it with `cargo build --release --features s3`")]
    Absent,
    #[cfg(feature = "s3")]
    #[error("`{0}` has no bucket; write s3://BUCKET or s3://BUCKET/PREFIX")]
    Address(String),
    #[cfg(feature = "s3")]
    #[error("{0}")]
    Store(#[from] object_store::Error),
    #[error("cannot be written to the temporary folder: {0}")]
    Io(#[from] std::io::Error),
}

/// Returns true for addresses in an object store.
pub fn is_address(path: &Path) -> bool {
    path.to_str().is_some_and(|text| text.starts_with(SCHEME))
}

/// Returns the address of an object in the bucket of another address.
pub fn address_of(address: &str, key: &str) -> PathBuf {
    let bucket = address.strip_prefix(SCHEME).unwrap_or(address).split('/').next().unwrap_or_default();
    PathBuf::from(format!("{SCHEME}{bucket}/{key}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_differ_from_paths() {
        assert!(is_address(Path::new("s3://tickets/2024")) && !is_address(Path::new("./s3")));
        assert_eq!(address_of("s3://tickets/2024", "2024/a b.zip"), Path::new("s3://tickets/2024/a b.zip"));
    }
}
