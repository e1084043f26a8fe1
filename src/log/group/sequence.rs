//! Finds sequences of hits: one of the first query, then one of the next, all within a time, and none of
//! some other queries around them.
//!
//! Matches are looked for in the order of time. A line is part of one match only. The earliest possible
//! line is taken for each step; if a condition between steps refuses it, the next one is tried. A line of
//! an absent step excludes the line from which its interval is counted.

use crate::log::group::single_hits::LogHit;

/// Largest number of lines that are tried for one sequence; a sequence that needs more has no condition that joins its steps.
pub const MAX_TRIES: usize = 1_000_000;

/// Order and distance of the steps of a sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sequence {
    pub steps: Vec<StepPresence>,
    /// Longest time from the first line of a match to its last, both included.
    pub within: jiff::SignedDuration,
    /// True if present steps come in their order.
    pub ordered: bool,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepPresence {
    /// Number of lines; at least one.
    Present(usize),
    Absent(Absent),
}

/// Interval without lines: from the `anchor`th line of the match (from 0, by time) moved by `slide`, for as
/// long as the match takes and `within` more, both ends included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Absent {
    pub anchor: usize,
    pub slide: jiff::SignedDuration,
    pub within: jiff::SignedDuration,
}

/// Answer of the conditions about a line of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepVerdict {
    Yes,
    No,
    /// Not known: the line is no line of a present step, but may be one of an absent step.
    Unknown,
}

/// Lines that belong together, by step: indexes of its hits, in order. Absent steps have none.
pub type Chosen = Vec<Vec<usize>>;

/// One match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    pub lines: Chosen,
    /// True if a line of an absent step may lie in its interval.
    pub doubtful: bool,
}

/// All matches.
#[derive(Debug, Default)]
pub struct Matches {
    /// In the order of their first lines.
    pub list: Vec<Match>,
    /// There were too many lines to try; the matches in the list are valid.
    pub gave_up: bool,
}

/// Conditions between steps: called with a step and the lines chosen so far, of which the step's last line is the new one.
pub type Holds<'c> = &'c mut dyn FnMut(usize, &Chosen) -> StepVerdict;

/// Finds all matches among the hits of each step, which are sorted by time, entry and line. `conditions` decides
/// whether
/// `holds` can refuse a line at all; `budget` is the number of lines that may still be tried.
pub fn find(
    sequence: &Sequence,
    hits: &[Vec<&LogHit>],
    conditions: bool,
    budget: &mut usize,
    holds: Holds<'_>,
) -> Matches {
    let present: Vec<usize> = (0..sequence.steps.len())
        .filter(|step| matches!(sequence.steps.get(*step), Some(StepPresence::Present(_))))
        .collect();
    let used = hits.iter().map(|list| vec![false; list.len()]).collect();
    let mut search = Search { sequence, hits, present, used, conditions, holds, budget };
    let mut found = Matches::default();
    for (step, first) in search.starts() {
        search.all_from(step, first, &mut found.list);
        if *search.budget == 0 {
            found.gave_up = true;
            break;
        }
    }
    found
}

struct Search<'s, 'c> {
    sequence: &'s Sequence,
    hits: &'s [Vec<&'s LogHit>],
    /// Present steps in their order.
    present: Vec<usize>,
    /// By step: lines that are part of a match or were excluded.
    used: Vec<Vec<bool>>,
    conditions: bool,
    holds: Holds<'c>,
    budget: &'c mut usize,
}

