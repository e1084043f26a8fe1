//! Counts of matches, by source and time.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;

use super::search::Search;
use crate::explore::lines::{PageVisitor, PeriodFilter, Reading, Undated};
use crate::log::Page;
use crate::model::Issue;

/// What matches are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum By {
    Source,
    Entry,
    Minute,
    Hour,
    Day,
}

impl By {
    /// All of them with their names.
    pub const ALL: [(&str, Self); 5] = [
        ("source", Self::Source),
        ("entry", Self::Entry),
        ("minute", Self::Minute),
        ("hour", Self::Hour),
        ("day", Self::Day),
    ];

    /// Returns true for parts of the time.
    pub fn is_time(self) -> bool {
        matches!(self, Self::Minute | Self::Hour | Self::Day)
    }

    /// Returns the beginning of the part of the time in which a time lies, in seconds since 1970.
    fn begin(self, time: Timestamp) -> i64 {
        let length = match self {
            Self::Minute => 60,
            Self::Hour => 3600,
            _ => 86_400,
        };
        time.as_second().div_euclid(length) * length
    }

    /// Returns the part of the time that begins at a second, as the beginning of a time that `--since` takes.
    pub fn name(self, begin: i64) -> String {
        let format = match self {
            Self::Minute => "%Y-%m-%dT%H:%M",
            Self::Hour => "%Y-%m-%dT%H",
            _ => "%Y-%m-%d",
        };
        let at = Timestamp::from_second(begin).map(|begin| Offset::UTC.to_datetime(begin));
        at.unwrap_or(DateTime::ZERO).strftime(format).to_string()
    }
}

/// Counted matches.
#[derive(Debug, Default)]
pub struct Counts {
    /// By text, and by the beginning of the part of the time in seconds since 1970, if it is asked for and known.
    pub matches: BTreeMap<(usize, Option<i64>), u64>,
    /// Matches that the period leaves out because their time is not known.
    pub undated: u64,
    /// What could not be read.
    pub issues: Vec<Issue>,
}

/// Counts the matches in some texts; `by` is a part of the time.
pub fn count(reading: &Reading<'_>, texts: &[usize], search: Search<'_>, by: Option<By>) -> Counts {
    let chosen = |index: usize| texts.binary_search(&index).is_ok();
    // A log is read again once at most: its borders between years are all known then.
    loop {
        let (undated, matches) = (Undated::default(), Mutex::default());
        let issues = reading.pass(&chosen, &|text| {
            let period = PeriodFilter::new(search.period, text, &undated);
            Box::new(Counter { search, text, by, period, counts: BTreeMap::new(), all: &matches })
        });
        if let Some(issues) = issues {
            let matches = matches.into_inner().unwrap_or_else(PoisonError::into_inner);
            return Counts { matches, undated: undated.all(), issues };
        }
    }
}

/// Counts the matches of one text.
struct Counter<'c> {
    search: Search<'c>,
    text: usize,
    by: Option<By>,
    period: PeriodFilter<'c>,
    counts: BTreeMap<Option<i64>, u64>,
    all: &'c Mutex<BTreeMap<(usize, Option<i64>), u64>>,
}

impl PageVisitor for Counter<'_> {
    fn page(&mut self, page: &mut Page<'_>) -> ControlFlow<()> {
        let matches = self.search.pattern.matches(page);
        if self.by.is_none() && !self.search.period.is_bounded() {
            *self.counts.entry(None).or_default() += matches.len() as u64;
            return ControlFlow::Continue(());
        }
        for line in matches {
            let time = page.place(&line).time;
            if self.period.holds(time) {
                let begin = self.by.and_then(|by| Some(by.begin(time?)));
                *self.counts.entry(begin).or_default() += 1;
            }
        }
        ControlFlow::Continue(())
    }

    fn end(&mut self) {
        self.period.end();
        let counts = std::mem::take(&mut self.counts).into_iter().filter(|(_, count)| *count > 0);
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.extend(counts.map(|(begin, count)| ((self.text, begin), count)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_the_time_are_beginnings_of_times() {
        let time = "2025-03-18T09:31:42.5Z".parse().unwrap();
        let names = [By::Minute, By::Hour, By::Day].map(|by| by.name(by.begin(time)));
        assert_eq!(names, ["2025-03-18T09:31", "2025-03-18T09", "2025-03-18"]);
    }
}
