//! Years and zones of stamps that leave them out, as in journals and klog.
//!
//! A [`YearClock`] gives a stamp the newest year that does not lie after the end of the log. Logs longer than a year
//! repeat their dates: an [`OrderWatch`] recognises that by the order of lines.

use jiff::civil::{Date, Time};
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp, ToSpan};

use crate::log::source::journal::JournalHeader;
use crate::log::source::stamp::{self, Civil, Stamp};

const DAY: i64 = 24 * 3600;
/// Largest distance of a stamp without year after a known time; before it, it lies at most the rest of a year away.
const AHEAD: SignedDuration = SignedDuration::from_secs(300 * DAY);

/// Turns stamps into times.
#[derive(Clone, Debug)]
pub(in crate::log) struct YearClock {
    /// Time after which stamps without year lie at most a day.
    end: Option<Timestamp>,
    /// Upper limit of `end`.
    latest: Option<Timestamp>,
    /// True if a line gave the year in which the log begins, so that `end` moves with the log.
    begun: bool,
    /// Offset of stamps without zone and year.
    offset: i32,
    /// Offset of stamps with a year and without zone.
    dated_offset: i32,
    years_back: i16,
    /// Last date and its first second: neighbouring lines share it.
    cached: Option<(Day, i64)>,
}

/// Year, month and day as a stamp writes them.
type Day = (Option<i16>, i8, i8);

impl YearClock {
    /// Makes a clock for a log that ends no later than `end`.
    pub fn until(end: Option<Timestamp>) -> Self {
        Self { end, latest: end, begun: false, offset: 0, dated_offset: 0, years_back: 0, cached: None }
    }

    /// Takes end and zone from the header of a journal.
    pub fn adopt(&mut self, header: &JournalHeader) {
        self.end = header.end.or(self.end);
        self.latest = self.end;
        self.offset = header.offset;
        self.cached = None;
    }

    /// Sets the zone of a host, all of whose programs write local time, in seconds east of UTC.
    pub fn host(&mut self, offset: i32) {
        self.local(offset);
        self.dated_offset = offset;
    }

    /// Sets the zone of stamps in local time, in seconds east of UTC.
    pub fn local(&mut self, offset: i32) {
        self.offset = offset;
        self.cached = None;
    }

    /// Returns whether the year of stamps without year is unknown.
    pub fn is_blind(&self) -> bool {
        self.end.is_none()
    }

    /// Sets a time near the beginning of the log.
    pub fn near(&mut self, time: Timestamp, newest_first: bool) {
        let ahead = if newest_first { SignedDuration::from_secs(2 * DAY) } else { AHEAD };
        let Ok(end) = time.checked_add(ahead) else { return };
        if self.latest.is_none_or(|latest| end < latest) {
            self.end = Some(end);
            self.begun = !newest_first;
            self.cached = None;
        }
    }

    /// Moves later lines a year ahead; returns false if the earlier lines must move back instead.
    pub fn step_on(&mut self) -> bool {
        if self.begun {
            let end = self.end.and_then(|end| end.checked_add(SignedDuration::from_secs(365 * DAY)).ok());
            self.end = self.latest.into_iter().chain(end).min();
            self.cached = None;
        }
        self.begun
    }

    /// Moves later lines a year back: for journals with the newest line first.
    pub fn step_back(&mut self) {
        self.years_back += 1;
        self.cached = None;
    }

    /// Returns the time of a stamp; `None` if it is not a date or its year is unknown.
    pub fn resolve(&mut self, stamp: Stamp) -> Option<Timestamp> {
        match stamp {
            Stamp::Instant(time) => Some(time),
            Stamp::Civil(civil) => self.resolve_civil(civil),
        }
    }

    fn resolve_civil(&mut self, civil: Civil) -> Option<Timestamp> {
        // A program that writes the year but no zone means UTC, unless its host has a known zone.
        let offset = civil.offset.unwrap_or(if civil.local { self.offset } else { self.dated_offset });
        let midnight = self.midnight(civil)?;
        Timestamp::new(midnight + i64::from(civil.second) - i64::from(offset), civil.nano).ok()
    }

    /// Returns the first second of the stamp's day, as if it were in UTC.
    fn midnight(&mut self, civil: Civil) -> Option<i64> {
        let key = (civil.year, civil.month, civil.day);
        if let Some((cached, midnight)) = self.cached
            && cached == key
        {
            return Some(midnight);
        }
        let midnight = match civil.year {
            Some(year) => midnight(year, civil.month, civil.day)?,
            None => self.newest(civil)?,
        };
        self.cached = Some((key, midnight));
        Some(midnight)
    }

