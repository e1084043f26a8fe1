//! The answer to a query.

use std::sync::Arc;

use jiff::Timestamp;

use crate::log::group::hit_group::HitGroup;
use crate::log::group::single_hits::LogHit;

/// The answer to a query.
#[derive(Clone, Debug, Default)]
pub struct LogAnswer {
    /// Sorted by key.
    pub groups: Vec<Arc<HitGroup>>,
    /// Of a query for single hits, those whose time is known: sorted by time, then by entry and line.
    pub hits: Vec<LogHit>,
    /// How many sources the query could read.
    pub sources: usize,
    /// Why some sources are known to be missing.
    pub missing: Vec<String>,
    /// Matching lines that could not be placed in time.
    pub undated: u64,
    /// Earliest and latest time of the sources, but for clocks that were not set: what was rotated away or cut off lies outside.
    pub covered: (Option<Timestamp>, Option<Timestamp>),
}
