//! Tests of scanning and merging as a whole; this file holds what they share.

mod formats;
mod merging;
mod order;
mod reference;
mod scanning;
mod text;

use crate::log::group::index::LogIndex;
use crate::log::group::source_hits::SourceHits;
use crate::log::pattern::query::{GroupKey, LogQuery};
use crate::log::pattern::set::PatternSet;
use crate::log::scan::scanner::Limits;
use crate::log::source::origin::{LogSource, SourceOrigin};
use crate::log::source::selector::{Selector, SourceGlob};
use crate::log::time::clock::Clock;

/// A query over all sources that makes one group.
pub fn query(patterns: &[&str]) -> LogQuery {
    LogQuery {
        selector: Selector { any: vec![SourceGlob::default()] },
        patterns: patterns.iter().map(|p| (*p).to_owned()).collect(),
        ..LogQuery::default()
    }
}

/// The same, with a group for each value of a capture.
pub fn by(capture: &str, patterns: &[&str]) -> LogQuery {
    LogQuery { by: vec![GroupKey::Capture(capture.to_owned())], ..query(patterns) }
}

/// A journal of a node.
pub fn source() -> LogSource {
    let origin = SourceOrigin::Unit { node: "n1".to_owned(), unit: "kernel".to_owned() };
    LogSource { entry: "nodes/n1.zip!/n1/logs/kernel.log".into(), origin }
}

/// A collection time.
pub fn clock(now: &str) -> Clock {
    Clock { now: Some(now.parse().unwrap()), ..Clock::default() }
}

/// Scans one log and indexes it.
pub fn run(queries: Vec<LogQuery>, log: &[u8], clock: Clock, limits: Limits) -> (SourceHits, LogIndex) {
    let set = PatternSet::compile(queries).unwrap();
    let hits = set.scanner(&source(), "p", clock).unwrap().with_limits(limits).scan(&mut &*log);
    let index = LogIndex::build(&set, &[(source(), "p".to_owned())], vec![hits.clone()], &|_, _| None);
    (hits, index)
}

/// Scans one log of March 2024.
pub fn simple(queries: Vec<LogQuery>, log: &str) -> LogIndex {
    run(queries, log.as_bytes(), clock("2024-03-10T00:00:00Z"), Limits::default()).1
}
