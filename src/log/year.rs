//! Years and zones of stamps that have none, as in journals and klog.
//!
//! A [`JournalHeader`] names zone and range of a journal. A [`YearClock`] gives a stamp the newest
//! year that does not lie after the end of the log. Logs longer than a year repeat their dates: an
//! [`OrderWatch`] sees that from the order of lines.

use jiff::civil::{Date, Time};
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp, ToSpan};

use super::time::{self, Civil, Stamp};
use crate::model::zone;

const DAY: i64 = 24 * 3600;

/// What the first line of a journal says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct JournalHeader {
    pub begin: Option<Timestamp>,
    pub end: Option<Timestamp>,
    /// Seconds east of UTC.
    pub offset: i32,
    /// Name of a zone that is not known or stands for several.
    pub unknown_zone: Option<String>,
}

impl JournalHeader {
    /// Reads `-- Logs begin at Sun 2022-03-06 22:45:10 UTC, end at ... UTC. --` and the newer
    /// `-- Journal begins at ..., ends at .... --`.
    pub fn parse(line: &[u8]) -> Option<Self> {
        let line = std::str::from_utf8(line).ok()?;
        let rest = line.strip_prefix("-- Logs begin at ").or_else(|| line.strip_prefix("-- Journal begins at "))?;
        let rest = rest.trim_end().strip_suffix("--")?.trim_end().strip_suffix('.')?;
        let (begin, end) = rest.split_once(", ends at ").or_else(|| rest.split_once(", end at "))?;
        let zone = end.split_whitespace().nth(3).unwrap_or("UTC");
        let offset = zone::offset(zone);
        let mut header = Self { offset: offset.unwrap_or(0), ..Self::default() };
        header.unknown_zone = offset.is_none().then(|| zone.to_owned());
        header.begin = header.time(begin);
        header.end = header.time(end);
        Some(header)
    }

    /// `Sun 2022-03-06 22:45:10 UTC` in the zone of this header, or its own.
    fn time(&self, text: &str) -> Option<Timestamp> {
        let mut words = text.split_whitespace().skip(1);
        let date: Date = words.next()?.parse().ok()?;
        let time: Time = words.next()?.parse().ok()?;
        let offset = words.next().and_then(zone::offset).unwrap_or(self.offset);
        Offset::from_seconds(offset).ok()?.to_timestamp(date.to_datetime(time)).ok()
    }

    /// Whether dates may repeat: the range is not known or nearly a year.
    pub fn may_repeat(&self) -> bool {
        match (self.begin, self.end) {
            (Some(begin), Some(end)) => end.duration_since(begin) > SignedDuration::from_secs(360 * DAY),
            _ => true,
        }
    }
}

/// Turns stamps into times.
#[derive(Clone, Debug)]
pub(super) struct YearClock {
    /// Stamps without year lie at most a day after this.
    end: Option<Timestamp>,
    /// Of stamps without zone and year.
    offset: i32,
    /// Of stamps with a year and without zone.
    dated_offset: i32,
    years_back: i16,
    /// The last date and its first second: neighbouring lines share it.
    cached: Option<(Day, i64)>,
}

/// Year, month and day as a stamp writes them.
type Day = (Option<i16>, i8, i8);

impl YearClock {
    /// For a log that ends no later than `end`.
    pub fn until(end: Option<Timestamp>) -> Self {
        Self { end, offset: 0, dated_offset: 0, years_back: 0, cached: None }
    }

    /// For a log of a host whose clock is so many seconds east of UTC: all its programs write local time.
    pub fn local(self, offset: i32) -> Self {
        Self { offset, dated_offset: offset, ..self }
    }

    /// Takes end and zone from the header of a journal.
    pub fn adopt(&mut self, header: &JournalHeader) {
        self.end = header.end.or(self.end);
        self.offset = header.offset;
        self.cached = None;
    }

    /// Later lines are a year older than their dates seem: for journals with the newest line first.
    pub fn step_back(&mut self) {
        self.years_back += 1;
        self.cached = None;
    }

    /// The time of a stamp; none when it is no date or when nothing tells its year.
    pub fn resolve(&mut self, stamp: Stamp) -> Option<Timestamp> {
        match stamp {
            Stamp::Instant(time) => Some(time),
            Stamp::Civil(civil) => self.resolve_civil(civil),
        }
    }

    fn resolve_civil(&mut self, civil: Civil) -> Option<Timestamp> {
        let offset = match (civil.offset, civil.year) {
            (Some(offset), _) => offset,
            // A program that writes the year but no zone means UTC, unless it runs on a host of a known zone.
            (None, Some(_)) => self.dated_offset,
            (None, None) => self.offset,
        };
        let midnight = self.midnight(civil)?;
        Timestamp::new(midnight + i64::from(civil.second) - i64::from(offset), civil.nano).ok()
    }

