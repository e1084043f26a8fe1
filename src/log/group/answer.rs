//! The answer to a query.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::log::group::hit_group::HitGroup;
use crate::log::group::single_hits::LogHit;
use crate::model::message::Reason;

/// The answer to a query.
#[derive(Clone, Debug, Default)]
pub struct LogAnswer {
    /// Sorted by key.
    pub groups: Vec<Arc<HitGroup>>,
    /// Single hits whose time is known, if the query asks for them: sorted by time, then by entry and line.
    pub hits: Vec<LogHit>,
    /// Number of sources that the query could read.
    pub sources: usize,
    /// The first of these that does not tell which program wrote it: it counts because it has lines that such logs have.
    pub unknown_writer: Option<Arc<str>>,
    /// True if none of the cluster's pods writes such a log, which only pods write.
    pub unwritten: bool,
    /// Reasons why matching lines may exist that the answer does not have.
    pub gaps: Vec<Reason>,
    /// Writers of which no log is missing, if logs of others were not collected.
    pub whole: Option<Arc<Writers>>,
    /// Number of gaps that are logs of other writers.
    pub absences: usize,
    /// Number of matching lines that have no time.
    pub undated: u64,
    /// Age beyond which lines do not count.
    pub since: Option<SignedDuration>,
    /// For sources with matching lines that are too old to count, the time of the newest of them.
    pub older: BTreeMap<Arc<str>, Timestamp>,
    /// Earliest and latest time of the sources, without clocks that were not set. Lines that were rotated away or truncated lie outside.
    pub covered: (Option<Timestamp>, Option<Timestamp>),
}

/// Nodes, and pods as `namespace/name`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Writers {
    pub nodes: BTreeSet<String>,
    pub pods: BTreeSet<String>,
}

impl Writers {
    /// Returns those that both have.
    pub(in crate::log) fn common(&self, other: &Self) -> Self {
        let both = |a: &BTreeSet<String>, b: &BTreeSet<String>| a.intersection(b).cloned().collect();
        Self { nodes: both(&self.nodes, &other.nodes), pods: both(&self.pods, &other.pods) }
    }
}

impl LogAnswer {
    /// Returns whether a source has matching lines before its first one that counts, so that both are one episode: they are no further
    /// apart than the time in which lines count.
    pub fn goes_back(&self, entry: &str, first: Timestamp) -> bool {
        let near = |older: &Timestamp| self.since.is_some_and(|since| first.duration_since(*older) <= since);
        self.older.get(entry).is_some_and(near)
    }

    /// Returns the writers about whose logs the answer is complete; none if it has all logs, or may lack lines of anyone.
    pub fn complete_for(&self) -> Option<&Arc<Writers>> {
        self.whole.as_ref().filter(|_| self.gaps.len() == self.absences && self.undated == 0)
    }
}
