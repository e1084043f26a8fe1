//! When the lines of one source were written.
//!
//! A line's time is the stamp before it, else the one its program wrote, else that of the nearest
//! earlier line that has one. Stamps are only parsed for lines that matter; [`Dating`] keeps what it
//! has learned, so that no line is looked at twice.

use std::collections::VecDeque;
use std::ops::Range;

use jiff::Timestamp;
use memchr::memrchr;

use super::line;
use super::time::{self, Stamp};
use super::year::{JournalHeader, OrderWatch, YearClock, year_earlier};

/// Lines looked back at for a stamp.
const MAX_LOOK_BACK: usize = 1000;
/// Lines in which the header of a journal can stand: hints may come first.
const HEADER_LINES: usize = 5;

/// The times of one source.
#[derive(Debug)]
pub(super) struct Dating {
    years: YearClock,
    /// Only for logs without years that may be longer than a year, with a clock of its own.
    watch: Option<(OrderWatch, YearClock)>,
    /// Where lines begin that lie a year apart from those before.
    crossings: VecDeque<usize>,
    /// The time that holds at a position of the window.
    known: (usize, Option<Timestamp>),
    started: bool,
    pub first: Option<Timestamp>,
    pub last: Option<Timestamp>,
    /// Zone of the journal, if it is read as UTC for want of knowledge.
    pub unknown_zone: Option<String>,
}

impl Dating {
    /// For a log whose stamps without year or zone are read by this clock.
    pub fn new(years: YearClock) -> Self {
        Self {
            years,
            watch: None,
            crossings: VecDeque::new(),
            known: (0, None),
            started: false,
            first: None,
            last: None,
            unknown_zone: None,
        }
    }

    /// Begins a window; `fresh` are the lines not seen before.
    pub fn enter(&mut self, lines: &[u8], fresh: Range<usize>) {
        self.known.0 = fresh.start;
        let unseen = lines.get(..fresh.end).unwrap_or_default();
        if !self.started {
            self.started = true;
            self.start(unseen);
        }
        if let Some((watch, years)) = &mut self.watch {
            let crossed = |range: &Range<usize>| {
                let line = line::trim(unseen.get(range.clone()).unwrap_or_default());
                watch.crosses(line, years)
            };
            self.crossings = line::ranges(unseen, fresh.start).filter(crossed).map(|range| range.start).collect();
        }
    }

    fn start(&mut self, lines: &[u8]) {
        let header = line::each(lines).take(HEADER_LINES).find_map(JournalHeader::parse);
        if let Some(header) = &header {
            self.years.adopt(header);
            self.unknown_zone.clone_from(&header.unknown_zone);
        }
        let mut stamped = line::each(lines).take(MAX_LOOK_BACK).filter(|line| time::stamp(line).is_some());
        let Some(first) = stamped.next() else { return };
        if time::yearless(first).is_some() && header.is_none_or(|header| header.may_repeat()) {
            let mut years = self.years.clone();
            let watch = OrderWatch::new(line::each(lines), &mut years);
            self.watch = Some((watch, years));
        }
        let time = time::stamp(first).and_then(|stamp| self.years.resolve(stamp));
        self.widen(time);
    }

    /// Whether lines from `position` on lie in another year than those before; when they lie in a later
    /// one, all times told so far are a year too late. Call again until false.
    pub fn crosses(&mut self, position: usize) -> Option<Crossing> {
        if *self.crossings.front()? > position {
            return None;
        }
        self.crossings.pop_front();
        if self.watch.as_ref().is_some_and(|(watch, _)| watch.newest_first) {
            self.years.step_back();
            return Some(Crossing::Older);
        }
        self.first = self.first.map(year_earlier);
        self.last = self.last.map(year_earlier);
        self.known.1 = self.known.1.map(year_earlier);
        Some(Crossing::Newer)
    }

    /// Time of a line of the window with the stamp before it, if any; ask for lines in their order.
    pub fn time_of(&mut self, lines: &[u8], line: Range<usize>, leading: Option<Stamp>) -> Option<Timestamp> {
        let program = || time::stamp(line::trim(lines.get(line.clone()).unwrap_or_default()));
        let own = leading.or_else(program).and_then(|stamp| self.years.resolve(stamp));
        if own.is_some() {
            self.known = (line.end, own);
            self.widen(own);
            return own;
        }
        self.time_before(lines, line.start)
    }

