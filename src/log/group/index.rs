//! The [`LogIndex`]: hits of all sources, merged into one answer for each query.
//!
//! The result does not depend on the order in which sources were scanned.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;

use crate::log::group::answer::{LogAnswer, Writers};
use crate::log::group::boots::{Boots, NodeStart, START_OF_UNITS};
use crate::log::group::copies::drop_copies;
use crate::log::group::hit_group::HitGroup;
use crate::log::group::merge::{Merge, Span, widen};
use crate::log::group::source_hits::SourceHits;
use crate::log::pattern::query::QueryId;
use crate::log::pattern::set::PatternSet;
use crate::log::source::origin::LogSource;
use crate::log::time::dating::state::StampZone;
use crate::log::time::zone;
use crate::model::message::{LogProblem, Reason, ZoneOffsets};
use crate::model::{Issue, IssueKind};

/// Answers to all queries.
#[derive(Debug, Default)]
pub struct LogIndex {
    answers: Vec<LogAnswer>,
    span: Span,
    /// Earliest time of each source, by entry.
    begins: BTreeMap<Arc<str>, Timestamp>,
    boots: BTreeMap<String, Vec<NodeStart>>,
    /// Programs of which logs of all programs have lines.
    programs: BTreeMap<LogSource, BTreeSet<String>>,
    issues: Vec<Issue>,
    nothing: LogAnswer,
}

impl LogIndex {
    /// Merges the hits of all scanned sources. `sources` are all log sources of the bundle with their
    /// paths without archive layers; `node_of_pod` returns the node of a pod, given by namespace and name.
    pub fn build(
        set: &PatternSet,
        sources: &[(LogSource, String)],
        mut hits: Vec<SourceHits>,
        node_of_pod: &dyn Fn(&str, &str) -> Option<String>,
    ) -> Self {
        hits.sort_by(|a, b| order(a).cmp(&order(b)));
        drop_copies(set, &mut hits);
        let boots = Boots::of(&hits, set.boots());
        let starts = boots.starts();
        let mut merge = Merge::new(set, boots);
        let scanned: BTreeMap<&LogSource, &SourceHits> = hits.iter().map(|hits| (&hits.source, hits)).collect();
        let readers = merge.count_sources(sources, &scanned);
        drop(scanned);
        let mut index = Self { issues: doubtful_zones(&hits, node_of_pod), boots: starts, ..Self::default() };
        for hits in hits {
            let queries = readers.get(&hits.source).map(Vec::as_slice).unwrap_or_default();
            index.note(&hits);
            merge.source(hits, queries, node_of_pod);
        }
        merge.settle_hits();
        index.issues.extend(merge.issues());
        index.issues.sort();
        index.answers = merge.finish();
        index
    }

    fn note(&mut self, hits: &SourceHits) {
        widen(&mut self.span, (hits.first, hits.last));
        if !hits.programs.is_empty() {
            self.programs.insert(hits.source.clone(), hits.programs.clone());
        }
        self.begins.extend(hits.first.map(|first| (Arc::clone(&hits.source.entry), first)));
        self.issues.extend(hits.issues.iter().cloned());
    }

    /// Returns whether a query reads a source and silence of it means that nothing happened: one of all programs has lines of the one that the
    /// query asks for.
    pub fn counts(&self, set: &PatternSet, query: QueryId, source: &LogSource, logical_path: &str) -> bool {
        let none = BTreeSet::new();
        set.query_counts(query, source, logical_path, self.programs.get(source).unwrap_or(&none))
    }

    /// Leaves out of all answers which period their logs cover: nobody knows when that was.
    pub fn forget_periods(&mut self) {
        self.answers.iter_mut().for_each(|answer| answer.covered = (None, None));
    }

    /// Returns the answer to a query; an empty one if there is no such query.
    pub fn answer(&self, query: QueryId) -> &LogAnswer {
        self.answers.get(query).unwrap_or(&self.nothing)
    }

    /// Returns the number of queries; ids are smaller than it.
    pub fn queries(&self) -> usize {
        self.answers.len()
    }