    /// First second of the stamp's day, as if it were in UTC.
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

/// The same date and time a year earlier.
pub(super) fn year_earlier(time: Timestamp) -> Timestamp {
    earlier(time, 1).unwrap_or(time)
}

fn earlier(time: Timestamp, years: i16) -> Option<Timestamp> {
    let shifted = Offset::UTC.to_datetime(time).checked_sub(i64::from(years).years()).ok()?;
    Offset::UTC.to_timestamp(shifted).ok()
}

/// Watches the order of dates in a log without years.
#[derive(Clone, Debug)]
pub(super) struct OrderWatch {
    /// Whether the newest line comes first (`journalctl -r`).
    pub newest_first: bool,
    date: Option<(i8, i8)>,
    last: Option<Timestamp>,
}

impl OrderWatch {
    /// Learns the direction from the first lines of a log.
    pub fn new<'a>(lines: impl Iterator<Item = &'a [u8]>, years: &mut YearClock) -> Self {
        let (mut up, mut down) = (0u32, 0u32);
        let mut last: Option<Timestamp> = None;
        for line in lines {
            let time = time::yearless(line).and_then(|civil| years.resolve(Stamp::Civil(civil)));
            if let (Some(last), Some(time)) = (last, time) {
                up += u32::from(time > last);
                down += u32::from(time < last);
            }
            last = time.or(last);
        }
        Self { newest_first: down > up, date: None, last: None }
    }

    /// Whether a year lies between this line and those before it. A clock that starts at 1 January
    /// is a machine without a battery, not a new year.
    pub fn crosses(&mut self, line: &[u8], years: &mut YearClock) -> bool {
        let Some(civil) = time::yearless(line) else { return false };
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
        let stamp = super::super::time::stamp(line.as_bytes()).unwrap();
        years.resolve(stamp).map_or_else(|| "none".to_owned(), |t| t.to_string())
    }

    #[test]
    fn newest_year_that_fits() {
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
    fn headers_of_old_and_new_journals() {
        let line = b"-- Logs begin at Sun 2022-03-06 22:45:10 UTC, end at Tue 2022-03-22 23:56:05 UTC. --";
        let header = JournalHeader::parse(line).unwrap();
        assert_eq!((header.begin, header.end), (Some(at("2022-03-06T22:45:10Z")), Some(at("2022-03-22T23:56:05Z"))));
        assert!(!header.may_repeat());
        let line = b"-- Journal begins at Mon 2021-03-01 01:00:00 CET, ends at Tue 2022-06-21 02:00:00 CEST. --";
        let header = JournalHeader::parse(line).unwrap();
        assert_eq!((header.begin, header.end), (Some(at("2021-03-01T00:00:00Z")), Some(at("2022-06-21T00:00:00Z"))));
        assert_eq!(header.offset, 7200);
        assert!(header.may_repeat());
        let line = b"-- Logs begin at Sun 2022-03-06 22:45:10 +0530, end at Tue 2022-03-22 23:56:05 +0530. --";
        assert_eq!(JournalHeader::parse(line).unwrap().offset, 19800);
        let line = b"-- Logs begin at Sun 2022-03-06 22:45:10 CST, end at Tue 2022-03-22 23:56:05 CST. --";
        assert_eq!(JournalHeader::parse(line).unwrap().unknown_zone.as_deref(), Some("CST"));
        for line in ["-- No entries --", "-- Reboot --", "-- Boot 0123456789abcdef --", "Mar 06 22:45:10 n1 x"] {
            assert_eq!(JournalHeader::parse(line.as_bytes()), None);
        }
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
    fn order_shows_years() {
        let mut years = YearClock::until(Some(at("2024-12-01T00:00:00Z")));
        let lines = ["May 01 10:00:00 n x", "May 01 10:00:02 n x", "Feb 03 08:00:00 n x", "Nov 30 09:00:00 n x"];
        let mut watch = OrderWatch::new(lines.iter().map(|l| l.as_bytes()), &mut years);
        assert!(!watch.newest_first);
        let crossings: Vec<bool> = lines.iter().map(|l| watch.crosses(l.as_bytes(), &mut years)).collect();
        assert_eq!(crossings, [false, false, true, false]);
    }

    #[test]
    fn reversed_order_is_seen() {
        let mut years = YearClock::until(Some(at("2024-12-01T00:00:00Z")));
        let lines = ["Nov 30 09:00:00 n x", "Feb 03 08:00:00 n x", "Feb 03 07:00:00 n x", "May 01 10:00:00 n x"];
        let mut watch = OrderWatch::new(lines.iter().map(|l| l.as_bytes()), &mut years);
        assert!(watch.newest_first);
        let crossings: Vec<bool> = lines.iter().map(|l| watch.crosses(l.as_bytes(), &mut years)).collect();
        assert_eq!(crossings, [false, false, false, true]);
    }

    #[test]
    fn dead_clocks_are_no_new_year() {
        let mut years = YearClock::until(Some(at("2024-12-01T00:00:00Z")));
        let lines = ["May 01 10:00:00 n x", "Jan 01 00:00:09 n x", "May 01 10:05:00 n x"];
        let mut watch = OrderWatch::new(lines.iter().map(|l| l.as_bytes()), &mut years);
        assert!(!lines.iter().any(|l| watch.crosses(l.as_bytes(), &mut years)));
    }

    #[test]
    fn a_year_earlier() {
        assert_eq!(year_earlier(at("2024-02-29T10:00:00Z")), at("2023-02-28T10:00:00Z"));
    }
}