    /// Time of the nearest stamped line before a position.
    fn time_before(&mut self, lines: &[u8], position: usize) -> Option<Timestamp> {
        let mut end = position;
        let mut found = None;
        for _ in 0..MAX_LOOK_BACK {
            if end <= self.known.0 {
                found = self.known.1;
                break;
            }
            let before = lines.get(..end.saturating_sub(1)).unwrap_or_default();
            let start = memrchr(b'\n', before).map_or(0, |at| at + 1);
            let stamp = time::stamp(line::trim(before.get(start..).unwrap_or_default()));
            found = stamp.and_then(|stamp| self.years.resolve(stamp));
            if found.is_some() {
                break;
            }
            end = start;
        }
        self.known = (position, found);
        found
    }

    /// Ends a window: what comes next may refer to its last lines.
    pub fn leave(&mut self, lines: &[u8], end: usize) {
        let time = self.time_before(lines, end);
        self.widen(time);
    }

    fn widen(&mut self, time: Option<Timestamp>) {
        let Some(time) = time else { return };
        self.first = Some(self.first.map_or(time, |first| first.min(time)));
        self.last = Some(self.last.map_or(time, |last| last.max(time)));
    }
}

/// A border between years in a log that does not write them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Crossing {
    /// Lines from here on are newer: earlier ones were dated a year too late.
    Newer,
    /// Lines from here on are older, as in journals with the newest line first.
    Older,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(dating: &mut Dating, lines: &str) -> Vec<String> {
        let bytes = lines.as_bytes();
        dating.enter(bytes, 0..bytes.len());
        let ranges: Vec<Range<usize>> = line::ranges(bytes, 0).collect();
        let text = |time: Option<Timestamp>| time.map_or_else(|| "none".to_owned(), |t| t.to_string());
        let found = ranges.into_iter().map(|range| text(dating.time_of(bytes, range, None))).collect();
        dating.leave(bytes, bytes.len());
        found
    }

    #[test]
    fn lines_inherit_times() {
        let mut dating = Dating::new(YearClock::until(None));
        let lines = "cut line\n2024-01-01T00:00:00Z panic\n  at main.go\n  at x.go\n2024-01-01T00:00:05Z on\n";
        let found = times(&mut dating, lines);
        assert_eq!(found.first().map(String::as_str), Some("none"));
        assert_eq!(found.get(3).map(String::as_str), Some("2024-01-01T00:00:00Z"));
        assert_eq!(times(&mut dating, "\tstill the same\n"), ["2024-01-01T00:00:05Z"]);
        assert_eq!(dating.first.map(|t| t.to_string()).as_deref(), Some("2024-01-01T00:00:00Z"));
        assert_eq!(dating.last.map(|t| t.to_string()).as_deref(), Some("2024-01-01T00:00:05Z"));
    }

    #[test]
    fn only_the_needed_line_is_asked() {
        let mut dating = Dating::new(YearClock::until(None));
        let lines = b"2024-01-01T00:00:00Z a\nb\nc\nd\n";
        dating.enter(lines, 0..lines.len());
        let time = dating.time_of(lines, 27..28, None).map(|t| t.to_string());
        assert_eq!(time.as_deref(), Some("2024-01-01T00:00:00Z"));
    }

    #[test]
    fn header_tells_year_and_zone() {
        let mut dating = Dating::new(YearClock::until("2030-01-01T00:00:00Z".parse().ok()));
        let lines = "-- Logs begin at Sun 2022-03-06 22:45:10 +08, end at Tue 2022-03-22 23:56:05 +08. --\n\
                     Mar 07 08:00:00 n1 x\n-- Reboot --\nMar 08 08:00:00 n1 x\n";
        let found = times(&mut dating, lines);
        assert_eq!(found, ["none", "2022-03-07T00:00:00Z", "2022-03-07T00:00:00Z", "2022-03-08T00:00:00Z"]);
        assert!(dating.watch.is_none());
    }

    #[test]
    fn newer_years_push_earlier_lines_back() {
        let mut dating = Dating::new(YearClock::until("2024-12-01T00:00:00Z".parse().ok()));
        let lines = b"May 01 10:00:00 n x\nMay 01 10:00:01 n x\nFeb 01 10:00:00 n x\nMay 02 10:00:00 n x\n";
        dating.enter(lines, 0..lines.len());
        assert_eq!(dating.crosses(20), None);
        assert_eq!(dating.crosses(40), Some(Crossing::Newer));
        assert_eq!(dating.crosses(60), None);
        assert_eq!(dating.first.map(|t| t.to_string()).as_deref(), Some("2023-05-01T10:00:00Z"));
    }
}
