//! Groups of hits of one source.
//!
//! A hit costs a counter and a position. Its text is only written down for the first and the last hit of
//! a group, when the window that holds them ends.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use jiff::Timestamp;
use regex::bytes::Captures;

use crate::log::group::hit_group::{HitGroup, Largest, Sample};
use crate::log::group::mark::LineMark;
use crate::log::group::mask;
use crate::log::group::retained::{HitDetail, HitRetainer, RetainedHit, RetainedHits};
use crate::log::group::sample::sample;
use crate::log::pattern::expression::Expression;
use crate::log::pattern::expression::ExpressionId;
use crate::log::pattern::query::QueryId;
use crate::log::pattern::retention::Retention;
use crate::log::pattern::set::PatternSet;
use crate::log::time::year::year_earlier;
use crate::model::{Histogram, measure};

/// Largest number of groups of one query.
pub(in crate::log) const MAX_GROUPS: usize = 10_000;
/// Largest size of a captured value, in bytes.
const MAX_VALUE: usize = 1024;
/// Bytes of the groups of one source, beyond which no new groups are made.
const MAX_HELD: usize = 32 << 20;
/// Size of a group without its texts, in bytes.
const GROUP_COST: usize = 1024;

/// Position of a hit in the window.
#[derive(Clone, Debug)]
pub(in crate::log) struct HitSpot {
    pub line: Range<usize>,
    /// Part of the line that the pattern saw.
    pub text: Range<usize>,
    /// 1-based.
    pub number: u64,
}

impl HitSpot {
    /// Returns the position of a match in the line; an empty range at the start of the text without one.
    pub fn in_line(&self, captures: Option<&Captures<'_>>) -> Range<usize> {
        let behind = self.text.start - self.line.start;
        let found = captures.and_then(|captures| captures.get(0)).map_or(0..0, |found| found.range());
        behind + found.start..behind + found.end
    }
}

/// All groups of one source.
#[derive(Debug)]
pub(in crate::log) struct Groups<'s> {
    set: &'s PatternSet,
    entry: Arc<str>,
    groups: Vec<GrowingGroup>,
    /// By query and captured values of the key.
    by_key: HashMap<Vec<u8>, usize>,
    per_query: HashMap<QueryId, usize>,
    /// Groups with hits in this window.
    touched: Vec<usize>,
    /// Hits that are retained one by one, and those of this window that are to be written down.
    retainer: HitRetainer,
    unwritten: Vec<(QueryId, usize, HitSpot, ExpressionId)>,
    /// Queries that have hits for which there was no room in a group.
    pub over_limit: BTreeSet<QueryId>,
    held: usize,
}

#[derive(Debug)]
struct GrowingGroup {
    query: QueryId,
    key: Vec<String>,
    count: u64,
    undated: u64,
    times: Histogram,
    first: EndHit,
    last: EndHit,
    captures: BTreeMap<String, String>,
    all: BTreeMap<String, BTreeSet<String>>,
    /// The hit with the largest value of the capture that `max` names.
    largest: Option<(f64, EndHit)>,
    largest_captures: BTreeMap<String, String>,
}

/// A hit that counts.
#[derive(Debug)]
pub(in crate::log) struct CountedHit<'h> {
    pub assigned: AssignedGroup,
    pub spot: &'h HitSpot,
    pub text: &'h [u8],
    pub time: Option<Timestamp>,
    pub expression: ExpressionId,
    pub keep: Retention,
}

/// Group that a text belongs to.
#[derive(Clone, Copy, Debug)]
pub(in crate::log) struct AssignedGroup {
    pub group: usize,
    /// Value of the capture that `max` names.
    pub magnitude: Option<f64>,
}

/// The first or the last hit of a group.
#[derive(Debug, Default)]
struct EndHit {
    time: Option<Timestamp>,
    /// Not yet written down.
    pending: Option<(HitSpot, ExpressionId)>,
    sample: Option<Sample>,
}

impl EndHit {
    fn is_at(&mut self, time: Option<Timestamp>, spot: &HitSpot, expression: ExpressionId) {
        self.time = time;
        self.pending = Some((spot.clone(), expression));
    }
}

impl GrowingGroup {
    fn new(query: QueryId, key: Vec<String>) -> Self {
        Self {
            query,
            key,
            count: 0,
            undated: 0,
            times: Histogram::default(),
            first: EndHit::default(),
            last: EndHit::default(),
            captures: BTreeMap::new(),
            all: BTreeMap::new(),
            largest: None,
            largest_captures: BTreeMap::new(),
        }
    }

