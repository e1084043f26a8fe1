//! Newest time in a log, for bundles without a collection time.

use jiff::Timestamp;

use crate::log::source::journal::JournalHeader;
use crate::log::source::{line, stamp};
use crate::log::time::year::YearClock;

/// Number of lines that may contain the header of a journal: hints may come first.
const HEADER_LINES: usize = 5;

/// Returns the newest time in a log, or in its first and last lines. Stamps without a year count only after a journal's header, which
/// has it; otherwise the stamp that the program itself wrote counts.
pub fn latest(text: &[u8]) -> Option<Timestamp> {
    let header = line::each(text).take(HEADER_LINES).find_map(JournalHeader::parse);
    let mut years = YearClock::until(None);
    header.iter().for_each(|header| years.adopt(header));
    let end = header.and_then(|header| header.end);
    line::each(text).filter_map(|line| time_of(line, &mut years)).chain(end).max()
}

/// Returns true if at least half of the first lines of a text have a time of their own, as those of a log have.
pub fn is_dated(text: &[u8]) -> bool {
    const LINES: usize = 20;
    let is_blank = |line: &&[u8]| line.iter().all(u8::is_ascii_whitespace);
    let lines: Vec<&[u8]> = line::each(text).filter(|line| !is_blank(line)).take(LINES).collect();
    let dated = lines.iter().filter(|line| stamp::stamp(line).is_some()).count();
    dated > 0 && dated * 2 >= lines.len()
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
        latest(text.as_bytes()).map(|time| time.to_string())
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
