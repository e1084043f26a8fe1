//! Lines that `journalctl` itself writes into a journal: its header, boot notes and hints.

use jiff::civil::{Date, Time};
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp};

use super::{journal_entry, stamp};
use crate::model::zone;

/// First line of a journal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::log) struct JournalHeader {
    pub begin: Option<Timestamp>,
    pub end: Option<Timestamp>,
    /// Seconds east of UTC.
    pub offset: i32,
    /// Name of a zone that is unknown or ambiguous.
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
        let name = end.split_whitespace().nth(3).unwrap_or("UTC");
        let offset = zone::offset(name);
        let mut header = Self { offset: offset.unwrap_or(0), ..Self::default() };
        header.unknown_zone = offset.is_none().then(|| name.to_owned());
        header.begin = header.time(begin);
        header.end = header.time(end);
        Some(header)
    }

    /// Parses `Sun 2022-03-06 22:45:10 UTC` in the zone of this header, or its own.
    fn time(&self, text: &str) -> Option<Timestamp> {
        let mut words = text.split_whitespace().skip(1);
        let date: Date = words.next()?.parse().ok()?;
        let time: Time = words.next()?.parse().ok()?;
        let offset = words.next().and_then(zone::offset).unwrap_or(self.offset);
        Offset::from_seconds(offset).ok()?.to_timestamp(date.to_datetime(time)).ok()
    }

    /// Returns whether dates may repeat: the range is unknown or nearly a year.
    pub fn may_repeat(&self) -> bool {
        match (self.begin, self.end) {
            (Some(begin), Some(end)) => end.duration_since(begin) > SignedDuration::from_hours(360 * 24),
            _ => true,
        }
    }
}

/// Returns whether `journalctl` itself wrote a line without stamp.
pub fn is_note(line: &[u8]) -> bool {
    match line.first() {
        Some(b'-') => {
            let notes: [&[u8]; 5] =
                [b"-- No entries --", b"-- Reboot --", b"-- Logs begin at ", b"-- Journal begins at ", b"-- Boot "];
            line.ends_with(b"--") && notes.iter().any(|note| line.starts_with(note))
        }
        Some(b'H') => line.starts_with(b"Hint: You are currently not seeing messages from other users"),
        _ => false,
    }
}

/// Returns the host of a journal, `Mar 06 22:45:28 HOST k3s[812]: text` or entries as JSON, if all lines of programs name the same.
pub fn host_of(head: &[u8]) -> Option<String> {
    let host = |line| journal_entry::host(line).or_else(|| host_of_line(line));
    let mut hosts = head.split(|byte| *byte == b'\n').filter_map(host);
    let first = hosts.next()?;
    hosts.all(|other| other == first).then_some(first)
}

/// Programs that are written without the number of their process: the kernel, and others where syslog leaves it out.
const WITHOUT_PROCESS: [&[u8]; 6] = [b"kernel:", b"kubelet:", b"containerd:", b"k3s:", b"rke2:", b"systemd:"];

fn host_of_line(line: &[u8]) -> Option<String> {
    let (_, at) = stamp::leading(line)?;
    let mut words = line.get(at..)?.split(|byte| *byte == b' ');
    let (host, program) = (words.next()?, words.next()?);
    let may = |byte: &u8| byte.is_ascii_alphanumeric() || b".-_".contains(byte);
    let is_name = host.len() <= 253 && host.iter().all(may) && host.iter().any(u8::is_ascii_alphanumeric);
    let is_program = WITHOUT_PROCESS.contains(&program) || (program.contains(&b'[') && program.ends_with(b"]:"));
    (is_program && is_name).then(|| String::from_utf8_lossy(host).into_owned())
}

/// A start of K3s or RKE2.
#[derive(Debug, PartialEq, Eq)]
pub struct DistributionStart {
    pub unit: &'static str,
    /// As in `v1.29.3+k3s1`.
    pub version: String,
}

