//! Result of listing any container: a [`Listing`] of [`Member`]s with raw names, and a [`Store`] that finds a member
//! again.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::bundle::containers::detect::Format;
use crate::bundle::containers::packing::Packing;
use crate::bundle::containers::zip;
use crate::bundle::limits::{Limits, Refusal};
use crate::bundle::path::{Name, clean};
use crate::model::IssueKind;
use crate::model::message::{ArchiveProblem, ZipMethod};

/// A listed container.
pub(crate) struct Listing {
    pub store: Store,
    /// Members in container order; a member is identified by its index.
    pub members: Vec<Member>,
    /// Bytes in the archive; none if nothing is compressed.
    pub stored: Option<u64>,
    /// Faults of the container as a whole: it may hold more than is listed.
    pub trouble: Vec<(IssueKind, ArchiveProblem)>,
    /// Irregularities that do not affect the content.
    pub remarks: Vec<ArchiveProblem>,
}

impl Listing {
    /// Returns the total bytes of all files.
    pub fn bytes(&self) -> u64 {
        self.members.iter().map(|member| member.size).fold(0, u64::saturating_add)
    }

    /// Returns clean paths of all files whose name allows one.
    pub fn paths(&self) -> Vec<String> {
        let files = self.members.iter().filter(|member| matches!(member.what, MemberKind::File));
        let path = |member: &Member| match clean(&member.name) {
            Name::Path(path, _) => Some(path),
            _ => None,
        };
        files.filter_map(path).collect()
    }
}

/// Access to the members after listing.
pub(crate) enum Store {
    /// Full path of each member.
    Folder(Vec<PathBuf>),
    /// Directory record of each member.
    Zip(Vec<zip::Record>),
    /// Read from the start each time, at most `allowed` expanded bytes.
    Tar { packing: Option<Packing>, allowed: u64 },
    /// File that was compressed alone; read from the start each time.
    Packed(Packing),
    /// All members are in memory.
    Memory,
}

/// Member of a container.
pub(crate) struct Member {
    /// Name as the container states it.
    pub name: String,
    /// Expanded size in bytes.
    pub size: u64,
    /// CRC-32, if the container states it or all of the member was read.
    pub crc: Option<u32>,
    pub what: MemberKind,
    /// Format, if the member was already inspected.
    pub format: Option<Format>,
    /// Content, if it was cheap to keep.
    pub held: Option<Arc<Vec<u8>>>,
    /// True if the archive ends in it, which does not show when it is read again.
    pub is_cut: bool,
}

impl Member {
    /// Returns true if both are known to have the same content.
    pub fn is_same(&self, other: &Self) -> bool {
        self.size == other.size && self.crc.is_some() && self.crc == other.crc
    }
}

/// Type of a member.
pub(crate) enum MemberKind {
    File,
    Folder,
    /// Symbolic or hard link, with its target.
    Link(String),
    /// Device, pipe or socket.
    Special,
    /// File that exceeds a limit.
    Refused(Refusal),
    Encrypted,
    /// File compressed with an unsupported method.
    Method(ZipMethod),
}

/// Limits and shared state of a listing.
#[derive(Clone, Copy)]
pub(crate) struct ListContext<'a> {
    pub limits: &'a Limits,
    /// Entries that may still be admitted.
    pub entries: u64,
    /// Bytes that may still be admitted.
    pub bytes: u64,
    pub shelf: &'a BufferPool,
}

impl ListContext<'_> {
    /// Returns the number of members after which listing stops: folders and duplicates are not entries, but also cost
    /// memory.
    pub fn most_members(&self) -> usize {
        usize::try_from(self.entries).unwrap_or(usize::MAX).saturating_mul(2).saturating_add(1024)
    }

    /// Returns the fault to report if there are more.
    pub fn too_many(&self) -> (IssueKind, ArchiveProblem) {
        (IssueKind::Limit, ArchiveProblem::TooManyMembers { most: self.most_members() })
    }
}

/// Bytes kept from listing until reading, so that small archives are expanded once instead of twice.
#[derive(Default)]
pub(crate) struct BufferPool {
    taken: AtomicU64,
    loading: Mutex<()>,
}

impl BufferPool {
    /// Limit for members of any kind; low in tests, so that they also cover the code paths of large bundles.
    const MEMBERS: u64 = if cfg!(test) { 1 << 10 } else { 32 << 20 };
    /// Limit for nested archives: reading their members needs the whole archive.
    const ARCHIVES: u64 = if cfg!(test) { 1 << 11 } else { 64 << 20 };

    /// Waits until no other thread has a large archive in memory; the owner of the guard must not wait for another
    /// thread.
    pub fn alone(&self) -> MutexGuard<'_, ()> {
        self.loading.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reserves room for a member of `size` bytes.
    pub fn reserve(&self, size: u64, archive: bool) -> bool {
        let room = if archive { Self::ARCHIVES } else { Self::MEMBERS };
        let fits = |taken: u64| taken.checked_add(size).filter(|sum| *sum <= room);
        self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_have_room_when_members_have_none() {
        let shelf = BufferPool::default();
        assert!(shelf.reserve(BufferPool::MEMBERS, false));
        assert!(!shelf.reserve(1, false));
        assert!(shelf.reserve(BufferPool::ARCHIVES - BufferPool::MEMBERS, true));
        assert!(!shelf.reserve(1, true));
        assert!(!BufferPool::default().reserve(u64::MAX, true));
    }
}
