//! Arithmetic of `within`: finds the interval of at most that length that holds the most items.
//!
//! It works on times alone, so that lines, events and steps can share it. A [`Tally`] decides what "most" means.

use std::collections::HashMap;
use std::ops::Range;

use jiff::{SignedDuration, Timestamp};

/// Contents of a sliding interval.
pub trait Tally {
    /// Weight of the contents; larger is better.
    type Weight: Ord + Copy;

    /// Adds the item at a position, at the late end.
    fn enter(&mut self, position: usize);

    /// Removes the item at a position, at the early end.
    fn leave(&mut self, position: usize);

    fn weight(&self) -> Self::Weight;
}

/// Returns the positions of the interval with the largest weight, and that weight; of equal ones the latest, so that what goes on
/// at one rate has not ended long ago. `None` without times.
///
/// `times` are sorted. Intervals are closed: two times that lie exactly `within` apart are in one.
pub fn heaviest<T: Tally>(
    times: &[Timestamp],
    within: SignedDuration,
    mut tally: T,
) -> Option<(Range<usize>, T::Weight)> {
    let mut best: Option<(Range<usize>, T::Weight)> = None;
    let mut from = 0;
    for (to, time) in times.iter().enumerate() {
        tally.enter(to);
        while times.get(from).is_some_and(|first| time.duration_since(*first) > within) {
            tally.leave(from);
            from += 1;
        }
        let weight = tally.weight();
        if best.as_ref().is_none_or(|(_, known)| weight >= *known) {
            best = Some((from..to + 1, weight));
        }
    }
    best
}

/// Counts items.
#[derive(Debug, Default)]
pub(in crate::log) struct Count(u64);

impl Tally for Count {
    type Weight = u64;

    fn enter(&mut self, _: usize) {
        self.0 += 1;
    }

    fn leave(&mut self, _: usize) {
        self.0 -= 1;
    }

    fn weight(&self) -> u64 {
        self.0
    }
}

/// Counts the distinct values of items, then the items. Items without a value do not count.
#[derive(Debug)]
pub struct Values<'v> {
    of: &'v [Option<&'v str>],
    held: HashMap<&'v str, u64>,
    items: u64,
}

impl<'v> Values<'v> {
    /// The value of each item, by position.
    pub fn new(of: &'v [Option<&'v str>]) -> Self {
        Self { of, held: HashMap::new(), items: 0 }
    }

    fn value(&self, position: usize) -> Option<&'v str> {
        self.of.get(position).copied().flatten()
    }
}

impl Tally for Values<'_> {
    type Weight = (u64, u64);

    fn enter(&mut self, position: usize) {
        let Some(value) = self.value(position) else { return };
        *self.held.entry(value).or_default() += 1;
        self.items += 1;
    }

    fn leave(&mut self, position: usize) {
        let Some(value) = self.value(position) else { return };
        self.items -= 1;
        if let Some(count) = self.held.get_mut(value) {
            *count -= 1;
            if *count == 0 {
                self.held.remove(value);
            }
        }
    }

    fn weight(&self) -> (u64, u64) {
        (self.held.len() as u64, self.items)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn times(seconds: &[i64]) -> Vec<Timestamp> {
        seconds.iter().map(|second| Timestamp::from_second(*second).unwrap()).collect()
    }

    fn most(seconds: &[i64], within: i64) -> Option<(Range<usize>, u64)> {
        heaviest(&times(seconds), SignedDuration::from_secs(within), Count::default())
    }

    #[test]
    fn both_ends_belong_to_the_interval() {
        assert_eq!(most(&[0, 600, 601], 600), Some((1..3, 2)), "the latest of equal ones");
        assert_eq!(most(&[0, 600], 600), Some((0..2, 2)));
        assert_eq!(most(&[0, 601, 1201], 600), Some((1..3, 2)));
        assert_eq!(most(&[0, 601, 1202], 600), Some((2..3, 1)));
        assert_eq!(most(&[5, 5, 5], 1), Some((0..3, 3)));
        assert_eq!(most(&[], 600), None);
    }

    #[test]
    fn values_count_once_and_absent_ones_never() {
        let of = [Some("a"), Some("a"), None, Some("b"), Some("a"), Some("c")];
        let found = heaviest(&times(&[0, 1, 2, 3, 4, 20]), SignedDuration::from_secs(10), Values::new(&of));
        assert_eq!(found, Some((0..5, (2, 4))));
    }

    proptest! {
        #[test]
        fn no_interval_holds_more(mut seconds in prop::collection::vec(0i64..100, 1..30), within in 1i64..20) {
            seconds.sort_unstable();
            let (range, weight) = most(&seconds, within).unwrap();
            prop_assert_eq!(range.len() as u64, weight);
            prop_assert!(seconds[range.end - 1] - seconds[range.start] <= within);
            let counted = |from: &i64| seconds.iter().filter(|s| (*from..=*from + within).contains(*s)).count() as u64;
            prop_assert_eq!(seconds.iter().map(counted).max(), Some(weight));
        }
    }
}
