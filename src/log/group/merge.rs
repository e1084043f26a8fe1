//! Merges the hits of all sources into one answer for each query: groups of several sources, and single hits where all
//! sources are needed to decide whether they count.

use std::collections::BTreeSet;
use std::collections::btree_map::{BTreeMap, Entry};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::log::group::answer::LogAnswer;
use crate::log::group::boots::{BootCondition, Boots};
use crate::log::group::burst::{Count, Values, heaviest};
use crate::log::group::groups::{MAX_GROUPS, insert_bounded, is_larger};
use crate::log::group::hit_group::{HitGroup, Largest};
use crate::log::group::retained::{RetainedHit, RetainedHits};
use crate::log::group::single_hits::{self, MAX_HITS};
use crate::log::group::source_hits::SourceHits;
use crate::log::pattern::compiled_query::{CompiledQuery, MAX_VALUES};
use crate::log::pattern::query::{GroupKey, QueryId};
use crate::log::pattern::retention::Retention;
use crate::log::pattern::set::PatternSet;
use crate::log::source::origin::LogSource;
use crate::model::message::{LogProblem, Reason};
use crate::model::{Issue, IssueKind};

/// Earliest and latest time of logs.
pub(in crate::log) type Span = (Option<Timestamp>, Option<Timestamp>);

/// Largest number of single hits of one query that are weighed together.
const MAX_WEIGHED: usize = 200_000;

/// Answers while they grow.
pub(in crate::log) struct Merge<'s> {
    set: &'s PatternSet,
    boots: Boots,
    groups: Vec<BTreeMap<Vec<String>, HitGroup>>,
    /// Hits that only count if enough of them lie close together in time.
    scattered: Vec<Scattered>,
    answers: Vec<LogAnswer>,
    /// Queries that have hits for which there was no room in a group.
    over_limit: BTreeSet<QueryId>,
    /// Queries for single hits that have too many hits.
    too_many: BTreeSet<QueryId>,
}

/// Groups of single hits, each hit as a group of its own.
#[derive(Clone, Default)]
struct Scattered {
    groups: BTreeMap<Vec<String>, Vec<HitGroup>>,
    hits: usize,
}

impl<'s> Merge<'s> {
    pub fn new(set: &'s PatternSet, boots: Boots) -> Self {
        let queries = set.queries.len();
        Self {
            set,
            boots,
            groups: vec![BTreeMap::new(); queries],
            scattered: vec![Scattered::default(); queries],
            answers: set
                .queries
                .iter()
                .map(|query| LogAnswer { since: query.source.since, ..LogAnswer::default() })
                .collect(),
            over_limit: BTreeSet::new(),
            too_many: BTreeSet::new(),
        }
    }

    /// Counts the sources of each query and returns the queries of each source. One of all programs counts if it has lines of the one
    /// that a query asks for; one of an unknown program, if it has lines that a query of such logs looks for.
    pub fn count_sources(
        &mut self,
        sources: &[(LogSource, String)],
        scanned: &BTreeMap<&LogSource, &SourceHits>,
    ) -> BTreeMap<LogSource, Vec<QueryId>> {
        let mut readers = BTreeMap::new();
        for (source, path) in sources {
            let queries: Vec<QueryId> = self.set.queries_of(&self.set.accepted(source, path)).collect();
            let hits = scanned.get(source);
            let is_unknown = source.has_unknown_writer();
            let with_lines = hits.filter(|_| is_unknown).into_iter().flat_map(|hits| hits.with_hits());
            let selectors: BTreeSet<Option<usize>> = with_lines.map(|query| self.set.selector_of(query)).collect();
            let is_of_several = !self.set.programs(source, path).is_empty();
            let counts = |query: QueryId| {
                let of = |hits: &&SourceHits| {
                    self.set.query_counts(query, source, path, &hits.programs) || hits.has_any_of(query)
                };
                match is_unknown {
                    true => self.set.is_telling(query) && selectors.contains(&self.set.selector_of(query)),
                    false => !is_of_several || hits.is_none_or(of),
                }
            };
            for query in &queries {
                let Some(answer) = self.answers.get_mut(*query).filter(|_| counts(*query)) else { continue };
                answer.sources += 1;
                if is_unknown {
                    answer.unknown_writer.get_or_insert_with(|| Arc::clone(&source.entry));
                }
                if hits.is_none() {
                    answer.gaps.push(Reason::LogNotRead { entry: source.entry.to_string() });
                }
            }
            if !queries.is_empty() {
                readers.insert(source.clone(), queries);
            }
        }
        readers
    }

