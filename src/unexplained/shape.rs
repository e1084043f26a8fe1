//! Shapes of lines over time: whether two templates moved together.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};

use crate::log::MinedTemplate;
use crate::model::Histogram;

/// Cosine, or correlation, from which two shapes are one.
const ALIKE: f64 = 0.95;
/// Seconds of the intervals in which lines of an incident are counted, at least: the width of a histogram that is next to an hour.
const INTERVAL: i64 = 3840;
/// Intervals that say something about a shape, at least.
const TELLING: usize = 3;
/// Share of the squared differences between random counts that those of lines written together have at most.
const STEP: f64 = 0.2;
/// Lines about one failure are written within this time.
const MOMENT: SignedDuration = SignedDuration::from_secs(2);

/// Lines by interval.
pub struct Shape(Vec<(i64, u64)>, i64);

impl Shape {
    pub fn of(times: &Histogram) -> Self {
        Self(starts(times), times.width().max(INTERVAL))
    }

    pub fn is_like(&self, other: &Self) -> bool {
        let width = self.1.max(other.1);
        cosine(&[by(&self.0, width), by(&other.0, width)]) > ALIKE
    }
}

fn starts(times: &Histogram) -> Vec<(i64, u64)> {
    times.stretches().map(|(start, count)| (start.as_second(), count)).collect()
}

fn by(starts: &[(i64, u64)], width: i64) -> BTreeMap<i64, f64> {
    let mut counts = BTreeMap::new();
    for (start, count) in starts {
        *counts.entry(start.div_euclid(width)).or_default() += *count as f64;
    }
    counts
}

fn cosine([a, b]: &[BTreeMap<i64, f64>; 2]) -> f64 {
    let length = product(a, a).sqrt() * product(b, b).sqrt();
    if length > 0.0 { product(a, b) / length } else { 0.0 }
}

fn product(a: &BTreeMap<i64, f64>, b: &BTreeMap<i64, f64>) -> f64 {
    a.iter().filter_map(|(at, count)| Some(count * b.get(at)?)).sum()
}

/// Returns whether each interval of the second has at least as many lines in the first.
pub fn holds(all: &Histogram, part: &Histogram) -> bool {
    let width = all.width().max(part.width());
    let (all, part) = (by(&starts(all), width), by(&starts(part), width));
    part.iter().all(|(at, count)| all.get(at).is_some_and(|all| all >= count))
}

/// Lines of one log over time.
#[derive(Clone, Debug)]
pub struct Track {
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    times: Histogram,
}

impl Track {
    pub fn of(template: &MinedTemplate) -> Self {
        Self { first: template.first.0, last: template.last.0, times: template.times.clone() }
    }

    pub fn join(&mut self, other: &Self) {
        self.first = self.first.into_iter().chain(other.first).min();
        self.last = self.last.max(other.last);
        self.times.merge(&other.times);
    }

    /// Returns whether these and other lines of a log that lasts this long were written together: both begin and end at the same
    /// moment with as many lines in between, or more and fewer of them are written at the same times. Lines that are there all the
    /// time, each for itself, are not.
    pub fn moves_with(&self, other: &Self, span: (Timestamp, Timestamp)) -> bool {
        let width = self.times.width().max(other.times.width());
        let counts = [&self.times, &other.times].map(|times| by(&starts(times), width));
        let telling = counts.iter().all(|counts| counts.len() >= TELLING);
        let interval = |time: Timestamp| time.as_second().div_euclid(width);
        let at_once = || near(self.first, other.first) && near(self.last, other.last) && are_in_step(&counts);
        at_once() || telling && correlation(&counts, (interval(span.1) - interval(span.0) + 1) as f64) > ALIKE
    }
}

/// Returns whether the counts differ much less than those of lines that are written at random.
fn are_in_step([a, b]: &[BTreeMap<i64, f64>; 2]) -> bool {
    let sum = |of: &BTreeMap<i64, f64>| of.values().sum::<f64>();
    let times = sum(a) / sum(b).max(1.0);
    let squares = product(a, a) - 2.0 * times * product(a, b) + times * times * product(b, b);
    squares <= STEP * (sum(a) + times * times * sum(b))
}

fn near(a: Option<Timestamp>, b: Option<Timestamp>) -> bool {
    a.zip(b).is_some_and(|(a, b)| a.duration_since(b).abs() <= MOMENT)
}

/// Correlation of two counts over all intervals of a log, also those without a line of either.
fn correlation([a, b]: &[BTreeMap<i64, f64>; 2], intervals: f64) -> f64 {
    let keys: BTreeSet<&i64> = a.keys().chain(b.keys()).collect();
    let intervals = intervals.max(keys.len() as f64);
    let mean = |of: &BTreeMap<i64, f64>| of.values().sum::<f64>() / intervals;
    let (of_a, of_b) = (mean(a), mean(b));
    let variance = |of: &BTreeMap<i64, f64>, mean: f64| product(of, of) / intervals - mean * mean;
    let deviation = (variance(a, of_a) * variance(b, of_b)).sqrt();
    if deviation > 0.0 { (product(a, b) / intervals - of_a * of_b) / deviation } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(counts: &[u64]) -> BTreeMap<i64, f64> {
        (0..).zip(counts).filter(|(_, count)| **count > 0).map(|(at, count)| (at, *count as f64)).collect()
    }

    fn correlated(a: &[u64], b: &[u64]) -> bool {
        correlation(&[counts(a), counts(b)], a.len() as f64) > ALIKE
    }

    #[test]
    fn what_is_there_all_the_time_moves_with_nothing() {
        assert!(!correlated(&[5, 5, 5, 5], &[7, 7, 7, 7]));
        assert!(!correlated(&[5, 6, 5, 5], &[7, 7, 7, 8]));
        assert!(correlated(&[0, 3, 0, 9, 1, 0], &[0, 6, 0, 18, 2, 0]));
        assert!(!correlated(&[0, 3, 0, 9, 1, 0], &[0, 6, 0, 18, 2, 9]));
    }

    #[test]
    fn lines_in_step_differ_less_than_random_ones() {
        let in_step = |a: &[u64], b: &[u64]| are_in_step(&[counts(a), counts(b)]);
        assert!(in_step(&[38, 80, 80, 81, 66], &[39, 81, 82, 82, 67]));
        assert!(in_step(&[1], &[9]));
        assert!(!in_step(&[38, 80, 80, 81, 66], &[61, 75, 68, 92, 70]));
        assert!(!in_step(&[1, 0, 1], &[0, 1, 1]));
    }

    #[test]
    fn copies_have_no_line_of_their_own() {
        let at = |seconds: &[i64]| seconds.iter().map(|second| Timestamp::from_second(*second).unwrap()).collect();
        let all: Histogram = at(&[0, 60, 61, 600]);
        assert!(holds(&all, &all) && holds(&all, &at(&[60, 600])));
        assert!(!holds(&all, &at(&[0, 1])) && !holds(&all, &at(&[0, 700])));
    }
}
