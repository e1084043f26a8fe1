//! Files of a bundle: [`Entry`], and [`UnreadableFile`] for those that cannot be read.

use std::sync::Arc;

use crate::bundle::collectors::role::Role;
use crate::bundle::containers::layer::{Job, MemberPlace};

/// One file of the bundle, also in nested archives.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Relative to the bundle's root, `!/` between archives: `nodes/node1.zip!/node1/logs/kernel.log`.
    pub path: Arc<str>,
    /// The path without archive layers, as globs of file facts see it: `nodes/node1/logs/kernel.log`.
    pub logical: Arc<str>,
    /// Bytes, expanded; reading never gives more.
    pub size: u64,
    pub role: Role,
    pub(super) place: MemberPlace,
    /// The bytes, where they were cheap to keep.
    pub(super) held: Option<Arc<Vec<u8>>>,
    /// CRC-32, where the container states it.
    pub(super) crc: Option<u32>,
    /// In the outermost container, not in a nested archive.
    pub(super) outer: bool,
}

/// A file that is in the bundle and cannot be read, so its absence proves nothing.
#[derive(Clone, Debug)]
pub struct UnreadableFile {
    /// As [`Entry::path`].
    pub path: Arc<str>,
    /// As [`Entry::logical`].
    pub logical: Arc<str>,
    /// What it would be good for.
    pub role: Role,
    /// Why it cannot be read.
    pub why: String,
}

impl Entry {
    pub(super) fn job(&self) -> Job {
        Job { place: self.place, size: self.size, held: self.held.clone() }
    }
}