    /// Adds the hits of a source; `queries` are those that read it.
    pub fn source(
        &mut self,
        hits: SourceHits,
        queries: &[QueryId],
        node_of_pod: &dyn Fn(&str, &str) -> Option<String>,
    ) {
        for query in queries {
            let Some(answer) = self.answers.get_mut(*query) else { continue };
            widen(&mut answer.covered, (hits.first, hits.last));
            if !hits.complete {
                answer.gaps.push(Reason::LogNotReadToEnd { entry: hits.source.entry.to_string() });
            }
        }
        for (query, unseen) in &hits.unseen {
            if let Some(answer) = self.answers.get_mut(*query) {
                answer.gaps.push(unseen.reason(&hits.source.entry));
            }
        }
        for (query, count) in &hits.undated {
            if let Some(answer) = self.answers.get_mut(*query) {
                answer.undated += count;
            }
        }
        for (query, time) in &hits.older {
            if let Some(answer) = self.answers.get_mut(*query) {
                answer.older.insert(Arc::clone(&hits.source.entry), *time);
            }
        }
        let place = NodeAndPod::of(&hits.source, node_of_pod);
        self.too_many.extend(&hits.too_many);
        let shared = |text: &Option<String>| text.as_deref().map(Arc::from);
        let (node, pod): (Option<Arc<str>>, Option<Arc<str>>) = (shared(&place.node), shared(&place.pod));
        let order = |line: u64| if hits.newest_first { -(line as i64) } else { line as i64 };
        for kept in hits.hits {
            let Some(answer) = self.answers.get_mut(kept.query) else { continue };
            match kept.time {
                Some(time) => answer.hits.push(hit((time, order(kept.line)), kept, &hits.source, &node, &pod)),
                None => answer.undated += 1,
            }
        }
        for (query, kept) in hits.kept {
            if self.set.keep(query) == Retention::Whole {
                self.single(query, kept, &hits.groups, &hits.source, &place);
            }
        }
        for (query, group) in hits.groups {
            if self.set.keep(query) != Retention::Whole && group.count > 0 {
                self.group(query, group, &place);
            }
        }
    }

    /// Adds the hits of a query that weighs each hit.
    fn single(
        &mut self,
        query: QueryId,
        kept: RetainedHits,
        groups: &[(QueryId, HitGroup)],
        source: &LogSource,
        place: &NodeAndPod,
    ) {
        let Some(wanted) = self
            .set
            .queries
            .get(query)
            .map(|query| BootCondition { current: query.source.boot_current, after: query.source.after_boot })
        else {
            return;
        };
        let mut gaps = BTreeMap::new();
        if kept.dropped > 0 {
            gaps.insert(Reason::OnlyLastWeighed { entry: source.entry.to_string() }, 0);
        }
        for hit in kept.hits {
            match self.boots.admits(wanted, source, place.node.as_deref(), &hit) {
                Ok(true) => {
                    let key = groups.get(hit.group).map(|(_, group)| group.key.clone()).unwrap_or_default();
                    if let Some(group) = single_group(hit, key, source) {
                        self.group(query, group, place);
                    }
                }
                Ok(false) => {}
                Err(why) => *gaps.entry(why).or_insert(0_u64) += 1,
            }
        }
        if let Some(answer) = self.answers.get_mut(query) {
            answer.gaps.extend(gaps.into_iter().map(|(why, lines)| match lines {
                0 => why,
                1 => Reason::LineNotPlaced { entry: source.entry.to_string(), why: Box::new(why) },
                count => Reason::LinesNotPlaced { count, entry: source.entry.to_string(), why: Box::new(why) },
            }));
        }
    }

    fn group(&mut self, query: QueryId, mut group: HitGroup, place: &NodeAndPod) {
        let Some(compiled) = self.set.queries.get(query) else { return };
        group.node.clone_from(&place.node);
        group.pod.clone_from(&place.pod);
        group.has_unknown_writer = place.has_unknown_writer;
        group.is_pasted = place.is_pasted;
        if let Some(largest) = &mut group.largest {
            largest.node.clone_from(&place.node);
            largest.pod.clone_from(&place.pod);
        }
        group.key = full_key(compiled, &group);
        let taken = match (compiled.source.counting.within, self.scattered.get_mut(query), self.groups.get_mut(query)) {
            (Some(_), Some(scattered), _) => scattered.add(group, self.answers.get_mut(query)),
            (None, _, Some(groups)) => add(groups, group, compiled),
            _ => true,
        };
        if !taken {
            self.over_limit.insert(query);
        }
    }

    /// Sorts single hits, and marks answers with too many of them as incomplete.
    pub fn settle_hits(&mut self) {
        for (query, answer) in self.answers.iter_mut().enumerate() {
            if single_hits::settle(&mut answer.hits) {
                self.too_many.insert(query);
            }
            if self.too_many.contains(&query) {
                answer.gaps.push(Reason::TooManyHits { most: MAX_HITS });
            }
        }
    }

