//! Issues of a pass over a source: text that it could not read or keep.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::read_summary::ReadSummary;
use crate::log::group::groups::MAX_GROUPS;
use crate::log::group::retained::{MAX_MARKS, MAX_WHOLE, RetainedHits};
use crate::log::group::single_hits::MAX_HITS;
use crate::log::pattern::query::QueryId;
use crate::log::pattern::retention::Retention;
use crate::log::pattern::set::PatternSet;
use crate::log::source::origin::LogSource;
use crate::model::message::LogProblem;
use crate::model::{Issue, IssueKind, Origin};

/// Problems of one pass.
pub(super) struct PassProblems<'p> {
    pub read: &'p ReadSummary,
    /// Lines that are longer than `max_line` bytes, those of the window included.
    pub truncated_lines: u64,
    pub max_line: usize,
    /// Number of different texts on which a jq filter stopped.
    pub given_up: u64,
    pub unknown_zone: Option<&'p str>,
    /// Queries with too many groups, and with too many single hits.
    pub over_limit: (usize, usize),
}

impl PassProblems<'_> {
    pub fn issues(&self, source: &LogSource) -> Vec<Issue> {
        let mut problems = Vec::new();
        if let Some(error) = &self.read.error {
            let (bytes, error) = (self.read.bytes, error.to_string());
            problems.push((IssueKind::Log, LogProblem::Stopped { bytes, error }));
        }
        let longest = self.max_line;
        match self.truncated_lines {
            0 => {}
            1 => problems.push((IssueKind::Limit, LogProblem::LineTooLong { longest })),
            count => problems.push((IssueKind::Limit, LogProblem::LinesTooLong { count, longest })),
        }
        match self.given_up {
            0 => {}
            1 => problems.push((IssueKind::Limit, LogProblem::JqGaveUp)),
            _ => problems.push((IssueKind::Limit, LogProblem::JqGaveUpSeveral)),
        }
        if let Some(zone) = self.unknown_zone {
            problems.push((IssueKind::Log, LogProblem::UnknownZone { zone: zone.to_owned() }));
        }
        let (facts, steps) = self.over_limit;
        if facts > 0 {
            problems.push((IssueKind::Limit, LogProblem::TooManyGroups { most: MAX_GROUPS, facts }));
        }
        if steps > 0 {
            problems.push((IssueKind::Limit, LogProblem::TooManyHits { most: MAX_HITS, steps }));
        }
        let at = |(kind, problem)| Issue::at(Origin::entry(Arc::clone(&source.entry)), kind, problem);
        problems.into_iter().map(at).collect()
    }
}

/// Issues about hits that were too many to be retained.
pub(super) fn retention_issues(
    source: &LogSource,
    set: &PatternSet,
    kept: &BTreeMap<QueryId, RetainedHits>,
) -> Vec<Issue> {
    let count = |keep: Retention| {
        kept.iter()
            .filter(|(query, kept)| {
                kept.dropped > 0 && (set.keep(**query) == Retention::Whole) == (keep == Retention::Whole)
            })
            .count()
    };
    let (whole, marks) = (count(Retention::Whole), count(Retention::Marks));
    let last = (whole > 0).then_some(LogProblem::OnlyLast { facts: whole, most: MAX_WHOLE });
    let copies = (marks > 0).then_some(LogProblem::TooManyForCopies { most: MAX_MARKS, facts: marks });
    let at = |problem| Issue::at(Origin::entry(Arc::clone(&source.entry)), IssueKind::Limit, problem);
    last.into_iter().chain(copies).map(at).collect()
}