    fn newest(&self, civil: Civil) -> Option<i64> {
        let limit = self.end?.as_second() + i64::from(self.offset) + DAY;
        let end = Timestamp::from_second(limit).ok()?;
        let year = Offset::UTC.to_datetime(end).year();
        // Eight years back there was a 29 February, even around 1900 and 2100.
        let mut days = (0..=8).filter_map(|back| midnight(year - back, civil.month, civil.day));
        let fitting = days.find(|day| *day <= limit)?;
        if self.years_back == 0 { Some(fitting) } else { Some(years_before(fitting, self.years_back)) }
    }
}

fn midnight(year: i16, month: i8, day: i8) -> Option<i64> {
    let date = Date::new(year, month, day).ok()?;
    Offset::UTC.to_timestamp(date.to_datetime(Time::midnight())).ok().map(Timestamp::as_second)
}

fn years_before(second: i64, years: i16) -> i64 {
    let shifted = Timestamp::from_second(second).ok().and_then(|time| earlier(time, years));
    shifted.map_or(second, Timestamp::as_second)
}

/// Returns the same date and time a year earlier.
pub(in crate::log) fn year_earlier(time: Timestamp) -> Timestamp {
    earlier(time, 1).unwrap_or(time)
}

fn earlier(time: Timestamp, years: i16) -> Option<Timestamp> {
    let shifted = Offset::UTC.to_datetime(time).checked_sub(i64::from(years).years()).ok()?;
    Offset::UTC.to_timestamp(shifted).ok()
}

/// Watches the order of dates in a log without years.
#[derive(Clone, Debug)]
pub(in crate::log) struct OrderWatch {
    /// True if the newest line comes first (`journalctl -r`).
    newest_first: bool,
    date: Option<(i8, i8)>,
    last: Option<Timestamp>,
}

impl OrderWatch {
    pub fn new(newest_first: bool) -> Self {
        Self { newest_first, date: None, last: None }
    }

    /// Returns whether a year lies between this line and those before it. A clock that starts at 1 January
    /// means a machine without a battery, not a new year.
    pub fn crosses(&mut self, line: &[u8], years: &mut YearClock) -> bool {
        let Some(civil) = stamp::yearless(line) else { return false };
        let date = (civil.month, civil.day);
        if self.date == Some(date) || date == (1, 1) {
            return false;
        }
        self.date = Some(date);
        let Some(time) = years.resolve(Stamp::Civil(civil)) else { return false };
        let before = self.last.replace(time);
        let day = SignedDuration::from_secs(DAY);
        before.is_some_and(|last| if self.newest_first { time > last + day } else { time < last - day })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: &str) -> Timestamp {
        time.parse().unwrap()
    }

    fn resolve(years: &mut YearClock, line: &str) -> String {
        let stamp = crate::log::source::stamp::stamp(line.as_bytes()).unwrap();
        years.resolve(stamp).map_or_else(|| "none".to_owned(), |t| t.to_string())
    }

    #[test]
    fn stamps_get_the_newest_year_that_fits() {
        let mut years = YearClock::until(Some(at("2024-01-03T12:00:00Z")));
        assert_eq!(resolve(&mut years, "Dec 30 10:00:00 n1 x"), "2023-12-30T10:00:00Z");
        assert_eq!(resolve(&mut years, "Jan 02 10:00:00 n1 x"), "2024-01-02T10:00:00Z");
        assert_eq!(resolve(&mut years, "Jan 04 10:00:00 n1 x"), "2024-01-04T10:00:00Z");
        assert_eq!(resolve(&mut years, "Jan 05 10:00:00 n1 x"), "2023-01-05T10:00:00Z");
        assert_eq!(resolve(&mut years, "Feb 29 10:00:00 n1 x"), "2020-02-29T10:00:00Z");
        assert_eq!(resolve(&mut years, "Feb 30 10:00:00 n1 x"), "none");
        assert_eq!(resolve(&mut YearClock::until(None), "Jan 02 10:00:00 n1 x"), "none");
    }

    #[test]
    fn zone_of_the_header_counts() {
        let mut years = YearClock::until(None);
        let line = b"-- Logs begin at Sun 2022-03-06 22:45:10 +08, end at Tue 2022-03-22 23:56:05 +08. --";
        years.adopt(&JournalHeader::parse(line).unwrap());
        assert_eq!(resolve(&mut years, "Mar 06 22:45:10 n1 x"), "2022-03-06T14:45:10Z");
        assert_eq!(resolve(&mut years, "2022/03/06 22:45:10 x"), "2022-03-06T22:45:10Z");
    }

