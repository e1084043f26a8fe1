//! Maps whose keys are hashes: hashing them once more is work without use.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Values by a hash of what they belong to.
pub type ByHash<V> = HashMap<u64, V, BuildHasherDefault<IdentityHasher>>;

/// Returns a number as its own hash.
#[derive(Default)]
pub struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = (self.0 << 8) | u64::from(*byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}
