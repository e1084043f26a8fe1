//! The [`LogIndex`]: what all sources gave, merged into one answer for each query.
//!
//! The result does not depend on the order in which sources were scanned.

use std::collections::BTreeSet;
use std::collections::btree_map::{BTreeMap, Entry};
use std::sync::Arc;

use jiff::Timestamp;

use super::group::{MAX_GROUPS, insert_bounded};
use super::hits::{self, Hit, Kept, MAX_HITS};
use super::pattern::{MAX_VALUES, PatternSet, Query};
use super::scan::SourceHits;
use super::{AtLeast, GroupKey, HitGroup, LogAnswer, LogSource, QueryId};
use crate::model::{Issue, IssueKind};

/// Times between which logs were seen.
type Span = (Option<Timestamp>, Option<Timestamp>);

/// Answers to all queries.
#[derive(Debug, Default)]
pub struct LogIndex {
    answers: Vec<LogAnswer>,
    covered: Vec<Span>,
    span: Span,
    issues: Vec<Issue>,
    nothing: LogAnswer,
}

impl LogIndex {
    /// Merges the hits of all scanned sources. `sources` are all log sources of the bundle with their
    /// paths without archive layers; `node_of_pod` tells where a pod, given by namespace and name, ran.
    pub fn build(
        set: &PatternSet,
        sources: &[(LogSource, String)],
        mut hits: Vec<SourceHits>,
        node_of_pod: &dyn Fn(&str, &str) -> Option<String>,
    ) -> Self {
        hits.sort_by(|a, b| order(a).cmp(&order(b)));
        let mut merge = Merge::new(set);
        let scanned: BTreeSet<&LogSource> = hits.iter().map(|hits| &hits.source).collect();
        let readers = merge.count_sources(sources, &scanned);
        drop(scanned);
        let mut index = Self::default();
        for hits in hits {
            let queries = readers.get(&hits.source).map(Vec::as_slice).unwrap_or_default();
            index.note(&hits);
            merge.source(hits, queries, node_of_pod);
        }
        merge.settle_hits();
        index.covered = merge.covered.clone();
        index.issues.extend(merge.issues());
        index.issues.sort();
        index.answers = merge.finish();
        index
    }

    fn note(&mut self, hits: &SourceHits) {
        widen(&mut self.span, (hits.first, hits.last));
        self.issues.extend(hits.issues.iter().cloned());
    }

    /// The answer to a query; an empty one if there is no such query.
    pub fn answer(&self, query: QueryId) -> &LogAnswer {
        self.answers.get(query).unwrap_or(&self.nothing)
    }

    /// How many queries there are; their ids are those below it.
    pub fn queries(&self) -> usize {
        self.answers.len()
    }

    /// Notes that a query's answer is incomplete because a source is known to be missing.
    pub fn add_missing(&mut self, query: QueryId, reason: impl Into<String>) {
        if let Some(answer) = self.answers.get_mut(query) {
            answer.missing.push(reason.into());
            answer.missing.sort();
            answer.missing.dedup();
        }
    }

    /// Earliest and latest time seen in the sources that were scanned.
    pub fn span(&self) -> (Option<Timestamp>, Option<Timestamp>) {
        self.span
    }

    /// Earliest and latest time seen in the sources of a query.
    pub fn covered(&self, query: QueryId) -> (Option<Timestamp>, Option<Timestamp>) {
        self.covered.get(query).copied().unwrap_or_default()
    }

    /// What could not be read or kept, sorted; the sources' own issues included.
    pub fn issues(&self) -> &[Issue] {
        &self.issues
    }
}

/// By source; entries of the same name by content.
fn order(hits: &SourceHits) -> (&LogSource, Option<Timestamp>, Option<Timestamp>, u64, u64) {
    (&hits.source, hits.last, hits.first, hits.lines, hits.bytes)
}

fn widen(span: &mut Span, other: Span) {
    span.0 = span.0.into_iter().chain(other.0).min();
    span.1 = span.1.max(other.1);
}

