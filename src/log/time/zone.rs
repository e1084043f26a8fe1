//! Time zones of stamps that name none, which hosts write in their local time.

use jiff::Timestamp;

use crate::log::source::line;
use crate::log::source::stamp::{self, Civil, Stamp};
use crate::log::time::year::YearClock;

/// Number of lines of a log that are looked at.
const LINES: usize = 64;
/// Number of lines that must agree.
const WITNESSES: usize = 3;
/// Smallest difference between zones, in seconds.
const QUARTER: i64 = 15 * 60;
/// Longest delay of a line between its program and the journal, in seconds.
const DELAY: i64 = 5;
/// Largest offset of a zone, east or west.
const FARTHEST: i64 = 14 * 3600;

/// Formats an offset as `+05:30`.
pub(in crate::log) fn format_offset(offset: i32) -> String {
    let (sign, minutes) = (if offset < 0 { '-' } else { '+' }, offset.abs() / 60);
    format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

/// Result from lines with two stamps: that of the journal, and after it that of their program with year and zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::log) struct TwoStamps {
    /// Zone of the journal, in seconds east of UTC.
    pub offset: i32,
    /// Time of the first of those lines.
    pub time: Timestamp,
}

/// Returns the zone by the beginning of a log; `None` unless several lines agree and none contradicts.
pub(in crate::log) fn zone_of_lines(lines: &[u8]) -> Option<TwoStamps> {
    agreed(line::each(lines).take(LINES).filter_map(witness))
}

/// Returns the zone of a journal by all lines of a text, in seconds east of UTC.
pub fn zone_of(text: &[u8]) -> Option<i32> {
    agreed(line::each(text).filter_map(witness)).map(|told| told.offset)
}

fn agreed(mut witnesses: impl Iterator<Item = TwoStamps>) -> Option<TwoStamps> {
    let first = witnesses.next()?;
    let mut count = 1;
    for witness in witnesses {
        if witness.offset != first.offset {
            return None;
        }
        count += 1;
    }
    (count >= WITNESSES).then_some(first)
}

fn witness(line: &[u8]) -> Option<TwoStamps> {
    let (Stamp::Civil(prefix), behind) = stamp::leading(line)? else { return None };
    let text = line.get(behind..)?;
    if prefix.year.is_some() {
        return None;
    }
    let time = match stamp::payload(text)? {
        Stamp::Instant(time) => time,
        Stamp::Civil(own) => {
            own.offset?;
            YearClock::until(None).resolve(Stamp::Civil(own))?
        }
    };
    let ahead = nearest(prefix, time)? - time.as_second();
    let rounded = (ahead + QUARTER / 2).div_euclid(QUARTER) * QUARTER;
    let fits = (ahead - rounded).abs() <= DELAY && rounded.abs() <= FARTHEST;
    fits.then_some(TwoStamps { offset: i32::try_from(rounded).ok()?, time })
}

/// Returns the stamp read as UTC, in the year that is nearest to `time`.
fn nearest(stamp: Civil, time: Timestamp) -> Option<i64> {
    let year = jiff::tz::Offset::UTC.to_datetime(time).year();
    let read = |year| {
        let stamp = Civil { year: Some(year), offset: Some(0), ..stamp };
        YearClock::until(None).resolve(Stamp::Civil(stamp)).map(Timestamp::as_second)
    };
    [year - 1, year, year + 1].into_iter().filter_map(read).min_by_key(|second| (second - time.as_second()).abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(lines: &[&str]) -> Option<(i32, String)> {
        zone_of_lines(lines.join("\n").as_bytes())
            .map(|zone_of_lines| (zone_of_lines.offset, zone_of_lines.time.to_string()))
    }

    #[test]
    fn lines_with_two_stamps_give_the_zone() {
        let east = [
            "Jan 01 06:45:58 n1 rke2[7]: time=\"2023-12-31T22:45:57Z\" level=info msg=a",
            "Jan 01 06:45:59 n1 rke2[7]: started",
            "Jan 01 06:46:00.123456 n1 rke2[7]: {\"level\":\"warn\",\"ts\":\"2024-01-01T06:46:00.1+08:00\"}",
            "Jan 01 06:46:01 n1 rke2[7]: time=\"2023-12-31T22:46:01Z\" level=info msg=c",
        ];
        assert_eq!(of(&east), Some((8 * 3600, "2023-12-31T22:45:57Z".to_owned())));
        assert_eq!(of(&east[..3]), None, "two lines are too few");
        let other = "Jan 01 06:46:02 n1 rke2[7]: time=\"2023-12-31T21:46:02Z\" level=info msg=d";
        assert_eq!(of(&[&east[..], &[other]].concat()), None, "lines that contradict");
        let replayed = "Jan 01 06:46:02 n1 rke2[7]: time=\"2023-12-31T21:40:02Z\" level=info msg=d";
        assert!(of(&[&east[..], &[replayed]].concat()).is_some(), "a line that was written later tells nothing");
        let west = "Mar 06 18:15:57 n1 x: time=\"2024-03-06T22:45:57Z\"";
        assert_eq!(of(&[west; 3]).map(|(offset, _)| offset), Some(-4 * 3600 - 1800));
        assert_eq!(of(&["2024-03-06T18:15:57 n1 x: time=\"2024-03-06T22:45:57Z\""; 3]), None);
    }

    #[test]
    fn offsets_are_shown_as_logs_write_them() {
        assert_eq!([format_offset(0), format_offset(19_800), format_offset(-12_600)], ["+00:00", "+05:30", "-03:30"]);
    }
}