impl<'s> Search<'s, '_> {
    /// Returns the lines that may be the first of a match, by time.
    fn starts(&self) -> Vec<(usize, usize)> {
        let steps = if self.sequence.ordered { self.present.get(..1) } else { self.present.get(..) };
        let all = steps.into_iter().flatten().flat_map(|step| (0..self.list(*step).len()).map(|index| (*step, index)));
        let mut starts: Vec<(usize, usize)> = all.collect();
        starts.sort_by_key(|(step, index)| self.hit(*step, *index).map(|hit| hit.time));
        starts
    }

    /// Returns the match that begins with this line, unless the line is excluded or leads to no match.
    fn all_from(&mut self, step: usize, first: usize, found: &mut Vec<Match>) {
        while !self.is_used(step, first) && *self.budget > 0 {
            let mut order = vec![step];
            order.extend(self.present.iter().copied().filter(|other| *other != step));
            let mut lines: Chosen = vec![Vec::new(); self.sequence.steps.len()];
            if !self.fill(&order, 0, first, &mut lines) {
                return;
            }
            match self.refuted(&lines) {
                Some((step, index)) => self.use_up(step, index),
                None => {
                    let doubtful = self.is_doubtful(&lines);
                    for (step, indexes) in lines.iter().enumerate() {
                        indexes.iter().for_each(|index| self.use_up(step, *index));
                    }
                    found.push(Match { lines, doubtful });
                }
            }
        }
    }

    /// Chooses lines for the steps from `depth` on; returns whether there are such lines.
    fn fill(&mut self, order: &[usize], depth: usize, first: usize, lines: &mut Chosen) -> bool {
        let Some(&step) = order.get(depth) else { return true };
        let mut from = if depth == 0 { first } else { self.earliest(order, depth, step, lines) };
        loop {
            if !self.run(order, step, from, lines) {
                return false;
            }
            if self.fill(order, depth + 1, first, lines) {
                return true;
            }
            let begun = lines.get_mut(step).and_then(|chosen| {
                let begun = chosen.first().copied();
                chosen.clear();
                begun
            });
            // Without conditions a later line leaves the other steps no more room.
            let Some(begun) = begun.filter(|_| self.conditions && depth > 0) else { return false };
            from = begun + 1;
        }
    }

    /// Chooses the earliest lines for one step from an index on; at the first step that index itself.
    fn run(&mut self, order: &[usize], step: usize, from: usize, lines: &mut Chosen) -> bool {
        let Some(StepPresence::Present(count)) = self.sequence.steps.get(step) else { return false };
        let is_first = order.first() == Some(&step);
        for index in from..self.list(step).len() {
            *self.budget = self.budget.saturating_sub(1);
            let open = *self.budget > 0 && self.fits_window(order, step, index, lines);
            if !open || (is_first && index > from && lines.get(step).is_none_or(Vec::is_empty)) {
                break;
            }
            if self.is_used(step, index) || !self.in_order(order, step, index, lines) {
                continue;
            }
            if let Some(chosen) = lines.get_mut(step) {
                chosen.push(index);
            }
            if (self.holds)(step, lines) != StepVerdict::Yes {
                lines.get_mut(step).and_then(Vec::pop);
            } else if lines.get(step).is_some_and(|chosen| chosen.len() >= *count) {
                return true;
            }
        }
        if let Some(chosen) = lines.get_mut(step) {
            chosen.clear();
        }
        false
    }

    /// Returns the first line that is not before those that it must follow.
    fn earliest(&self, order: &[usize], depth: usize, step: usize, lines: &Chosen) -> usize {
        let before = if self.sequence.ordered { order.get(depth - 1) } else { order.first() };
        let chosen = before.and_then(|before| Some((before, lines.get(*before)?)));
        let bound = chosen.and_then(|(before, chosen)| {
            let index = if self.sequence.ordered { chosen.last() } else { chosen.first() };
            self.hit(*before, *index?)
        });
        bound.map_or(0, |bound| self.list(step).partition_point(|hit| hit.time < bound.time))
    }

    /// Returns whether a line is near enough to the first one.
    fn fits_window(&self, order: &[usize], step: usize, index: usize, lines: &Chosen) -> bool {
        let first = order.first().and_then(|step| self.hit(*step, *lines.get(*step)?.first()?));
        let (Some(first), Some(hit)) = (first, self.hit(step, index)) else { return true };
        hit.time.duration_since(first.time) <= self.sequence.within
    }

    /// Returns whether a line comes after all chosen lines, if order matters.
    fn in_order(&self, order: &[usize], step: usize, index: usize, lines: &Chosen) -> bool {
        let Some(hit) = self.hit(step, index) else { return false };
        let mut chosen =
            order.iter().flat_map(|step| lines.get(*step).into_iter().flatten().map(|index| (*step, *index)));
        !self.sequence.ordered
            || chosen.all(|(step, index)| self.hit(step, index).is_none_or(|before| hit.follows(before)))
    }

    /// Returns the line that a line of an absent step excludes.
    fn refuted(&mut self, lines: &Chosen) -> Option<(usize, usize)> {
        self.negative(lines, StepVerdict::Yes)
    }

    fn is_doubtful(&mut self, lines: &Chosen) -> bool {
        self.negative(lines, StepVerdict::Unknown).is_some()
    }

    /// Returns the anchor of the first absent step with a line in its interval for which the conditions give `verdict`.
    fn negative(&mut self, lines: &Chosen, verdict: StepVerdict) -> Option<(usize, usize)> {
        let by_time = self.by_time(lines);
        let time =
            |place: Option<&(usize, usize)>| place.and_then(|(step, index)| self.hit(*step, *index)).map(|h| h.time);
        let width = time(by_time.last())?.duration_since(time(by_time.first())?);
        for (step, wanted) in self.sequence.steps.iter().enumerate() {
            let StepPresence::Absent(absent) = wanted else { continue };
            let Some(anchor) = by_time.get(absent.anchor).copied() else { continue };
            let Some(start) = self.hit(anchor.0, anchor.1).map(|hit| nanos(hit) + absent.slide.as_nanos()) else {
                continue;
            };
            let end = start + absent.within.as_nanos() + width.as_nanos();
            if self.any_between(step, start, end, lines, verdict) {
                return Some(anchor);
            }
        }
        None
    }

    fn any_between(&mut self, step: usize, start: i128, end: i128, lines: &Chosen, verdict: StepVerdict) -> bool {
        let list = self.list(step);
        let from = list.partition_point(|hit| nanos(hit) < start);
        let to = list.partition_point(|hit| nanos(hit) <= end);
        let mut with = lines.clone();
        (from..to).any(|index| {
            *self.budget = self.budget.saturating_sub(1);
            if let Some(chosen) = with.get_mut(step) {
                *chosen = vec![index];
            }
            (self.holds)(step, &with) == verdict
        })
    }

    /// The lines of a match by time.
    fn by_time(&self, lines: &Chosen) -> Vec<(usize, usize)> {
        let all = lines.iter().enumerate().flat_map(|(step, chosen)| chosen.iter().map(move |index| (step, *index)));
        let mut all: Vec<(usize, usize)> = all.collect();
        all.sort_by_key(|(step, index)| self.hit(*step, *index).map(|hit| hit.time));
        all
    }

    fn list(&self, step: usize) -> &'s [&'s LogHit] {
        self.hits.get(step).map(Vec::as_slice).unwrap_or_default()
    }

    fn hit(&self, step: usize, index: usize) -> Option<&'s LogHit> {
        self.list(step).get(index).copied()
    }

    fn is_used(&self, step: usize, index: usize) -> bool {
        self.used.get(step).and_then(|used| used.get(index)).copied().unwrap_or(true)
    }

    fn use_up(&mut self, step: usize, index: usize) {
        if let Some(used) = self.used.get_mut(step).and_then(|used| used.get_mut(index)) {
            *used = true;
        }
    }
}

fn nanos(hit: &LogHit) -> i128 {
    hit.time.as_nanosecond()
}

#[cfg(test)]
mod tests;
