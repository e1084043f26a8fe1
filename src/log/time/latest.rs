//! Newest time in a log, for bundles without a collection time.

use jiff::{SignedDuration, Timestamp};

use crate::log::source::journal::JournalHeader;
use crate::log::source::line;
use crate::log::source::stamp::{self, Civil, Stamp};
use crate::log::time::year::YearClock;

/// Number of lines that may contain the header of a journal: hints may come first.
const HEADER_LINES: usize = 5;

/// Returns the newest time in a log, or in its first and last lines. Stamps without a year count only after a journal's header, which
/// has it, or behind a line with a year; otherwise the stamp that the program itself wrote counts. `zone` is that of a host whose stamps are
/// in local time, in seconds east of UTC.
pub fn latest(text: &[u8], zone: Option<i32>) -> Option<Timestamp> {
    let header = line::each(text).take(HEADER_LINES).find_map(JournalHeader::parse);
    let mut years = YearClock::until(None);
    zone.into_iter().for_each(|offset| years.host(offset));
    header.iter().for_each(|header| years.adopt(header));
    let end = header.as_ref().and_then(|header| header.end);
    let (mut newest, mut behind) = (None, None);
    for line in line::each(text) {
        match time_of(line, &mut years) {
            Some(time) => (newest, behind) = (newest.max(Some(time)), None),
            None => behind = stamp::yearless(line).or(behind),
        }
    }
    let newest = newest.max(end)?;
    let later = behind.filter(|_| header.is_none()).and_then(|behind| later_than(newest, behind));
    Some(later.unwrap_or(newest))
}

/// Returns the time of a line without year behind one of that time, if it is more than a day later and at most two months: a K3s that has
/// little to say prints a year when it starts, and then none for weeks.
fn later_than(dated: Timestamp, behind: Civil) -> Option<Timestamp> {
    let ahead = dated.checked_add(SignedDuration::from_hours(60 * 24)).ok()?;
    let time = YearClock::until(Some(ahead)).resolve(Stamp::Civil(behind))?;
    (time.duration_since(dated) > SignedDuration::from_hours(24)).then_some(time)
}

/// Returns the newest time in a log without years, in the newest year in which it is not after `day`: that of the last line, or of
/// the first if the newest line comes first. Dates repeat each year, so the shorter way between both lines is taken.
pub fn latest_without_year(text: &[u8], day: Timestamp) -> Option<Timestamp> {
    const YEAR: i64 = 365 * 24 * 3600;
    let mut years = YearClock::until(Some(day));
    let mut times = line::each(text).filter_map(|line| time_of(line, &mut years));
    let first = times.next()?;
    let last = times.last().unwrap_or(first);
    let later = (last.as_second() - first.as_second()).rem_euclid(YEAR);
    Some(if later <= YEAR / 2 { last } else { first })
}

/// Returns the greatest time since the boot in a log of the kernel.
pub fn newest_uptime(text: &[u8]) -> Option<SignedDuration> {
    line::each(text).filter_map(stamp::uptime).max()
}

/// Returns true if at least half of the first lines of a text have a time of their own, as those of a log have.
pub fn is_dated(text: &[u8]) -> bool {
    are_most(text, &|line| stamp::stamp(line).is_some())
}

/// Returns true if at least half of the first lines of a text are those of the kernel's ring buffer, as `dmesg` prints them:
/// `[ 1234.567890] text`, `[Wed Mar  6 22:45:10 2024] text`.
pub fn is_ring_buffer(text: &[u8]) -> bool {
    are_most(text, &|line| {
        let stamped = line.strip_prefix(b"[").and_then(|rest| Some((rest, memchr::memmem::find(rest, b"] ")?)));
        stamp::uptime(line).is_some() || stamped.is_some_and(|(rest, end)| is_ctime(&rest[..end]))
    })
}

/// `Wed Mar  6 22:45:10 2024`.
fn is_ctime(stamp: &[u8]) -> bool {
    const DAYS: [&[u8]; 7] = [b"Mon ", b"Tue ", b"Wed ", b"Thu ", b"Fri ", b"Sat ", b"Sun "];
    stamp.len() == 24 && DAYS.iter().any(|day| stamp.starts_with(day)) && stamp[20..].iter().all(u8::is_ascii_digit)
}

/// Returns true if at least half of the first lines that are not blank, and one at least, are such.
fn are_most(text: &[u8], such: &dyn Fn(&[u8]) -> bool) -> bool {
    const LINES: usize = 20;
    let is_blank = |line: &&[u8]| line.iter().all(u8::is_ascii_whitespace);
    let lines: Vec<&[u8]> = line::each(text).filter(|line| !is_blank(line)).take(LINES).collect();
    let count = lines.iter().filter(|line| such(line)).count();
    count > 0 && count * 2 >= lines.len()
}

