//! Single hits, for queries about the order of lines and not their number.
//!
//! Such a hit has its time, its captures and one line of text. Their number is limited for each source while
//! it is scanned, and for each query when all sources are merged.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;

use crate::log::group::groups::{HitSpot, captured};
use crate::log::group::hit_group::{HitGroup, Sample};
use crate::log::group::sample::{Excerpt, line_of};
use crate::log::pattern::expression::Expression;
use crate::log::pattern::expression::ExpressionId;
use crate::log::pattern::query::QueryId;
use crate::log::pattern::set::PatternSet;
use crate::log::time::year::year_earlier;

/// Largest number of hits of one query; those with the latest times are dropped.
pub(in crate::log) const MAX_HITS: usize = 100_000;
/// Bytes that the hits of one source may take.
const MAX_HELD: usize = 32 << 20;
/// Size of a hit without its texts, in bytes.
const HIT_COST: usize = 256;
/// Largest number of distinct values of a capture in a group of hits.
const MAX_VALUES: usize = 100;

/// One matching line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LogHit {
    pub time: Timestamp,
    /// Path of the entry.
    pub entry: Arc<str>,
    /// Position among the lines of the entry, in the order in which they were written.
    pub order: i64,
    /// 1-based.
    pub line: u64,
    /// As in a [`Sample`].
    pub text: String,
    /// As in a [`HitGroup`].
    pub captures: BTreeMap<String, String>,
    pub node: Option<Arc<str>>,
    /// `namespace/name`.
    pub pod: Option<Arc<str>>,
    /// As in a [`Sample`].
    pub matched: String,
}

impl LogHit {
    /// Returns whether it comes after another hit: lines of one log by their order, of several logs by their
    /// times. Lines of several logs with the same time may have come in either order.
    pub fn follows(&self, other: &Self) -> bool {
        self.time > other.time || (self.time == other.time && (self.entry != other.entry || self.order > other.order))
    }

    fn sample(&self) -> Sample {
        let (text, matched) = (self.text.clone(), self.matched.clone());
        Sample { entry: Arc::clone(&self.entry), line: self.line, text, matched, before: vec![], after: vec![] }
    }
}

impl HitGroup {
    /// Makes the group of some hits in their order; `None` without hits.
    pub fn of(hits: &[&LogHit]) -> Option<Self> {
        let (first, last) = (hits.first()?, hits.last()?);
        let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (name, value) in hits.iter().take(MAX_VALUES).flat_map(|hit| &hit.captures) {
            all.entry(name.clone()).or_default().insert(value.clone());
        }
        Some(Self {
            key: Vec::new(),
            captures: last.captures.clone(),
            all,
            count: hits.len() as u64,
            first: hits.iter().map(|hit| hit.time).min(),
            last: hits.iter().map(|hit| hit.time).max(),
            undated: 0,
            times: hits.iter().map(|hit| hit.time).collect(),
            first_hit: first.sample(),
            last_hit: last.sample(),
            largest: None,
            node: last.node.as_deref().map(str::to_owned),
            pod: last.pod.as_deref().map(str::to_owned),
            source: Arc::clone(&last.entry),
            has_unknown_writer: false,
            is_pasted: false,
        })
    }
}

/// A hit of one source.
#[derive(Clone, Debug)]
pub(in crate::log) struct SingleHit {
    pub query: QueryId,
    pub time: Option<Timestamp>,
    pub line: u64,
    pub text: String,
    pub matched: String,
    pub captures: BTreeMap<String, String>,
}

/// All single hits of one source.
#[derive(Debug, Default)]
pub(in crate::log) struct SingleHits {
    kept: Vec<SingleHit>,
    per_query: BTreeMap<QueryId, usize>,
    held: usize,
    /// Queries that had too many hits.
    pub over_limit: BTreeSet<QueryId>,
}

impl SingleHits {
    /// Keeps a hit: a line of the window, of which the pattern saw `spot.text`.
    pub fn add(
        &mut self,
        set: &PatternSet,
        (query, expression): (QueryId, ExpressionId),
        lines: &[u8],
        spot: &HitSpot,
        time: Option<Timestamp>,
    ) {
        let count = self.per_query.entry(query).or_default();
        if *count >= MAX_HITS || self.held > MAX_HELD {
            self.over_limit.insert(query);
            return;
        }
        *count += 1;
        let expression = set.expressions.get(expression);
        let text = lines.get(spot.text.clone()).unwrap_or_default();
        let found = expression.and_then(Expression::regex).and_then(|regex| regex.captures(text));
        let captures = match (expression, &found) {
            (Some(expression), Some(found)) => captured(expression, found, text),
            _ => BTreeMap::new(),
        };
        let Excerpt { text, matched } = line_of(lines, spot.line.clone(), &spot.in_line(found.as_ref()));
        let values = captures.iter().map(|(name, value)| name.len() + value.len());
        self.held += HIT_COST + text.len() + matched.len() + values.sum::<usize>();
        self.kept.push(SingleHit { query, time, line: spot.number, text, matched, captures });
    }

    /// Moves all times so far back by a year, and drops hits that are then too old for their query.
    pub fn year_earlier(&mut self, cutoff: impl Fn(QueryId) -> Option<Timestamp>) {
        for hit in &mut self.kept {
            hit.time = hit.time.map(year_earlier);
        }
        self.kept.retain(|hit| {
            let old = cutoff(hit.query).is_some_and(|cutoff| hit.time.is_some_and(|time| time < cutoff));
            !old
        });
    }

    /// Returns the hits in the order of their lines.
    pub fn finish(self) -> Vec<SingleHit> {
        self.kept
    }
}

/// Sorts the hits of a query and removes copies of a line in other files, as `syslog` has of the kernel's.
/// Returns whether there were too many hits.
pub(in crate::log) fn settle(hits: &mut Vec<LogHit>) -> bool {
    hits.sort_unstable();
    let mut copies = copies(hits).into_iter();
    hits.retain(|_| copies.next() != Some(true));
    let too_many = hits.len() > MAX_HITS;
    hits.truncate(MAX_HITS);
    too_many
}

/// Marks hits with the same text and time as an earlier hit of another file.
fn copies(hits: &[LogHit]) -> Vec<bool> {
    let mut seen: BTreeMap<(&str, Option<&str>, Option<&str>), &str> = BTreeMap::new();
    let mut time = None;
    let is_copy = |hit| {
        let LogHit { entry, text, node, pod, .. }: &LogHit = hit;
        if time.replace(hit.time) != Some(hit.time) {
            seen.clear();
        }
        **seen.entry((text, node.as_deref(), pod.as_deref())).or_insert(entry) != **entry
    };
    hits.iter().map(is_copy).collect()
}
