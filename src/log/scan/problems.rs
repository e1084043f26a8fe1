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
use crate::model::{Issue, IssueKind, Origin};

/// Problems of one pass.
pub(super) struct PassProblems<'p> {
    pub read: &'p ReadSummary,
    /// Lines that are longer than `max_line` bytes, those of the window included.
    pub cut_lines: u64,
    pub max_line: usize,
    /// Number of different texts on which a jq filter stopped.
    pub given_up: u64,
    pub unknown_zone: Option<&'p str>,
    /// Queries with too many groups, and with too many single hits.
    pub refused: (usize, usize),
}

impl PassProblems<'_> {
    pub fn issues(&self, source: &LogSource) -> Vec<Issue> {
        let mut messages = Vec::new();
        if let Some(error) = &self.read.error {
            let message = format!("reading stopped after {} bytes, the rest was not seen: {error}", self.read.bytes);
            messages.push((IssueKind::Log, message));
        }
        let cut = self.cut_lines;
        if cut > 0 {
            let (lines, longest) = (if cut == 1 { "line is" } else { "lines are" }, self.max_line);
            let message = format!("{cut} {lines} longer than {longest} bytes (--max-line): the rest was not searched");
            messages.push((IssueKind::Limit, message));
        }
        if self.given_up > 0 {
            let times = if self.given_up == 1 { "once" } else { "several times" };
            let message = format!(
                "{times} a jq filter gave a line up, whose JSON is too deep or takes too many steps: it does not count"
            );
            messages.push((IssueKind::Limit, message));
        }
        if let Some(zone) = self.unknown_zone {
            messages.push((IssueKind::Log, format!("time zone `{zone}` is not known, its times are read as UTC")));
        }
        let (groups, hits) = self.refused;
        if groups > 0 {
            let limit =
                format!("more than {MAX_GROUPS} groups of hits, or too much text in them, for {groups} log facts");
            messages.push((IssueKind::Limit, format!("{limit}: hits beyond are not counted")));
        }
        if hits > 0 {
            let message = format!(
                "more than {MAX_HITS} lines, or too much text in them, for {hits} steps of sequences: lines beyond are not looked at"
            );
            messages.push((IssueKind::Limit, message));
        }
        let at = |(kind, message)| Issue::at(Origin::entry(Arc::clone(&source.entry)), kind, message);
        messages.into_iter().map(at).collect()
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
                kept.lost > 0 && (set.keep(**query) == Retention::Whole) == (keep == Retention::Whole)
            })
            .count()
    };
    let mut messages = Vec::new();
    if count(Retention::Whole) > 0 {
        messages.push(format!(
            "too many matching lines for {} log facts with within, boot or after_boot: only the last {MAX_WHOLE} or 8 MiB of them were weighed",
            count(Retention::Whole)
        ));
    }
    if count(Retention::Marks) > 0 {
        messages.push(format!(
            "more than {MAX_MARKS} matching lines for {} log facts: copies of the first of them in other files count again",
            count(Retention::Marks)
        ));
    }
    let at = |message| Issue::at(Origin::entry(Arc::clone(&source.entry)), IssueKind::Limit, message);
    messages.into_iter().map(at).collect()
}