    pub fn issues(&self) -> Vec<Issue> {
        let mut problems: Vec<LogProblem> = Vec::new();
        problems
            .extend(self.set.unusable().map(|pattern| LogProblem::PatternTooLarge { pattern: pattern.to_string() }));
        for query in self.too_many.iter().filter_map(|query| self.set.queries.get(*query)) {
            let pattern = query.source.patterns.first().cloned().unwrap_or_default();
            problems.push(LogProblem::TooManyHitsOfPattern { most: MAX_HITS, pattern });
        }
        for query in self.over_limit.iter().filter_map(|query| self.set.queries.get(*query)) {
            let pattern = query.source.patterns.first().cloned().unwrap_or_default();
            problems.push(LogProblem::TooManyGroupsOfPattern { most: MAX_GROUPS, pattern });
        }
        problems.into_iter().map(|problem| Issue::general(IssueKind::Limit, problem)).collect()
    }

    pub fn finish(mut self) -> Vec<LogAnswer> {
        for query in &self.over_limit {
            if let Some(answer) = self.answers.get_mut(*query) {
                answer.gaps.push(Reason::TooManyGroups { most: MAX_GROUPS });
            }
        }
        let parts = self.answers.into_iter().zip(self.groups).zip(self.scattered).zip(&self.set.queries);
        parts
            .map(|(((answer, mut groups), scattered), query)| {
                if let Some(within) = query.source.counting.within {
                    groups = scattered.gathered(query, within);
                }
                finished(answer, groups, query)
            })
            .collect()
    }
}

/// Node and pod of a source, as its groups name them.
struct NodeAndPod {
    node: Option<String>,
    pod: Option<String>,
    /// True if neither is known and any program may have written the source.
    has_unknown_writer: bool,
    is_pasted: bool,
}

impl NodeAndPod {
    fn of(source: &LogSource, node_of_pod: &dyn Fn(&str, &str) -> Option<String>) -> Self {
        let (node, pod) = match source.pod() {
            Some((namespace, pod)) => (node_of_pod(namespace, pod), Some(format!("{namespace}/{pod}"))),
            None => (source.node().map(str::to_owned), None),
        };
        Self { node, pod, has_unknown_writer: source.has_unknown_writer(), is_pasted: source.is_pasted() }
    }
}

fn hit(
    (time, order): (Timestamp, i64),
    kept: single_hits::SingleHit,
    source: &LogSource,
    node: &Option<Arc<str>>,
    pod: &Option<Arc<str>>,
) -> single_hits::LogHit {
    let single_hits::SingleHit { line, text, matched, captures, .. } = kept;
    let entry = Arc::clone(&source.entry);
    single_hits::LogHit { time, entry, order, line, text, captures, node: node.clone(), pod: pod.clone(), matched }
}

/// Makes a group of one hit.
fn single_group(hit: RetainedHit, key: Vec<String>, source: &LogSource) -> Option<HitGroup> {
    let detail = *hit.detail?;
    let largest = detail.magnitude.map(|value| {
        Box::new(Largest {
            value,
            time: hit.time,
            hit: detail.sample.clone(),
            captures: detail.captures.clone(),
            node: None,
            pod: None,
            source: Arc::clone(&source.entry),
        })
    });
    Some(HitGroup {
        key,
        all: BTreeMap::new(),
        count: 1,
        first: hit.time,
        last: hit.time,
        undated: u64::from(hit.time.is_none()),
        times: hit.time.into_iter().collect(),
        first_hit: detail.sample.clone(),
        last_hit: detail.sample,
        captures: detail.captures,
        largest,
        node: None,
        pod: None,
        source: Arc::clone(&source.entry),
        has_unknown_writer: false,
        is_pasted: false,
    })
}

/// Returns the values of all keys; unknown ones are empty.
fn full_key(query: &CompiledQuery, group: &HitGroup) -> Vec<String> {
    let mut captures = group.key.iter();
    let value = |key: &GroupKey| match key {
        GroupKey::Capture(_) => captures.next().cloned(),
        GroupKey::Node => group.node.clone(),
        GroupKey::Pod => group.pod.clone(),
        GroupKey::Source => Some(group.source.to_string()),
    };
    let own = group.has_unknown_writer.then(|| group.source.to_string());
    query.source.by.iter().map(value).map(Option::unwrap_or_default).chain(own).collect()
}

/// Adds a group; returns false if there are too many groups.
fn add(groups: &mut BTreeMap<Vec<String>, HitGroup>, mut group: HitGroup, query: &CompiledQuery) -> bool {
    note_own_values(&mut group);
    let full = groups.len() >= MAX_GROUPS;
    match groups.entry(group.key.clone()) {
        Entry::Occupied(mut known) => merge(known.get_mut(), group, query),
        Entry::Vacant(_) if full => return false,
        Entry::Vacant(place) => drop(place.insert(group)),
    }
    true
}

