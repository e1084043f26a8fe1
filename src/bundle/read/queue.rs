//! Work of a pass: the queue, the sources of bytes, and the number of bytes held in memory.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::bundle::read::failure::Failure;
use crate::model::message::ArchiveProblem;

/// Queued work.
#[derive(Default)]
pub(super) struct Queue {
    pub visits: BinaryHeap<Visit>,
    pub opens: BinaryHeap<Open>,
    pub workers: usize,
    /// Threads that expand ahead of a worker.
    pub expanding: usize,
    pub failures: Vec<Failure>,
}

/// Entry whose bytes can be reached; ordered by size, then by request.
pub(super) struct Visit {
    pub size: u64,
    pub request: usize,
    pub source: Source,
}

/// Nested archive to open.
pub(super) struct Open {
    pub size: u64,
    pub layer: usize,
    pub source: Source,
}

impl Visit {
    fn rank(&self) -> (u64, Reverse<usize>) {
        (self.size, Reverse(self.request))
    }
}

impl Open {
    /// Ranks archives whose parent archive is in memory first, because it stays in memory until they are done.
    fn rank(&self) -> (bool, u64, Reverse<usize>) {
        (matches!(self.source, Source::Archive(_)), self.size, Reverse(self.layer))
    }
}

macro_rules! ordered_by_rank {
    ($name:ident) => {
        impl Ord for $name {
            fn cmp(&self, other: &Self) -> std::cmp::Ordering {
                self.rank().cmp(&other.rank())
            }
        }
        impl PartialOrd for $name {
            fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }
        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.cmp(other).is_eq()
            }
        }
        impl Eq for $name {}
    };
}
ordered_by_rank!(Visit);
ordered_by_rank!(Open);

/// Source of a member's bytes.
#[derive(Clone)]
pub(super) enum Source {
    /// The user's file or folder.
    Disk,
    /// Zip in memory that contains the member.
    Archive(Arc<Charged>),
    /// The member itself, kept since listing.
    Held(Arc<Vec<u8>>),
    /// The member itself, and its fault.
    Buffered(Arc<Charged>, Option<ArchiveProblem>),
}

/// Bytes that count against a limit while they are in use.
pub(super) struct Charged {
    pub bytes: Arc<Vec<u8>>,
    pub size: u64,
    counter: Arc<AtomicU64>,
}

impl Charged {
    pub fn new(bytes: Arc<Vec<u8>>, counter: &Arc<AtomicU64>) -> Arc<Self> {
        let size = bytes.len() as u64;
        counter.fetch_add(size, Ordering::AcqRel);
        Arc::new(Self { bytes, size, counter: Arc::clone(counter) })
    }
}

impl Drop for Charged {
    fn drop(&mut self) {
        self.counter.fetch_sub(self.size, Ordering::AcqRel);
    }
}

/// Unit of work.
pub(super) enum Work {
    Open(Open),
    Visit(Visit),
}