    #[test]
    fn a_line_with_a_year_gives_the_year() {
        let mut years = YearClock::until(None);
        assert!(years.is_blind());
        years.near(at("2022-12-30T10:00:00Z"), false);
        assert_eq!(resolve(&mut years, "Dec 30 09:00:00 n1 x"), "2022-12-30T09:00:00Z");
        assert_eq!(resolve(&mut years, "Jan 02 10:00:00 n1 x"), "2023-01-02T10:00:00Z");
        assert!(years.step_on());
        assert_eq!(resolve(&mut years, "Dec 30 09:00:00 n1 x"), "2023-12-30T09:00:00Z");
        let mut years = YearClock::until(Some(at("2023-01-01T12:00:00Z")));
        years.near(at("2022-12-30T10:00:00Z"), false);
        assert_eq!(resolve(&mut years, "Jan 01 10:00:00 n1 x"), "2023-01-01T10:00:00Z");
        assert!(!years.step_on());
        years.near(at("2021-02-01T10:00:00Z"), true);
        assert_eq!(resolve(&mut years, "Feb 03 10:00:00 n1 x"), "2021-02-03T10:00:00Z");
        assert_eq!(resolve(&mut years, "Mar 03 10:00:00 n1 x"), "2020-03-03T10:00:00Z");
    }

    #[test]
    fn stamps_of_hosts_are_local() {
        let mut years = YearClock::until(Some(at("2024-03-10T00:00:00Z")));
        years.local(8 * 3600);
        for (line, want) in [
            ("Mar 06 22:45:10 n1 x", "2024-03-06T14:45:10Z"),
            ("I0306 22:45:10.5 7 a.go:1] x", "2024-03-06T14:45:10.5Z"),
            ("[Wed Mar  6 22:45:10 2024] x", "2024-03-06T14:45:10Z"),
            ("[Mar 6 22:45] x", "2024-03-06T14:45:00Z"),
            ("2024/03/06 22:45:10 x", "2024-03-06T22:45:10Z"),
            ("2024-03-06 22:45:10,123 - util.py[DEBUG]: x", "2024-03-06T22:45:10.123Z"),
            ("2024-03-06T22:45:10+01:00 n1 x", "2024-03-06T21:45:10Z"),
        ] {
            assert_eq!(resolve(&mut years, line), want, "{line}");
        }
        years.host(8 * 3600);
        assert_eq!(resolve(&mut years, "2024/03/06 22:45:10 x"), "2024-03-06T14:45:10Z");
        assert_eq!(resolve(&mut years, "2024-03-06T22:45:10Z x"), "2024-03-06T22:45:10Z");
    }

    #[test]
    fn order_shows_years() {
        let mut years = YearClock::until(Some(at("2024-12-01T00:00:00Z")));
        let lines = ["May 01 10:00:00 n x", "May 01 10:00:02 n x", "Feb 03 08:00:00 n x", "Nov 30 09:00:00 n x"];
        let mut watch = OrderWatch::new(false);
        let crossings: Vec<bool> = lines.iter().map(|l| watch.crosses(l.as_bytes(), &mut years)).collect();
        assert_eq!(crossings, [false, false, true, false]);
    }

    #[test]
    fn reversed_order_is_seen() {
        let mut years = YearClock::until(Some(at("2024-12-01T00:00:00Z")));
        let lines = ["Nov 30 09:00:00 n x", "Feb 03 08:00:00 n x", "Feb 03 07:00:00 n x", "May 01 10:00:00 n x"];
        let mut watch = OrderWatch::new(true);
        let crossings: Vec<bool> = lines.iter().map(|l| watch.crosses(l.as_bytes(), &mut years)).collect();
        assert_eq!(crossings, [false, false, false, true]);
    }

    #[test]
    fn dead_clocks_are_no_new_year() {
        let mut years = YearClock::until(Some(at("2024-12-01T00:00:00Z")));
        let lines = ["May 01 10:00:00 n x", "Jan 01 00:00:09 n x", "May 01 10:05:00 n x"];
        let mut watch = OrderWatch::new(false);
        assert!(!lines.iter().any(|l| watch.crosses(l.as_bytes(), &mut years)));
    }

    #[test]
    fn dates_move_back_by_a_year() {
        assert_eq!(year_earlier(at("2024-02-29T10:00:00Z")), at("2023-02-28T10:00:00Z"));
    }
}