    fn hit(&mut self, hit: &CountedHit<'_>) {
        let CountedHit { spot, time, expression, .. } = *hit;
        self.count += 1;
        match time {
            Some(time) => self.times.add(time),
            None => self.undated += 1,
        }
        let earliest = self.first.time;
        if self.count == 1 || time.is_some_and(|time| earliest.is_none_or(|earliest| time < earliest)) {
            self.first.is_at(time, spot, expression);
        }
        if time >= self.last.time {
            self.last.is_at(time, spot, expression);
        }
        if let Some(value) = hit.assigned.magnitude
            && self.largest.as_ref().is_none_or(|(largest, end)| is_larger((value, time), (*largest, end.time)))
        {
            let (largest, end) = self.largest.get_or_insert_default();
            *largest = value;
            end.is_at(time, spot, expression);
        }
    }

    fn is_touched(&self) -> bool {
        let largest = self.largest.as_ref().is_some_and(|(_, end)| end.pending.is_some());
        self.first.pending.is_some() || self.last.pending.is_some() || largest
    }
}

impl<'s> Groups<'s> {
    pub fn new(set: &'s PatternSet, entry: Arc<str>) -> Self {
        Self {
            set,
            entry,
            groups: Vec::new(),
            by_key: HashMap::new(),
            per_query: HashMap::new(),
            touched: Vec::new(),
            retainer: HitRetainer::default(),
            unwritten: Vec::new(),
            over_limit: BTreeSet::new(),
            held: 0,
        }
    }

    /// Returns the group that a text belongs to and adds the text's values to it; `None` if there are too many groups.
    pub fn assign(&mut self, query: QueryId, expression: ExpressionId, text: &[u8]) -> Option<AssignedGroup> {
        let set = self.set;
        let compiled = set.queries.get(query)?;
        let expression = set.expressions.get(expression)?;
        let captures = if expression.has_captures() { expression.regex()?.captures(text) } else { None };
        let masks = if captures.is_some() { mask::masks(text) } else { Vec::new() };
        let value = |name| {
            let found = captures.as_ref().and_then(|captures| captures.name(name));
            found.map_or(Cow::Borrowed(&[][..]), |found| shorten(mask::without(text, found.range(), &masks)))
        };
        let values: Vec<Cow<'_, [u8]>> = compiled.key_captures().map(value).collect();
        let group = self.group(query, &values)?;
        if let Some(captures) = &captures {
            self.note_values(group, expression, captures, |range| mask::without(text, range, &masks));
        }
        let largest = compiled.source.counting.max.as_deref().and_then(|name| captures.as_ref()?.name(name));
        let magnitude = largest.and_then(|value| measure::magnitude(std::str::from_utf8(value.as_bytes()).ok()?));
        Some(AssignedGroup { group, magnitude })
    }

    fn group(&mut self, query: QueryId, values: &[Cow<'_, [u8]>]) -> Option<usize> {
        let key = lookup_key(query, values);
        if let Some(known) = self.by_key.get(&key) {
            return Some(*known);
        }
        let groups = self.per_query.entry(query).or_default();
        if *groups >= MAX_GROUPS || self.held > MAX_HELD {
            self.over_limit.insert(query);
            return None;
        }
        *groups += 1;
        self.held += GROUP_COST + 2 * key.len();
        self.groups.push(GrowingGroup::new(query, values.iter().map(|value| lossy(value)).collect()));
        self.by_key.insert(key, self.groups.len() - 1);
        Some(self.groups.len() - 1)
    }

    fn note_values<'t>(
        &mut self,
        group: usize,
        expression: &Expression,
        captures: &Captures<'t>,
        without_secrets: impl Fn(Range<usize>) -> Cow<'t, [u8]>,
    ) {
        let Some(group) = self.groups.get_mut(group) else { return };
        let Some(query) = self.set.queries.get(group.query) else { return };
        for (index, name) in expression.captures() {
            let Some(value) = captures.get(index) else { continue };
            let value = lossy(&shorten(without_secrets(value.range())));
            if !group.all.contains_key(name) {
                group.all.insert(name.to_owned(), BTreeSet::new());
            }
            let Some(known) = group.all.get_mut(name) else { continue };
            if known.contains(&value) {
                continue;
            }
            if self.held > MAX_HELD {
                self.over_limit.insert(group.query);
                continue;
            }
            let (len, before) = (value.len(), known.len());
            insert_bounded(known, value, query.values_kept(name));
            self.held += (known.len() - before) * (len + size_of::<String>());
        }
    }