/// Answers while they grow.
struct Merge<'s> {
    set: &'s PatternSet,
    groups: Vec<BTreeMap<Vec<String>, HitGroup>>,
    answers: Vec<LogAnswer>,
    covered: Vec<Span>,
    refused: BTreeSet<QueryId>,
    /// Queries for single hits that have too many.
    too_many: BTreeSet<QueryId>,
}

impl<'s> Merge<'s> {
    fn new(set: &'s PatternSet) -> Self {
        let queries = set.queries.len();
        Self {
            set,
            groups: vec![BTreeMap::new(); queries],
            answers: vec![LogAnswer::default(); queries],
            covered: vec![Span::default(); queries],
            refused: BTreeSet::new(),
            too_many: BTreeSet::new(),
        }
    }

    /// Counts the sources of each query and tells the queries of each source.
    fn count_sources(
        &mut self,
        sources: &[(LogSource, String)],
        scanned: &BTreeSet<&LogSource>,
    ) -> BTreeMap<LogSource, Vec<QueryId>> {
        let mut readers = BTreeMap::new();
        for (source, path) in sources {
            let queries: Vec<QueryId> = self.set.queries_of(&self.set.accepted(source, path)).collect();
            for query in &queries {
                let Some(answer) = self.answers.get_mut(*query) else { continue };
                answer.sources += 1;
                if !scanned.contains(source) {
                    answer.missing.push(format!("{} was not read", source.entry));
                }
            }
            if !queries.is_empty() {
                readers.insert(source.clone(), queries);
            }
        }
        readers
    }

    fn source(&mut self, hits: SourceHits, queries: &[QueryId], node_of_pod: &dyn Fn(&str, &str) -> Option<String>) {
        for query in queries {
            if let Some(covered) = self.covered.get_mut(*query) {
                widen(covered, (hits.first, hits.last));
            }
            if let Some(answer) = self.answers.get_mut(*query).filter(|_| !hits.complete) {
                answer.missing.push(format!("{} could not be read to its end", hits.source.entry));
            }
        }
        for (query, count) in &hits.undated {
            if let Some(answer) = self.answers.get_mut(*query) {
                answer.undated += count;
            }
        }
        let place = Place::of(&hits.source, node_of_pod);
        self.too_many.extend(&hits.too_many);
        let shared = |text: &Option<String>| text.as_deref().map(Arc::from);
        let (node, pod): (Option<Arc<str>>, Option<Arc<str>>) = (shared(&place.node), shared(&place.pod));
        for kept in hits.hits {
            let Some(answer) = self.answers.get_mut(kept.query) else { continue };
            match kept.time {
                Some(time) => answer.hits.push(hit(kept, time, &hits.source, &node, &pod)),
                None => answer.undated += 1,
            }
        }
        for (query, group) in hits.groups {
            self.group(query, group, &place);
        }
    }

    fn group(&mut self, query: QueryId, mut group: HitGroup, place: &Place) {
        let (Some(compiled), Some(groups)) = (self.set.queries.get(query), self.groups.get_mut(query)) else { return };
        group.node.clone_from(&place.node);
        group.pod.clone_from(&place.pod);
        group.key = full_key(compiled, &group);
        let full = groups.len() >= MAX_GROUPS;
        match groups.entry(group.key.clone()) {
            Entry::Occupied(mut known) => merge(known.get_mut(), group, compiled),
            Entry::Vacant(place) if !full => {
                place.insert(group);
            }
            Entry::Vacant(_) => {
                self.refused.insert(query);
            }
        }
    }

    /// Sorts single hits; an answer that lacks some says so.
    fn settle_hits(&mut self) {
        for (query, answer) in self.answers.iter_mut().enumerate() {
            if hits::settle(&mut answer.hits) {
                self.too_many.insert(query);
            }
            if self.too_many.contains(&query) {
                answer.missing.push(format!("more than {MAX_HITS} lines match, and those beyond were not looked at"));
            }
        }
    }

