//! Times of lines.

use std::ops::Range;

use jiff::Timestamp;
use memchr::memrchr;

use super::state::{Crossing, Dating, JUMP, LastTime, MAX_LOOK_BACK};
use crate::log::source::line;
use crate::log::source::stamp::{self, Stamp};
use crate::log::time::year::year_earlier;

/// Number of lines looked back at if another container's log may have begun in between.
const MAX_LOOK_BACK_SEVERAL: usize = 100;
/// Number of lines looked ahead at for a stamp.
const LOOK_AHEAD: usize = 100;

impl Dating {
    /// Begins a window; `fresh` are the lines that were not in an earlier one.
    pub fn enter(&mut self, lines: &[u8], fresh: Range<usize>) {
        self.known.at = fresh.start;
        self.probe.at = fresh.start;
        self.probe.seen = fresh.start;
        self.truncated = None;
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

    /// Earliest and latest time of the source, without clocks that were not set.
    pub fn range(&self) -> (Option<Timestamp>, Option<Timestamp>) {
        self.time_range.range()
    }

    /// Returns whether lines from `position` on lie in another year than those before; if they lie in a later
    /// one, all times returned so far are a year too late. Call it until it returns `None`.
    pub fn crosses(&mut self, lines: &[u8], position: usize) -> Option<Crossing> {
        let at = *self.crossings.front()?;
        if at > position {
            return None;
        }
        self.look_until(lines, at);
        self.crossings.pop_front();
        if self.newest_first {
            self.years.step_back();
            return Some(Crossing::Older);
        }
        if self.years.step_on() {
            return Some(Crossing::Older);
        }
        self.time_range.map(year_earlier);
        self.probe.last = self.probe.last.map(year_earlier);
        self.known.time = self.known.time.map(year_earlier);
        Some(Crossing::Newer)
    }

    /// Returns the time of a line of the window, whose leading stamp is given; call it in the order of lines.
    pub fn time_of(&mut self, lines: &[u8], line: Range<usize>, leading: Option<Stamp>) -> Option<Timestamp> {
        if self.truncated.is_some_and(|end| line.end <= end) {
            return None;
        }
        let own = leading
            .and_then(|stamp| self.years.resolve(stamp))
            .or_else(|| self.own(line::trim(lines.get(line.clone()).unwrap_or_default())));
        if own.is_some() {
            self.known = LastTime { at: line.end, time: own, lines: 0 };
            return own;
        }
        let before = self.time_before(lines, line.start)?;
        (!self.several || self.belongs(lines, line.end, before)).then_some(before)
    }

    /// Returns whether a line that ends here belongs to a line of that time: the next time must not be earlier, otherwise
    /// the log of another container began in between.
    fn belongs(&mut self, lines: &[u8], end: usize, before: Timestamp) -> bool {
        let next = line::ranges(lines, (end + 1).min(lines.len())).take(LOOK_AHEAD);
        let next = next.map(|range| line::trim(lines.get(range).unwrap_or_default())).find_map(stamp::stamp);
        next.and_then(|stamp| self.years.resolve(stamp)).is_none_or(|next| before.duration_since(next) <= JUMP)
    }

    /// Returns the time of the nearest stamped line before a position.
    fn time_before(&mut self, lines: &[u8], position: usize) -> Option<Timestamp> {
        let most = if self.several { MAX_LOOK_BACK_SEVERAL } else { MAX_LOOK_BACK };
        let (mut end, mut passed, mut found) = (position, 0, None);
        while passed <= most {
            if end <= self.known.at {
                passed += self.known.lines;
                found = self.known.time.filter(|_| passed <= most);
                break;
            }
            let before = lines.get(..end.saturating_sub(1)).unwrap_or_default();
            let start = memrchr(b'\n', before).map_or(0, |at| at + 1);
            if self.truncated.is_some_and(|truncated| before.len() <= truncated) {
                break;
            }
            let line = line::trim(before.get(start..).unwrap_or_default());
            found = self.own(line);
            if found.is_some() || is_border(line) {
                break;
            }
            passed += 1;
            end = start;
        }
        self.known = LastTime { at: position, time: found, lines: passed };
        found
    }

    /// Ends a window: later lines may refer to its last ones.
    pub fn leave(&mut self, lines: &[u8], end: usize) {
        self.look_until(lines, end);
        self.time_before(lines, end);
    }
}

/// Returns whether a line begins the log of another container, as `kubectl cluster-info dump` writes it.
fn is_border(line: &[u8]) -> bool {
    line.starts_with(b"==== START logs for container ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::time::clock::Clock;

    fn at(time: &str) -> Clock {
        Clock { now: Some(time.parse().unwrap()), ..Clock::default() }
    }

    fn dating(now: Option<&str>) -> Dating {
        Dating::new(now.map(at).unwrap_or_default(), false)
    }

    fn text(time: Option<Timestamp>) -> String {
        time.map_or_else(|| "none".to_owned(), |t| t.to_string())
    }

    fn times(dating: &mut Dating, lines: &str) -> Vec<String> {
        let bytes = lines.as_bytes();
        dating.enter(bytes, 0..bytes.len());
        let ranges: Vec<Range<usize>> = line::ranges(bytes, 0).collect();
        let found = ranges.into_iter().map(|range| text(dating.time_of(bytes, range, None))).collect();
        dating.leave(bytes, bytes.len());
        found
    }

    #[test]
    fn lines_inherit_times() {
        let mut dating = dating(None);
        let lines = "cut line\n2024-01-01T00:00:00Z panic\n  at main.go\n  at x.go\n2024-01-01T00:00:05Z on\n";
        let found = times(&mut dating, lines);
        assert_eq!(found.first().map(String::as_str), Some("none"));
        assert_eq!(found.get(3).map(String::as_str), Some("2024-01-01T00:00:00Z"));
        assert_eq!(times(&mut dating, "\tstill the same\n"), ["2024-01-01T00:00:05Z"]);
        let (first, last) = dating.range();
        assert_eq!((text(first).as_str(), text(last).as_str()), ("2024-01-01T00:00:00Z", "2024-01-01T00:00:05Z"));
    }

    #[test]
    fn only_the_needed_line_is_dated() {
        let mut dating = dating(None);
        let lines = b"2024-01-01T00:00:00Z a\nb\nc\nd\n";
        dating.enter(lines, 0..lines.len());
        let time = dating.time_of(lines, 27..28, None).map(|t| t.to_string());
        assert_eq!(time.as_deref(), Some("2024-01-01T00:00:00Z"));
    }

    #[test]
    fn the_header_gives_year_and_zone() {
        let mut dating = dating(Some("2030-01-01T00:00:00Z"));
        let lines = "-- Logs begin at Sun 2022-03-06 22:45:10 +08, end at Tue 2022-03-22 23:56:05 +08. --\n\
                     Mar 07 08:00:00 n1 x\n-- Reboot --\nMar 08 08:00:00 n1 x\n";
        let found = times(&mut dating, lines);
        assert_eq!(found, ["none", "2022-03-07T00:00:00Z", "2022-03-07T00:00:00Z", "2022-03-08T00:00:00Z"]);
        assert!(dating.watch.is_none());
    }

    #[test]
    fn newer_years_push_earlier_lines_back() {
        let mut dating = dating(Some("2024-12-01T00:00:00Z"));
        let lines = b"May 01 10:00:00 n x\nMay 01 10:20:01 n x\nFeb 01 10:00:00 n x\nMay 02 10:00:00 n x\n";
        dating.enter(lines, 0..lines.len());
        assert_eq!(dating.crosses(lines, 20), None);
        assert_eq!(dating.crosses(lines, 40), Some(Crossing::Newer));
        assert_eq!(dating.crosses(lines, 60), None);
        dating.leave(lines, lines.len());
        assert_eq!(text(dating.range().0), "2023-05-01T10:00:00Z");
    }
}