fn time_of(line: &[u8], years: &mut YearClock) -> Option<Timestamp> {
    let own = stamp::stamp(line).and_then(|stamp| years.resolve(stamp));
    own.or_else(|| {
        let (_, behind) = stamp::leading(line)?;
        stamp::stamp(line.get(behind..)?).and_then(|stamp| years.resolve(stamp))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Option<String> {
        latest(text.as_bytes(), None).map(|time| time.to_string())
    }

    #[test]
    fn a_file_of_klog_has_its_year_in_the_first_line() {
        let text = "Log file created at: 2025/09/25 14:41:53\nRunning on machine: n1\nI0925 14:42:21.382764   28250 x.go:1] y\n";
        assert_eq!(shown(text).as_deref(), Some("2025-09-25T14:41:53Z"));
    }

    #[test]
    fn logs_have_times_in_their_lines() {
        for text in [
            "Mar 06 22:45:10 n1 kernel: x\nMar 06 22:45:11 n1 kernel: y\n",
            "{\"level\":\"warn\",\"ts\":\"2025-11-27T15:58:48.855692Z\",\"msg\":\"x\"}\n",
            "panic: x\n2024-03-06T22:45:09Z started\n",
            "E0610 09:58:45.414761       1 main.go:89] x\n",
        ] {
            assert!(is_dated(text.as_bytes()), "{text}");
        }
        for text in [
            "",
            "\n\n",
            "Filesystem  Size  Used\n/dev/sda1  10G  9G\n",
            "to do\n- call the customer at 10:00\n- reboot\n",
        ] {
            assert!(!is_dated(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn the_ring_buffer_of_the_kernel_is_told_from_other_logs() {
        for text in [
            "[    0.000000] Linux version 5.14\n[1234567.123456] sd 2:0:0:1: [sdb] Synchronizing SCSI cache\n",
            "[Wed Mar  6 22:45:10 2024] EXT4-fs (sdb): Remounting filesystem read-only\n",
        ] {
            assert!(is_ring_buffer(text.as_bytes()), "{text}");
        }
        for text in ["", "[2024-03-06 22:45:10] x\n", "[INFO] x\n", "[1.5] x\n", "[Wednesday 2024] x\n", "[1] \n"] {
            assert!(!is_ring_buffer(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn the_newest_time_without_a_year() {
        let shown = |text: &str| {
            let day = "2024-11-28T00:00:00Z".parse().unwrap();
            latest_without_year(text.as_bytes(), day).map(|time| time.to_string())
        };
        let lines = |days: [&str; 2]| days.map(|day| format!("{day} 10:00:00 n1 kernel: x\n")).concat();
        assert_eq!(shown(&lines(["Nov 01", "Nov 20"])).as_deref(), Some("2024-11-20T10:00:00Z"));
        assert_eq!(shown(&lines(["Nov 20", "Nov 01"])).as_deref(), Some("2024-11-20T10:00:00Z"));
        assert_eq!(shown(&lines(["Nov 20", "Dec 05"])).as_deref(), Some("2023-12-05T10:00:00Z"));
        assert_eq!(shown(&lines(["Dec 05", "Nov 20"])).as_deref(), Some("2023-12-05T10:00:00Z"));
        assert_eq!(shown(&lines(["Dec 30", "Jan 02"])).as_deref(), Some("2024-01-02T10:00:00Z"));
        assert_eq!(shown("E1105 10:00:00.5       1 a.go:8] x\n").as_deref(), Some("2024-11-05T10:00:00.5Z"));
        assert_eq!(shown("x\n"), None);
    }

    #[test]
    fn lines_without_year_follow_one_with_a_year() {
        let start = "Nov 18 07:00:00 n1 k3s[1]: time=\"2026-11-18T07:00:00Z\" level=info msg=x\n";
        let then = |line: &str| shown(&format!("{start}{line} n1 k3s[1]: E1 panic\n"));
        assert_eq!(then("Nov 20 09:40:10").as_deref(), Some("2026-11-20T09:40:10Z"));
        assert_eq!(then("Jan 10 09:40:10").as_deref(), Some("2027-01-10T09:40:10Z"));
        for line in ["Nov 18 15:00:00", "Nov 17 09:40:10", "Jun 01 09:40:10"] {
            assert_eq!(then(line).as_deref(), Some("2026-11-18T07:00:00Z"), "{line}");
        }
        let again = format!("{start}Nov 20 09:40:10 n1 k3s[1]: E1 panic\n{}", start.replace("18", "21"));
        assert_eq!(shown(&again).as_deref(), Some("2026-11-21T07:00:00Z"));
    }

    #[test]
    fn only_times_with_a_year_count() {
        assert_eq!(shown("Mar 06 22:45:10 n1 kernel: x\n"), None);
        let program = "Mar 06 22:45:10 n1 rke2[1]: time=\"2024-03-06T22:45:09Z\" level=info msg=x\n";
        assert_eq!(shown(program).as_deref(), Some("2024-03-06T22:45:09Z"));
        let header = "-- Logs begin at Wed 2024-03-06 22:00:00 UTC, end at Thu 2024-03-07 01:00:00 UTC. --\n";
        assert_eq!(shown(&format!("{header}Mar 06 22:45:10 n1 x\n")).as_deref(), Some("2024-03-07T01:00:00Z"));
        let several = "2024-03-06T22:45:10Z a\n2024-03-06T22:44:10Z b\nc\n";
        assert_eq!(shown(several).as_deref(), Some("2024-03-06T22:45:10Z"));
    }
}