    fn issues(&self) -> Vec<Issue> {
        let mut messages: Vec<String> = Vec::new();
        messages.extend(self.set.unusable().map(|pattern| format!("pattern `{pattern}` is too large to search for")));
        for query in self.too_many.iter().filter_map(|query| self.set.queries.get(*query)) {
            let pattern = query.source.patterns.first().map_or("", String::as_str);
            messages.push(format!("more than {MAX_HITS} lines match `{pattern}`: those beyond are not looked at"));
        }
        for query in self.refused.iter().filter_map(|query| self.set.queries.get(*query)) {
            let pattern = query.source.patterns.first().map_or("", String::as_str);
            messages.push(format!("more than {MAX_GROUPS} groups of hits of `{pattern}`: hits beyond are not counted"));
        }
        messages.into_iter().map(|message| Issue::general(IssueKind::Limit, message)).collect()
    }

    fn finish(self) -> Vec<LogAnswer> {
        let parts = self.answers.into_iter().zip(self.groups).zip(&self.set.queries);
        parts.map(|((answer, groups), query)| finished(answer, groups, query)).collect()
    }
}

fn hit(kept: Kept, time: Timestamp, source: &LogSource, node: &Option<Arc<str>>, pod: &Option<Arc<str>>) -> Hit {
    let Kept { line, text, captures, .. } = kept;
    Hit { time, entry: Arc::clone(&source.entry), line, text, captures, node: node.clone(), pod: pod.clone() }
}

/// Node and pod of a source, as its groups name them.
struct Place {
    node: Option<String>,
    pod: Option<String>,
}

impl Place {
    fn of(source: &LogSource, node_of_pod: &dyn Fn(&str, &str) -> Option<String>) -> Self {
        match source.pod() {
            Some((namespace, pod)) => {
                Self { node: node_of_pod(namespace, pod), pod: Some(format!("{namespace}/{pod}")) }
            }
            None => Self { node: source.node().map(str::to_owned), pod: None },
        }
    }
}

/// The values of all keys; an unknown one is empty.
fn full_key(query: &Query, group: &HitGroup) -> Vec<String> {
    let mut captures = group.key.iter();
    let value = |key: &GroupKey| match key {
        GroupKey::Capture(_) => captures.next().cloned(),
        GroupKey::Node => group.node.clone(),
        GroupKey::Pod => group.pod.clone(),
        GroupKey::Source => Some(group.source.to_string()),
    };
    query.source.by.iter().map(value).map(Option::unwrap_or_default).collect()
}

/// Adds a group of a later source to one of the same key.
fn merge(known: &mut HitGroup, other: HitGroup, query: &Query) {
    known.count += other.count;
    known.undated += other.undated;
    for (capture, values) in other.all {
        let limit = query.values_kept(&capture);
        let kept = known.all.entry(capture).or_default();
        values.into_iter().for_each(|value| insert_bounded(kept, value, limit));
    }
    if other.first.is_some_and(|other| known.first.is_none_or(|first| other < first)) {
        known.first = other.first;
        known.first_hit = other.first_hit;
    }
    if other.last >= known.last {
        known.last = other.last;
        known.last_hit = other.last_hit;
        known.captures = other.captures;
        known.node = other.node;
        known.pod = other.pod;
        known.source = other.source;
    }
}

fn finished(mut answer: LogAnswer, groups: BTreeMap<Vec<String>, HitGroup>, query: &Query) -> LogAnswer {
    answer.groups = groups.into_values().filter(|group| is_enough(group, query)).collect();
    for values in answer.groups.iter_mut().flat_map(|group| group.all.values_mut()) {
        while values.len() > MAX_VALUES {
            values.pop_last();
        }
    }
    answer.missing.sort();
    answer.missing.dedup();
    answer
}

fn is_enough(group: &HitGroup, query: &Query) -> bool {
    match &query.source.at_least {
        None => true,
        Some(AtLeast::Hits(wanted)) => group.count >= *wanted,
        Some(AtLeast::Distinct(capture, wanted)) => group.all.get(capture).map_or(0, BTreeSet::len) as u64 >= *wanted,
    }
}