    /// Counts a hit of a group.
    pub fn hit(&mut self, hit: &CountedHit<'_>) {
        let group = hit.assigned.group;
        let Some(growing) = self.groups.get_mut(group) else { return };
        let query = growing.query;
        if !growing.is_touched() {
            self.touched.push(group);
        }
        growing.hit(hit);
        if hit.keep != Retention::Nothing {
            let mark = LineMark::of(hit.text);
            let kept = RetainedHit { group, time: hit.time, line: hit.spot.number, mark, detail: None };
            let number = self.retainer.push(query, hit.keep, kept);
            if hit.keep == Retention::Whole {
                self.unwritten.push((query, number, hit.spot.clone(), hit.expression));
            }
        }
    }

    /// Writes down the hits of this window that reports show.
    pub fn settle(&mut self, lines: &[u8]) {
        for (query, number, spot, expression) in std::mem::take(&mut self.unwritten) {
            let found = HitView::new(self.set, &spot, expression, lines);
            let captures = found.captures();
            let max = self.set.queries.get(query).and_then(|query| query.source.counting.max.as_ref());
            let magnitude = max.and_then(|name| measure::magnitude(captures.get(name)?));
            self.retainer.describe(query, number, HitDetail { sample: found.sample(&self.entry), captures, magnitude });
        }
        for index in std::mem::take(&mut self.touched) {
            let Some(group) = self.groups.get_mut(index) else { continue };
            if let Some((spot, expression)) = group.last.pending.take() {
                let found = HitView::new(self.set, &spot, expression, lines);
                group.captures = found.captures();
                // The only hit of a group is written down once, as the first.
                let only = group.count == 1;
                group.last.sample = (!only).then(|| found.sample(&self.entry));
            }
            if let Some((spot, expression)) = group.first.pending.take() {
                let found = HitView::new(self.set, &spot, expression, lines);
                let sample = found.sample(&self.entry);
                self.held += if group.first.sample.is_none() { 2 * sample.held() } else { 0 };
                let older = group.first.sample.replace(sample);
                if group.last.sample.is_none() && group.count > 1 {
                    group.last.sample = older;
                }
            }
            if let Some((_, largest)) = &mut group.largest
                && let Some((spot, expression)) = largest.pending.take()
            {
                let found = HitView::new(self.set, &spot, expression, lines);
                group.largest_captures = found.captures();
                largest.sample = Some(found.sample(&self.entry));
            }
        }
    }

    /// Moves all times so far back by a year, and empties groups that are then too old for their query.
    pub fn year_earlier(&mut self, cutoff: impl Fn(QueryId) -> Option<Timestamp>) {
        for group in &mut self.groups {
            group.first.time = group.first.time.map(year_earlier);
            group.last.time = group.last.time.map(year_earlier);
            group.times = group.times.shifted(year_earlier);
            if let Some((_, largest)) = &mut group.largest {
                largest.time = largest.time.map(year_earlier);
            }
            if cutoff(group.query).is_some_and(|cutoff| group.last.time.is_some_and(|last| last < cutoff)) {
                *group = GrowingGroup::new(group.query, std::mem::take(&mut group.key));
            }
        }
        self.retainer.year_earlier(cutoff);
    }

    /// Returns the groups with hits, in the order in which they were first seen, and the retained hits.
    pub fn finish(self) -> (Vec<(QueryId, HitGroup)>, BTreeMap<QueryId, RetainedHits>) {
        let entry = self.entry;
        let mut kept = self.retainer.finish();
        let mut finished_groups = Vec::new();
        let mut places = Vec::with_capacity(self.groups.len());
        for group in self.groups {
            places.push(finished_groups.len());
            let query = group.query;
            finished_groups.extend(finished(group, &entry).map(|group| (query, group)));
        }
        for hit in kept.values_mut().flat_map(|kept| &mut kept.hits) {
            hit.group = places.get(hit.group).copied().unwrap_or(hit.group);
        }
        (finished_groups, kept)
    }
}

fn finished(group: GrowingGroup, entry: &Arc<str>) -> Option<HitGroup> {
    let first_hit = group.first.sample?;
    let last_hit = group.last.sample.unwrap_or_else(|| first_hit.clone());
    let captures = group.largest_captures;
    let largest = group.largest.and_then(|(value, end)| {
        let largest = Largest {
            value,
            time: end.time,
            hit: end.sample?,
            captures,
            node: None,
            pod: None,
            source: Arc::clone(entry),
        };
        Some(Box::new(largest))
    });
    Some(HitGroup {
        largest,
        key: group.key,
        captures: group.captures,
        all: group.all,
        count: group.count,
        first: group.first.time,
        last: group.last.time,
        undated: group.undated,
        times: group.times,
        first_hit,
        last_hit,
        node: None,
        pod: None,
        source: Arc::clone(entry),
        has_unknown_writer: false,
        is_pasted: false,
    })
}

