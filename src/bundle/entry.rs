//! Files of a bundle: [`Entry`], and [`UnreadableFile`] for those that cannot be read.

use std::sync::Arc;

use crate::bundle::collectors::role::Role;
use crate::bundle::containers::layer::{MemberPlace, ReadRequest};
use crate::model::IssueKind;
use crate::model::message::ArchiveProblem;

/// One file of the bundle or of a nested archive.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Path relative to the bundle's root, with `!/` between archives: `nodes/node1.zip!/node1/logs/kernel.log`.
    pub path: Arc<str>,
    /// Path without archive layers, which the globs of file facts match: `nodes/node1/logs/kernel.log`.
    pub logical: Arc<str>,
    /// Expanded size in bytes; reading never returns more.
    pub size: u64,
    pub role: Role,
    pub(super) place: MemberPlace,
    /// Content, if it was cheap to keep.
    pub(super) held: Option<Arc<Vec<u8>>>,
    /// CRC-32, if the container states it.
    pub(super) crc: Option<u32>,
    /// True if the entry is in the outermost container, not in a nested archive.
    pub(super) outer: bool,
    /// Reason why the entry is not all that was collected under its path, which does not show when it is read.
    pub(super) doubt: Option<(IssueKind, ArchiveProblem)>,
}

/// File that is in the bundle but is unreadable, so its absence from the entries proves nothing.
#[derive(Clone, Debug)]
pub struct UnreadableFile {
    /// Same as [`Entry::path`].
    pub path: Arc<str>,
    /// Same as [`Entry::logical`].
    pub logical: Arc<str>,
    /// Role that the file would have.
    pub role: Role,
    /// Reason why it is unreadable.
    pub why: ArchiveProblem,
}

impl Entry {
    pub(super) fn request(&self) -> ReadRequest {
        ReadRequest { place: self.place, size: self.size, held: self.held.clone() }
    }
}