/// Fills in the values of a group of one hit.
fn note_own_values(group: &mut HitGroup) {
    if group.all.is_empty() {
        let values = group.captures.iter().map(|(name, value)| (name.clone(), BTreeSet::from([value.clone()])));
        group.all = values.collect();
    }
}

/// Adds a group of a later source to one of the same key.
fn merge(known: &mut HitGroup, other: HitGroup, query: &CompiledQuery) {
    known.count += other.count;
    known.undated += other.undated;
    known.times.merge(&other.times);
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
    if let Some(other) = other.largest
        && known.largest.as_ref().is_none_or(|l| is_larger((other.value, other.time), (l.value, l.time)))
    {
        known.largest = Some(other);
    }
}

impl Scattered {
    /// Keeps a hit with a time; returns false if there are too many groups.
    fn add(&mut self, hit: HitGroup, answer: Option<&mut LogAnswer>) -> bool {
        let Some(answer) = answer else { return true };
        if hit.first.is_none() {
            answer.undated += 1;
            return true;
        }
        if self.hits >= MAX_WEIGHED {
            answer.gaps.push(Reason::TooManyWeighed { most: MAX_WEIGHED });
            answer.gaps.dedup();
            return true;
        }
        if self.groups.len() >= MAX_GROUPS && !self.groups.contains_key(&hit.key) {
            return false;
        }
        self.hits += 1;
        self.groups.entry(hit.key.clone()).or_default().push(hit);
        true
    }

    /// Reduces each group to the interval that holds the most.
    fn gathered(self, query: &CompiledQuery, within: SignedDuration) -> BTreeMap<Vec<String>, HitGroup> {
        let mut groups = BTreeMap::new();
        for hits in self.groups.into_values() {
            for hit in densest(hits, query, within) {
                add(&mut groups, hit, query);
            }
        }
        groups
    }
}

fn densest(mut hits: Vec<HitGroup>, query: &CompiledQuery, within: SignedDuration) -> Vec<HitGroup> {
    hits.sort_by(|a, b| {
        (a.first, &a.first_hit.entry, a.first_hit.line).cmp(&(b.first, &b.first_hit.entry, b.first_hit.line))
    });
    let times: Vec<Timestamp> = hits.iter().filter_map(|hit| hit.first).collect();
    let range = match query.source.counting.counted_values() {
        Some(capture) => {
            let values: Vec<Option<&str>> =
                hits.iter().map(|hit| hit.captures.get(capture).map(String::as_str)).collect();
            heaviest(&times, within, Values::new(&values)).map(|(range, _)| range)
        }
        None => heaviest(&times, within, Count::default()).map(|(range, _)| range),
    };
    range.map_or_else(Vec::new, |range| hits.drain(range).collect())
}

pub(in crate::log) fn widen(span: &mut Span, other: Span) {
    span.0 = span.0.into_iter().chain(other.0).min();
    span.1 = span.1.max(other.1);
}

fn finished(mut answer: LogAnswer, groups: BTreeMap<Vec<String>, HitGroup>, query: &CompiledQuery) -> LogAnswer {
    let counted = groups.into_values().map(|group| counted(group, query));
    let is_enough =
        |group: &HitGroup| query.source.counting.is_enough(group.count, |capture| values_of(group, capture));
    let enough = counted.filter(|group| group.is_pasted || is_enough(group));
    answer.groups = enough.map(|group| Arc::new(bounded(represented(group, query)))).collect();
    answer.gaps.sort();
    answer.gaps.dedup();
    answer
}

/// Leaves at most [`MAX_VALUES`] values of each capture.
fn bounded(mut group: HitGroup) -> HitGroup {
    for values in group.all.values_mut() {
        while values.len() > MAX_VALUES {
            values.pop_last();
        }
    }
    group
}

/// Counts values instead of lines, with `distinct`.
fn counted(mut group: HitGroup, query: &CompiledQuery) -> HitGroup {
    if let Some(capture) = &query.source.counting.distinct {
        group.count = values_of(&group, capture);
    }
    group
}

fn values_of(group: &HitGroup, capture: &str) -> u64 {
    group.all.get(capture).map_or(0, BTreeSet::len) as u64
}

/// Lets the hit with the largest value represent the group, with `max`.
fn represented(mut group: HitGroup, query: &CompiledQuery) -> HitGroup {
    match &group.largest {
        Some(largest) if query.source.counting.max.is_some() => {
            group.captures.clone_from(&largest.captures);
            group.node.clone_from(&largest.node);
            group.pod.clone_from(&largest.pod);
            group.source = Arc::clone(&largest.source);
        }
        _ => group.largest = None,
    }
    group
}
