//! The work of a pass: what waits, where its bytes come from, and how many bytes lie open.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::bundle::read::Failure;

/// What waits.
#[derive(Default)]
pub(super) struct Queue {
    pub visits: BinaryHeap<Visit>,
    pub opens: BinaryHeap<Open>,
    pub workers: usize,
    /// Threads that expand what a worker reads.
    pub expanding: usize,
    pub failures: Vec<Failure>,
}

/// An entry whose bytes can be reached; ordered by size, then by job.
pub(super) struct Visit {
    pub size: u64,
    pub job: usize,
    pub source: Source,
}

/// A nested archive that is to be opened.
pub(super) struct Open {
    pub size: u64,
    pub layer: usize,
    pub source: Source,
}

impl Visit {
    fn rank(&self) -> (u64, Reverse<usize>) {
        (self.size, Reverse(self.job))
    }
}

impl Open {
    /// Archives whose surrounding archive lies open come first: that one stays in memory for their sake.
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

/// Where the bytes of a member come from.
#[derive(Clone)]
pub(super) enum Source {
    /// The file or folder that the user gave.
    Disk,
    /// A zip in memory, in which the member lies.
    Archive(Arc<Charged>),
    /// The member itself, kept since it was listed.
    Held(Arc<Vec<u8>>),
    /// The member itself, and what was wrong with it.
    Buffered(Arc<Charged>, Option<String>),
}

/// Bytes that count against a bound as long as somebody has them.
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

/// One piece of work.
pub(super) enum Work {
    Open(Open),
    Visit(Visit),
}
