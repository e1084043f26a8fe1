//! Numbers of analyses, rule sets and reasons.

use sha2::{Digest, Sha256};

/// Returns a number for a name, the same in every store: 63 bits of its SHA-256.
pub fn number(name: &str) -> i64 {
    let digest = Sha256::digest(name.as_bytes());
    let first = digest.iter().take(8).fold(0u64, |number, byte| number << 8 | u64::from(*byte));
    i64::try_from(first >> 1).unwrap_or(i64::MAX)
}
