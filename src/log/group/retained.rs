//! Hits that are retained in addition to the groups of one source, for conditions that cannot be decided while a log
//! streams by: hits that lie close together, come after the last boot, or have copies in another file.

use std::collections::{BTreeMap, VecDeque};

use jiff::Timestamp;

use crate::log::group::hit_group::Sample;
use crate::log::group::mark::LineMark;
use crate::log::pattern::query::QueryId;
use crate::log::pattern::retention::Retention;
use crate::log::time::year::year_earlier;

/// Largest number of hits of one query and source that are retained with their texts.
pub(in crate::log) const MAX_WHOLE: usize = 10_000;
/// Largest number of hits of one query and source that are retained to recognise copies.
pub(in crate::log) const MAX_MARKS: usize = 20_000;
/// Bytes that the retained hits of one source may take.
const MAX_HELD: usize = 8 << 20;

/// One retained hit.
#[derive(Clone, Debug)]
pub(in crate::log) struct RetainedHit {
    /// Index in the groups of its source.
    pub group: usize,
    pub time: Option<Timestamp>,
    /// 1-based.
    pub line: u64,
    pub mark: LineMark,
    pub detail: Option<Box<HitDetail>>,
}

/// Text and captures of a retained hit.
#[derive(Clone, Debug)]
pub(in crate::log) struct HitDetail {
    pub sample: Sample,
    pub captures: BTreeMap<String, String>,
    /// Value of the capture that `max` names.
    pub magnitude: Option<f64>,
}

impl RetainedHit {
    /// Returns the bytes that it takes.
    fn held(&self) -> usize {
        let text = |(name, value): (&String, &String)| name.len() + value.len() + 2 * size_of::<String>();
        let detail = |detail: &HitDetail| {
            size_of::<HitDetail>() + detail.sample.held() + detail.captures.iter().map(text).sum::<usize>()
        };
        size_of::<Self>() + self.detail.as_deref().map_or(0, detail)
    }
}

/// Retained hits of one query.
#[derive(Clone, Debug, Default)]
pub(in crate::log) struct RetainedHits {
    pub hits: Vec<RetainedHit>,
    /// Number of hits before them that were dropped.
    pub dropped: usize,
}

/// Retains hits of a source while it is scanned: if there are too many, the last ones, because they show the present state.
#[derive(Debug, Default)]
pub(in crate::log) struct HitRetainer {
    queries: BTreeMap<QueryId, LastHits>,
    held: usize,
}

/// Last hits of one query.
#[derive(Debug, Default)]
struct LastHits {
    /// `None` replaces hits that turned out to be too old.
    hits: VecDeque<Option<RetainedHit>>,
    /// Number of hits that were dropped at the front.
    dropped: usize,
}

impl HitRetainer {
    /// Retains a hit; returns its number among those of its query.
    pub fn push(&mut self, query: QueryId, keep: Retention, hit: RetainedHit) -> usize {
        let last = self.queries.entry(query).or_default();
        let most = if keep == Retention::Whole { MAX_WHOLE } else { MAX_MARKS };
        if (last.hits.len() >= most || self.held > MAX_HELD)
            && let Some(oldest) = last.hits.pop_front()
        {
            last.dropped += 1;
            self.held = self.held.saturating_sub(oldest.as_ref().map_or(0, RetainedHit::held));
        }
        self.held += hit.held();
        last.hits.push_back(Some(hit));
        last.dropped + last.hits.len() - 1
    }

    /// Adds text and captures to a hit, if it is still retained.
    pub fn describe(&mut self, query: QueryId, number: usize, detail: HitDetail) {
        let Some(last) = self.queries.get_mut(&query) else { return };
        let position = number.checked_sub(last.dropped);
        let Some(Some(hit)) = position.and_then(|position| last.hits.get_mut(position)) else { return };
        let before = hit.held();
        hit.detail = Some(Box::new(detail));
        self.held += hit.held() - before;
    }

    /// Moves all times so far back by a year, and drops hits that are then too old for their query.
    pub fn year_earlier(&mut self, cutoff: impl Fn(QueryId) -> Option<Timestamp>) {
        for (query, last) in &mut self.queries {
            let cutoff = cutoff(*query);
            for place in &mut last.hits {
                let Some(hit) = place else { continue };
                hit.time = hit.time.map(year_earlier);
                if cutoff.is_some_and(|cutoff| hit.time.is_some_and(|time| time < cutoff)) {
                    self.held = self.held.saturating_sub(hit.held());
                    *place = None;
                }
            }
        }
    }

    pub fn finish(self) -> BTreeMap<QueryId, RetainedHits> {
        let kept =
            |last: LastHits| RetainedHits { hits: last.hits.into_iter().flatten().collect(), dropped: last.dropped };
        self.queries.into_iter().map(|(query, last)| (query, kept(last))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(line: u64) -> RetainedHit {
        RetainedHit { group: 0, time: None, line, mark: LineMark::of(b"x"), detail: None }
    }

    fn detail(text: String) -> HitDetail {
        let (matched, before, after) = (String::new(), Vec::new(), Vec::new());
        let sample = Sample { entry: "e".into(), line: 1, text, matched, before, after };
        HitDetail { sample, captures: BTreeMap::new(), magnitude: None }
    }

    #[test]
    fn the_last_hits_are_kept() {
        let mut retainer = HitRetainer::default();
        let numbers: Vec<usize> =
            (0..MAX_WHOLE as u64 + 5).map(|line| retainer.push(7, Retention::Whole, hit(line))).collect();
        assert_eq!(numbers.last(), Some(&(MAX_WHOLE + 4)));
        retainer.describe(7, 4, detail("gone".to_owned()));
        retainer.describe(7, 5, detail("first".to_owned()));
        let kept = retainer.finish().remove(&7).unwrap();
        assert_eq!((kept.hits.len(), kept.dropped), (MAX_WHOLE, 5));
        let first = kept.hits.first().unwrap();
        assert_eq!((first.line, first.detail.as_ref().map(|d| d.sample.text.as_str())), (5, Some("first")));
    }

    #[test]
    fn retained_hits_are_bounded_in_bytes() {
        let mut retainer = HitRetainer::default();
        for line in 0..1000 {
            let number = retainer.push(0, Retention::Whole, hit(line));
            retainer.describe(0, number, detail("x".repeat(100_000)));
        }
        let kept = retainer.finish().remove(&0).unwrap();
        assert!(kept.hits.len() < 100 && kept.hits.len() + kept.dropped == 1000, "{}", kept.hits.len());
        assert_eq!(kept.hits.last().map(|hit| hit.line), Some(999));
    }
}
