//! Names of host logs, including rotated ones.

use crate::bundle::path::without_ending;

/// Returns unit and generation of `kernel.log`, `kernel.log.1`, `syslog`, `messages.2`, and of rotations named by
/// time, which have generation 1: `messages-20240306`, `kubelet-2025-12-02T13-58-40.483.log`.
pub(super) fn node_log(file: &str) -> Option<(&str, u32)> {
    let (name, generation) = match file.rsplit_once('.').map(|(name, number)| (name, number.parse())) {
        Some((name, Ok(generation))) => (name, generation),
        _ => (file, 0),
    };
    let (stem, dated) = match without_stamp(name) {
        Some(stem) => (stem, true),
        None => (name, false),
    };
    let generation = generation.max(u32::from(dated));
    match stem.strip_suffix(".log").or_else(|| name.strip_suffix(".log").map(|_| stem)) {
        Some(unit) if !unit.is_empty() => Some((unit, generation)),
        _ if stem.starts_with("syslog") || stem.starts_with("messages") => {
            (without_ending(stem) == stem).then_some((stem, generation))
        }
        _ => None,
    }
}

/// Returns the name before the time at its end: `messages-20240306`, `kern.log-20240306-101530`,
/// `kubelet-2025-12-02T13-58-40.483.log`.
fn without_stamp(name: &str) -> Option<&str> {
    let is_stamp = |stamp: &str| {
        let digits: Vec<u8> = stamp.bytes().filter(|b| *b != b'-').take(8).collect();
        let month = digits.get(4..6).unwrap_or_default();
        digits.len() == 8
            && digits.iter().all(u8::is_ascii_digit)
            && digits.starts_with(b"20")
            && month <= b"12".as_slice()
    };
    let dashes = name.match_indices('-').filter(|(at, _)| *at > 0);
    let mut cuts = dashes.filter_map(|(at, _)| Some((name.get(..at)?, name.get(at + 1..)?)));
    cuts.find(|(_, stamp)| is_stamp(stamp)).map(|(stem, _)| stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotated_logs_are_of_their_unit() {
        let cases = [
            ("syslog.2", "syslog", 2),
            ("messages-20240306", "messages", 1),
            ("kern.log-20240306-101530", "kern", 1),
            ("kubelet-2025-12-02T13-58-40.483.log", "kubelet", 1),
            ("rke2-server.log.3", "rke2-server", 3),
            ("node-12345678.log", "node-12345678", 0),
            ("node-2024030.log", "node-2024030", 0),
        ];
        for (file, unit, generation) in cases {
            assert_eq!(node_log(file), Some((unit, generation)), "{file}");
        }
        assert_eq!(node_log("messages.tar.gz"), None);
        assert_eq!(node_log("dmesg.log"), Some(("dmesg", 0)));
        assert_eq!(node_log("core.1"), None);
    }
}