/// Returns whether a hit of `max` replaces another one; of equal values the later hit wins, as everywhere.
pub(in crate::log) fn is_larger(new: (f64, Option<Timestamp>), known: (f64, Option<Timestamp>)) -> bool {
    new.0.total_cmp(&known.0).then(new.1.cmp(&known.1)).is_ge()
}

/// A hit seen again, to be written down.
struct HitView<'w> {
    lines: &'w [u8],
    spot: &'w HitSpot,
    expression: Option<&'w Expression>,
    captures: Option<Captures<'w>>,
}

impl<'w> HitView<'w> {
    fn new(set: &'w PatternSet, spot: &'w HitSpot, expression: ExpressionId, lines: &'w [u8]) -> Self {
        let expression = set.expressions.get(expression);
        let text = lines.get(spot.text.clone()).unwrap_or_default();
        let captures = expression.and_then(Expression::regex).and_then(|regex| regex.captures(text));
        Self { lines, spot, expression, captures }
    }

    fn captures(&self) -> BTreeMap<String, String> {
        let (Some(expression), Some(captures)) = (self.expression, &self.captures) else { return BTreeMap::new() };
        let text = self.lines.get(self.spot.text.clone()).unwrap_or_default();
        captured(expression, captures, text)
    }

    fn sample(&self, entry: &Arc<str>) -> Sample {
        let found = self.spot.in_line(self.captures.as_ref());
        sample(entry, self.lines, self.spot.line.clone(), self.spot.number, &found)
    }
}

/// Returns the values of the named captures of a pattern, without secrets.
pub(in crate::log) fn captured(
    expression: &Expression,
    captures: &Captures<'_>,
    text: &[u8],
) -> BTreeMap<String, String> {
    let masks = if expression.has_captures() { mask::masks(text) } else { Vec::new() };
    let without = |range| lossy(&shorten(mask::without(text, range, &masks)));
    let value = |index| captures.get(index).map(|value| without(value.range()));
    expression.captures().filter_map(|(index, name)| Some((name.to_owned(), value(index)?))).collect()
}

/// Adds a value; beyond the limit the smallest values stay, in whatever order they come.
pub(in crate::log) fn insert_bounded(values: &mut BTreeSet<String>, value: String, limit: usize) {
    values.insert(value);
    if values.len() > limit {
        values.pop_last();
    }
}

/// Truncates a value to [`MAX_VALUE`] bytes between two characters.
fn shorten(value: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let end = whole_end(&value);
    match value {
        Cow::Borrowed(value) => Cow::Borrowed(value.get(..end).unwrap_or(value)),
        Cow::Owned(mut value) => {
            value.truncate(end);
            Cow::Owned(value)
        }
    }
}

fn whole_end(value: &[u8]) -> usize {
    let head = value.get(..MAX_VALUE).unwrap_or(value);
    match value.get(MAX_VALUE) {
        Some(next) if next & 0xC0 == 0x80 => head.iter().rposition(|b| b & 0xC0 != 0x80).unwrap_or(head.len()),
        _ => head.len(),
    }
}

fn lossy(value: &[u8]) -> String {
    String::from_utf8_lossy(value).into_owned()
}

fn lookup_key(query: QueryId, values: &[Cow<'_, [u8]>]) -> Vec<u8> {
    let mut key = query.to_le_bytes().to_vec();
    for value in values {
        key.extend_from_slice(&value.len().to_le_bytes());
        key.extend_from_slice(value);
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_cut_between_characters() {
        let value = format!("{}ä{}", "x".repeat(MAX_VALUE - 1), "y".repeat(10));
        assert_eq!(shorten(value.as_bytes().into()).len(), MAX_VALUE - 1);
        assert_eq!(shorten([0x80; 2000][..].into()).len(), MAX_VALUE);
        assert_eq!(&*shorten(b"short"[..].into()), b"short");
    }

    #[test]
    fn bounded_sets_do_not_depend_on_order() {
        let fill = |values: &[&str]| {
            let mut set = BTreeSet::new();
            values.iter().for_each(|v| insert_bounded(&mut set, (*v).to_owned(), 2));
            set.into_iter().collect::<Vec<_>>()
        };
        assert_eq!(fill(&["c", "a", "b"]), ["a", "b"]);
        assert_eq!(fill(&["b", "c", "a"]), ["a", "b"]);
    }

    #[test]
    fn keys_cannot_be_confused() {
        let key = |query, values: &[&'static [u8]]| {
            lookup_key(query, &values.iter().map(|value| Cow::Borrowed(*value)).collect::<Vec<_>>())
        };
        assert_ne!(key(1, &[b"a", b"bc"]), key(1, &[b"ab", b"c"]));
        assert_ne!(key(1, &[b"a"]), key(2, &[b"a"]));
    }
}
