//! Files and logs of one node, as the support-bundle-kit collects them.

use super::Role;
use crate::bundle::path::without_ending;

/// The role of an entry in the zip of a node that was given alone.
pub(super) fn alone(segments: &[&str], bundle: &str) -> Role {
    match segments {
        ["configs" | "logs" | "hostinfos" | "scc", ..] => role(without_ending(bundle), segments),
        [node, rest @ ..] if !rest.is_empty() => role(node, rest),
        _ => Role::Other,
    }
}

/// Whether a path begins as those in a node's folder do.
pub(super) fn is_tree(rest: &[&str]) -> bool {
    matches!(rest, ["logs" | "configs" | "hostinfos" | "scc", _, ..])
}

/// The role of an entry in the folder of a node.
pub(super) fn role(node: &str, rest: &[&str]) -> Role {
    let log = match rest {
        // Longhorn's V2 engine keeps folders in the place that its setting `log-path` names.
        ["logs", .., file] => node_log(file),
        _ => None,
    };
    let node = node.to_owned();
    match log {
        Some((unit, generation)) => Role::NodeLog { node, unit: unit.to_owned(), generation },
        None => Role::NodeFile { node },
    }
}

/// Unit and generation of `kernel.log`, `kernel.log.1`, `syslog`, `messages.2`, and of rotations that are named by their
/// time, which count as 1: `messages-20240306`, `kubelet-2025-12-02T13-58-40.483.log`.
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

/// A name before the time at its end: `messages-20240306`, `kern.log-20240306-101530`, `kubelet-2025-12-02T13-58-40.483.log`.
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

    fn logged(unit: &str, generation: u32) -> Role {
        Role::NodeLog { node: "n1".into(), unit: unit.into(), generation }
    }

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
    }

    #[test]
    fn a_node_given_alone() {
        assert_eq!(alone(&["n1", "logs", "kernel.log.1"], "x.zip"), logged("kernel", 1));
        assert_eq!(alone(&["logs", "kernel.log"], "n1.zip"), logged("kernel", 0));
        assert_eq!(alone(&["README"], "n1.zip"), Role::Other);
    }

    #[test]
    fn logs_of_a_node() {
        assert_eq!(node_log("dmesg.log"), Some(("dmesg", 0)));
        assert_eq!(node_log("core.1"), None);
        assert_eq!(role("n1", &["logs", "v2", "spdk_tgt.log"]), logged("spdk_tgt", 0));
        assert_eq!(role("n1", &["hostinfos", "proc_mounts"]), Role::NodeFile { node: "n1".into() });
    }
}
