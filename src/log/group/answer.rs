//! The answer to a query.

use std::sync::Arc;

use jiff::Timestamp;

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
    /// True if none of the cluster's pods writes such a log, which only pods write.
    pub unwritten: bool,
    /// Reasons why matching lines may exist that the answer does not have.
    pub gaps: Vec<Reason>,
    /// Number of matching lines that have no time.
    pub undated: u64,
    /// Earliest and latest time of the sources, without clocks that were not set. Lines that were rotated away or truncated lie outside.
    pub covered: (Option<Timestamp>, Option<Timestamp>),
}
