//! Counts of occurrences over time.

use std::collections::BTreeMap;

use jiff::Timestamp;

/// Most intervals of one histogram.
const STRETCHES: usize = 48;
/// Seconds of the shortest interval; longer ones double it.
const SHORTEST: i64 = 60;

/// Counts in intervals of equal length, the shortest length that gives at most 48 intervals with a count. The result
/// does not depend on the order in which times are added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    /// Seconds per interval.
    width: i64,
    /// Counts by interval number since 1970.
    counts: BTreeMap<i64, u64>,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { width: SHORTEST, counts: BTreeMap::new() }
    }
}

impl Histogram {
    /// Counts a time.
    pub fn add(&mut self, time: Timestamp) {
        self.add_many(time.as_second().div_euclid(self.width), 1);
    }

    /// Removes a time that was added.
    pub fn remove(&mut self, time: Timestamp) {
        let stretch = time.as_second().div_euclid(self.width);
        if let Some(count) = self.counts.get_mut(&stretch) {
            *count -= 1;
            if *count == 0 {
                self.counts.remove(&stretch);
            }
        }
    }

    /// Adds the counts of another histogram.
    pub fn merge(&mut self, other: &Self) {
        while self.width < other.width {
            self.widen();
        }
        for (stretch, count) in &other.counts {
            self.add_many((stretch * other.width).div_euclid(self.width), *count);
        }
    }

    /// Moves every interval to the new time of its start.
    pub fn shifted(&self, to: impl Fn(Timestamp) -> Timestamp) -> Self {
        let mut shifted = Self { width: self.width, counts: BTreeMap::new() };
        for (start, count) in self.stretches() {
            shifted.add_many(to(start).as_second().div_euclid(shifted.width), count);
        }
        shifted
    }

    fn add_many(&mut self, stretch: i64, count: u64) {
        // Fast path: nearly all times arrive in order.
        if let Some(mut last) = self.counts.last_entry()
            && *last.key() == stretch
        {
            *last.get_mut() += count;
            return;
        }
        *self.counts.entry(stretch).or_default() += count;
        while self.counts.len() > STRETCHES {
            self.widen();
        }
    }

    fn widen(&mut self) {
        self.width = self.width.saturating_mul(2);
        let mut wider = BTreeMap::new();
        for (stretch, count) in &self.counts {
            *wider.entry(stretch.div_euclid(2)).or_default() += count;
        }
        self.counts = wider;
    }

    /// Returns the seconds of one interval.
    pub fn width(&self) -> i64 {
        self.width
    }

    /// Returns start and count of each interval with a count, by time.
    pub fn stretches(&self) -> impl Iterator<Item = (Timestamp, u64)> {
        let at = |(stretch, count): (&i64, &u64)| {
            Some((Timestamp::from_second(stretch.saturating_mul(self.width)).ok()?, *count))
        };
        self.counts.iter().filter_map(at)
    }
}

impl FromIterator<Timestamp> for Histogram {
    fn from_iter<I: IntoIterator<Item = Timestamp>>(times: I) -> Self {
        let mut histogram = Self::default();
        times.into_iter().for_each(|time| histogram.add(time));
        histogram
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(seconds: &[i64]) -> Histogram {
        seconds.iter().map(|second| Timestamp::from_second(*second).unwrap()).collect()
    }

    fn counts(histogram: &Histogram) -> Vec<(i64, u64)> {
        histogram.stretches().map(|(at, count)| (at.as_second(), count)).collect()
    }

    #[test]
    fn times_of_one_stretch_are_counted_together() {
        assert_eq!(counts(&of(&[0, 59, 60, -1])), [(-60, 1), (0, 2), (60, 1)]);
    }

    #[test]
    fn the_order_of_times_does_not_matter() {
        let times: Vec<i64> = (0..500).map(|n| (n * 7919) % 40_000).collect();
        let mut backwards = times.clone();
        backwards.reverse();
        let whole = of(&times);
        assert_eq!(whole, of(&backwards));
        assert!(whole.counts.len() <= STRETCHES && whole.counts.len() > STRETCHES / 3);
        assert_eq!(whole.stretches().map(|(_, count)| count).sum::<u64>(), 500);
        for cut in [1, 20, 250] {
            let (mut first, second) = (of(&times[..cut]), of(&times[cut..]));
            first.merge(&second);
            assert_eq!(first, whole);
            let mut other = second.clone();
            other.merge(&of(&times[..cut]));
            assert_eq!(other, whole);
        }
    }

    #[test]
    fn times_can_be_taken_back_and_moved() {
        let mut histogram = of(&[0, 60, 61]);
        histogram.remove(Timestamp::from_second(61).unwrap());
        histogram.remove(Timestamp::from_second(0).unwrap());
        assert_eq!(counts(&histogram), [(60, 1)]);
        let later = |time: Timestamp| Timestamp::from_second(time.as_second() + 86_400).unwrap();
        assert_eq!(counts(&histogram.shifted(later)), [(86_460, 1)]);
    }
}
