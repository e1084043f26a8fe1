//! Time range of a log without its stray dates.
//!
//! Times before the first release of Kubernetes or more than a day after the collection do not count: such clocks were not
//! set. Nor does an interval of less than ten minutes that lies more than half a year from the lines before and after
//! it, if the log has other lines: a clock that is set while the machine boots, or a date that is not a stamp.

use jiff::{SignedDuration, Timestamp};

/// Earliest time that counts, in seconds since 1970: 1 January 2014, before the first release of Kubernetes.
const BEGINNING: i64 = 1_388_534_400;
const DAY: SignedDuration = SignedDuration::from_hours(24);
/// Distance beyond which lines do not confirm each other.
const APART: SignedDuration = SignedDuration::from_hours(180 * 24);
/// Length from which an interval of lines is not stray.
const LONG: SignedDuration = SignedDuration::from_mins(10);

/// Returns the earliest and latest time.
type Range = (Timestamp, Timestamp);

/// Time range so far.
#[derive(Clone, Debug)]
pub(in crate::log) struct TimeRange {
    latest: Timestamp,
    /// Current interval and its last time.
    stretch: Option<(Range, Timestamp)>,
    sure: Option<Range>,
    doubtful: Option<Range>,
}

impl TimeRange {
    /// Begins the range of a log that was collected at `now`.
    pub fn until(now: Option<Timestamp>) -> Self {
        let latest = now.and_then(|now| now.checked_add(DAY).ok()).unwrap_or(Timestamp::MAX);
        Self { latest, stretch: None, sure: None, doubtful: None }
    }

    /// Adds the time of a line; call it in the order of lines.
    pub fn see(&mut self, time: Timestamp) {
        if time.as_second() < BEGINNING || time > self.latest {
            return;
        }
        match &mut self.stretch {
            Some((range, last)) if time.duration_since(*last).abs() <= APART => {
                *range = (range.0.min(time), range.1.max(time));
                *last = time;
            }
            stretch => {
                let before = stretch.replace(((time, time), time));
                self.note(before);
            }
        }
    }

    fn note(&mut self, stretch: Option<(Range, Timestamp)>) {
        let Some((range, _)) = stretch else { return };
        let long = range.1.duration_since(range.0) >= LONG;
        let all = if long { &mut self.sure } else { &mut self.doubtful };
        *all = Some(all.map_or(range, |known| (known.0.min(range.0), known.1.max(range.1))));
    }

    /// Returns the earliest and latest time.
    pub fn range(&self) -> (Option<Timestamp>, Option<Timestamp>) {
        let mut all = self.clone();
        all.note(self.stretch);
        all.sure.or(all.doubtful).map_or((None, None), |(first, last)| (Some(first), Some(last)))
    }

    /// Changes all times so far.
    pub fn map(&mut self, change: impl Fn(Timestamp) -> Timestamp) {
        let changed = |(first, last): Range| (change(first), change(last));
        self.stretch = self.stretch.map(|(range, last)| (changed(range), change(last)));
        self.sure = self.sure.map(changed);
        self.doubtful = self.doubtful.map(changed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covered(times: &[&str]) -> String {
        let mut covered = TimeRange::until(Some("2024-03-10T00:00:00Z".parse().unwrap()));
        times.iter().for_each(|time| covered.see(time.parse().unwrap()));
        let text = |time: Option<Timestamp>| time.map_or("none".to_owned(), |time| time.to_string());
        let (first, last) = covered.range();
        format!("{} {}", text(first), text(last))
    }

    #[test]
    fn stray_dates_do_not_count() {
        let days = ["2024-03-05T00:00:00Z", "2024-03-05T01:00:00Z", "2024-03-06T00:00:00Z", "2024-03-06T01:00:00Z"];
        for stray in ["1970-01-01T00:00:09Z", "2000-01-01T00:00:00Z", "2015-01-01T08:00:00Z", "2099-01-01T00:00:00Z"] {
            for place in [0, 2, 4] {
                let times = [&days[..place], &[stray], &days[place..]].concat();
                assert_eq!(covered(&times), "2024-03-05T00:00:00Z 2024-03-06T01:00:00Z", "{stray} {place}");
            }
        }
    }

    #[test]
    fn times_before_the_clock_is_set_do_not_count() {
        let boot = ["2022-09-01T00:00:00Z", "2022-09-01T00:00:07Z", "2024-03-05T00:00:00Z", "2024-03-06T00:00:00Z"];
        assert_eq!(covered(&boot), "2024-03-05T00:00:00Z 2024-03-06T00:00:00Z");
        let ran = ["2022-09-01T00:00:00Z", "2022-09-01T00:20:00Z", "2024-03-05T00:00:00Z", "2024-03-06T00:00:00Z"];
        assert_eq!(covered(&ran), "2022-09-01T00:00:00Z 2024-03-06T00:00:00Z");
    }

    #[test]
    fn short_logs_count_as_they_are() {
        assert_eq!(covered(&["2022-09-01T00:00:00Z"]), "2022-09-01T00:00:00Z 2022-09-01T00:00:00Z");
        let rare = ["2022-09-01T00:00:00Z", "2023-09-01T00:00:00Z"];
        assert_eq!(covered(&rare), "2022-09-01T00:00:00Z 2023-09-01T00:00:00Z");
        assert_eq!(covered(&["1970-01-01T00:00:09Z"]), "none none");
        assert_eq!(covered(&[]), "none none");
    }
}