/// Returns the last start of K3s or RKE2 in a log: `msg="Starting k3s v1.29.3+k3s1 (8aecc26b)"`,
/// `INFO[0000] Starting rke2 agent v1.31.2+rke2r1 (5f5a1c4c)`.
pub fn last_start(log: &[u8]) -> Option<DistributionStart> {
    const STARTS: [(&[u8], &str); 4] =
        [(b"k3s v", "k3s"), (b"k3s agent v", "k3s-agent"), (b"rke2 v", "rke2-server"), (b"rke2 agent v", "rke2-agent")];
    let mut starts = memchr::memmem::rfind_iter(log, b"Starting ");
    starts.find_map(|at| {
        let line = log.get(at + "Starting ".len()..)?;
        let (start, unit) = STARTS.iter().find(|(start, _)| line.starts_with(start))?;
        let version =
            line.get(start.len() - 1..)?.split(|byte| !byte.is_ascii_alphanumeric() && !b".+-".contains(byte));
        let version = String::from_utf8(version.take(1).next()?.to_vec()).ok()?;
        version
            .contains(if unit.starts_with("k3s") { "+k3s" } else { "+rke2" })
            .then_some(DistributionStart { unit, version })
    })
}

/// Returns whether a text is only what `journalctl` or a shell says when it cannot read the journal.
pub fn is_only_failures(text: &str) -> bool {
    const FAILURES: [&str; 6] = [
        "No journal files were ",
        "Failed to open journal",
        "Failed to open files",
        "Failed to add filter for units",
        "Failed to search journal",
        "Failed to iterate through journal",
    ];
    let fails = |line: &str| {
        FAILURES.iter().any(|failure| line.starts_with(failure))
            || (line.contains("journalctl") && line.ends_with(": No such file or directory"))
            || line.ends_with("journalctl: command not found")
    };
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines().any(fails) && lines().all(|line| fails(line) || is_note(line.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: &str) -> Timestamp {
        time.parse().unwrap()
    }

    #[test]
    fn the_last_start_tells_the_version() {
        let of = |text: &str| last_start(text.as_bytes()).map(|start| (start.unit, start.version));
        let k3s = "time=\"2024-04-18T20:49:31Z\" level=info msg=\"Starting k3s v1.29.3+k3s1 (8aecc26b)\"\n";
        assert_eq!(of(k3s), Some(("k3s", "v1.29.3+k3s1".to_owned())));
        let later = format!("{k3s}INFO[0000] Starting rke2 agent v1.31.2+rke2r1 (5f5a1c4c)\n");
        assert_eq!(of(&later), Some(("rke2-agent", "v1.31.2+rke2r1".to_owned())));
        assert_eq!(of("Starting k3s.service\nStarting k3s v\nStarting k3s vault\nStarting "), None);
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
    fn all_lines_of_a_journal_name_its_host() {
        let host = |text: &str| host_of(text.as_bytes());
        let one = "-- Logs begin at Thu 2025-02-06 09:00:00 UTC. --\nFeb 10 09:58:02 cp-1 k3s[15]: a\nFeb 10 09:58:03 cp-1 kernel: b: c\n";
        assert_eq!(host(one).as_deref(), Some("cp-1"));
        assert_eq!(host("2025-02-10T09:58:02.123+0000 n1.example rke2[7]: x\n").as_deref(), Some("n1.example"));
        assert_eq!(host("Apr 13 10:53:52 n1 kubelet: E0413 10:53:52.844381 3263 a.go:1] x\n").as_deref(), Some("n1"));
        assert_eq!(host("Feb 10 09:58:02 a k3s[15]: x\nFeb 10 09:58:03 b k3s[15]: x\n"), None);
        assert_eq!(host("2025-02-10T09:58:02Z INFO main: x\n2025-02-10T09:58:02Z stderr F y: z\n"), None);
    }

    #[test]
    fn failures_of_journalctl_are_no_log() {
        for text in [
            "Failed to open journal: Permission denied\n",
            "No journal files were found.\n-- No entries --\n",
            "chroot: failed to run command '/usr/bin/journalctl': No such file or directory",
        ] {
            assert!(is_only_failures(text), "{text}");
        }
        for text in ["", "-- No entries --\n", "Failed to open journal: x\nMar 06 22:45:10 n1 kubelet: x\n"] {
            assert!(!is_only_failures(text), "{text}");
        }
    }

    #[test]
    fn notes_are_no_lines_of_the_log() {
        for note in [
            "-- Logs begin at Sun 2022-03-06 22:45:10 UTC, end at Tue 2022-03-22 23:56:05 UTC. --",
            "-- No entries --",
            "-- Reboot --",
            "-- Boot 0123456789abcdef0123456789abcdef --",
            "Hint: You are currently not seeing messages from other users and the system.",
        ] {
            assert!(is_note(note.as_bytes()), "{note}");
        }
        for text in ["", "-- a comment", "-- Boot loader failed", "Hint: try again", "Mar 06 22:45:10 n1 -- Reboot --"]
        {
            assert!(!is_note(text.as_bytes()), "{text}");
        }
    }
}