    /// Marks the answer to a query as incomplete, because a source was not collected or is unreadable.
    pub fn add_missing(&mut self, query: QueryId, reason: Reason) {
        if let Some(answer) = self.answers.get_mut(query) {
            answer.gaps.push(reason);
            answer.gaps.sort();
            answer.gaps.dedup();
        }
    }

    /// Marks the answer to a query as incomplete, because logs of some writers were not collected; those of `whole` were.
    pub fn add_absent(&mut self, query: QueryId, reason: Reason, whole: Arc<Writers>) {
        let before = self.answer(query).gaps.len();
        self.add_missing(query, reason);
        if let Some(answer) = self.answers.get_mut(query) {
            answer.absences += answer.gaps.len() - before;
            answer.whole = Some(match answer.whole.take() {
                Some(known) => Arc::new(known.common(&whole)),
                None => whole,
            });
        }
    }

    /// Marks the query of a log that none of the cluster's pods writes.
    pub fn note_unwritten(&mut self, query: QueryId) {
        if let Some(answer) = self.answers.get_mut(query) {
            answer.unwritten = true;
        }
    }

    /// Returns the earliest and latest time in the scanned sources, without clocks that were not set.
    pub fn span(&self) -> (Option<Timestamp>, Option<Timestamp>) {
        self.span
    }

    /// Returns the earliest time in an entry: what was before is not known.
    pub fn begin(&self, entry: &str) -> Option<Timestamp> {
        self.begins.get(entry).copied()
    }

    /// Returns the boot times of nodes, as far as a query asked for them and their logs reach back.
    pub fn boots(&self) -> &BTreeMap<String, Vec<NodeStart>> {
        &self.boots
    }

    /// Notes a start of a node that something else than its logs states, unless they have it.
    pub fn note_start(&mut self, node: &str, start: NodeStart) {
        let starts = self.boots.entry(node.to_owned()).or_default();
        if starts.iter().all(|known| known.at.duration_since(start.at).abs() > START_OF_UNITS) {
            starts.push(start);
            starts.sort();
        }
    }

    /// Returns all groups of hits, by query; single hits have no groups.
    pub fn groups(&self) -> impl Iterator<Item = &HitGroup> {
        self.answers.iter().flat_map(|answer| &answer.groups).map(Arc::as_ref)
    }

    /// Returns what could not be read or kept, sorted, with the sources' own issues.
    pub fn issues(&self) -> &[Issue] {
        &self.issues
    }
}

/// Reports nodes whose logs name no zone and were read as UTC, while containers on them write in another zone.
fn doubtful_zones(hits: &[SourceHits], node_of_pod: &dyn Fn(&str, &str) -> Option<String>) -> Vec<Issue> {
    let assumed: BTreeSet<&str> =
        hits.iter().filter(|hits| hits.zone == StampZone::Assumed).filter_map(|hits| hits.source.node()).collect();
    let mut named: BTreeMap<String, BTreeSet<i32>> = BTreeMap::new();
    for hits in hits.iter().filter(|_| !assumed.is_empty()) {
        if let (StampZone::Named(offset), Some((namespace, pod))) = (hits.zone, hits.source.pod())
            && let Some(node) =
                node_of_pod(namespace, pod).filter(|node| offset != 0 && assumed.contains(node.as_str()))
        {
            named.entry(node).or_default().insert(offset);
        }
    }
    let issue = |(node, offsets): (&String, &BTreeSet<i32>)| {
        let offsets = ZoneOffsets(offsets.iter().map(|offset| zone::format_offset(*offset)).collect());
        Issue::general(IssueKind::Log, LogProblem::ZoneOfNode { node: node.clone(), offsets })
    };
    named.iter().map(issue).collect()
}

/// Sort key: by source, entries of the same name by content.
fn order(hits: &SourceHits) -> (&LogSource, Option<Timestamp>, Option<Timestamp>, u64, u64) {
    (&hits.source, hits.last, hits.first, hits.lines, hits.bytes)
}
