//! What every container gives when it is listed: a [`Listing`] of [`Member`]s, raw names and all, and a [`Store`] that
//! finds a member again.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::bundle::containers::detect::Format;
use crate::bundle::containers::packing::Packing;
use crate::bundle::containers::zip;
use crate::bundle::limits::{Limits, Refusal};
use crate::bundle::path::{Name, clean};
use crate::model::IssueKind;

/// One container, listed.
pub(crate) struct Listing {
    pub store: Store,
    /// In the order of the container; a member's place is its index.
    pub members: Vec<Member>,
    /// Bytes that the archive takes; none where nothing is compressed.
    pub stored: Option<u64>,
    /// What is wrong with the container as a whole: there may be more in it than is listed.
    pub trouble: Vec<(IssueKind, String)>,
    /// What is odd about it, and takes nothing away.
    pub remarks: Vec<String>,
}

impl Listing {
    /// Bytes of all files.
    pub fn bytes(&self) -> u64 {
        self.members.iter().map(|member| member.size).fold(0, u64::saturating_add)
    }

    /// Clean paths of all files whose name allows one.
    pub fn paths(&self) -> Vec<String> {
        let files = self.members.iter().filter(|member| matches!(member.what, MemberKind::File));
        let path = |member: &Member| match clean(&member.name) {
            Name::Path(path, _) => Some(path),
            _ => None,
        };
        files.filter_map(path).collect()
    }
}

/// How to get at the members again.
pub(crate) enum Store {
    /// Full path of each member.
    Folder(Vec<PathBuf>),
    /// Directory record of each member.
    Zip(Vec<zip::Record>),
    /// Read from the start each time, at most `allowed` bytes of it once it is expanded.
    Tar { packing: Option<Packing>, allowed: u64 },
    /// A file that was compressed alone; the same way.
    Packed(Packing),
    /// All members are held.
    Memory,
}

/// One thing in a container.
pub(crate) struct Member {
    /// As the container states it.
    pub name: String,
    /// Bytes, expanded.
    pub size: u64,
    /// CRC-32 where the container states it or all of it was read.
    pub crc: Option<u32>,
    pub what: MemberKind,
    /// Where it was looked at already.
    pub format: Option<Format>,
    /// Its bytes, where they were cheap to keep.
    pub held: Option<Arc<Vec<u8>>>,
}

/// What a member is.
pub(crate) enum MemberKind {
    File,
    Folder,
    /// A symbolic or hard link and its target.
    Link(String),
    /// A device, pipe or socket.
    Special,
    /// Larger than a limit allows.
    Refused(Refusal),
    Encrypted,
    /// Compressed in a way that is not read.
    Method(String),
}

/// What a listing may do.
#[derive(Clone, Copy)]
pub(crate) struct ListContext<'a> {
    pub limits: &'a Limits,
    /// Entries that may still come.
    pub entries: u64,
    /// Bytes that may still come.
    pub bytes: u64,
    pub shelf: &'a BufferPool,
}

impl ListContext<'_> {
    /// Members after which listing stops: folders and duplicates are not entries, but cost as well.
    pub fn most_members(&self) -> usize {
        usize::try_from(self.entries).unwrap_or(usize::MAX).saturating_mul(2).saturating_add(1024)
    }

    /// The trouble to tell when there are more.
    pub fn too_many(&self) -> (IssueKind, String) {
        (IssueKind::Limit, format!("more than {} members; the rest was not read", self.most_members()))
    }
}

/// Bytes kept from listing to reading, so that small archives are expanded once instead of twice.
#[derive(Default)]
pub(crate) struct BufferPool {
    taken: AtomicU64,
    loading: Mutex<()>,
}

impl BufferPool {
    /// For members of any kind; little in tests, so that they take the ways of large bundles too.
    const MEMBERS: u64 = if cfg!(test) { 1 << 10 } else { 32 << 20 };
    /// For nested archives: reading their members needs them whole.
    const ARCHIVES: u64 = if cfg!(test) { 1 << 11 } else { 64 << 20 };

    /// Waits until nobody else has a large archive in memory; who holds the guard must not wait for anybody.
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
