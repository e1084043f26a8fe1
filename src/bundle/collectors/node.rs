//! Files and logs of one node, as the support-bundle-kit collects them.

use super::layout::Role;
use super::supportconfig;
use crate::bundle::path::without_ending;

/// The path of an entry of a node that was given alone, as it is in a bundle that holds the node: `nodes/NODE/...`.
pub(crate) fn placed(logical: &str, bundle: &str) -> String {
    match logical.split_once('/') {
        Some(("configs" | "logs" | "hostinfos" | "scc", _)) => format!("nodes/{}/{logical}", without_ending(bundle)),
        Some(_) => format!("nodes/{logical}"),
        None => match logical {
            // Until kit v0.0.4.
            "hostname" => format!("nodes/{}/{logical}", without_ending(bundle)),
            _ => logical.to_owned(),
        },
    }
}

/// Whether a path begins as those in a node's folder do.
pub(crate) fn is_tree(rest: &[&str]) -> bool {
    matches!(rest, ["logs" | "configs" | "hostinfos" | "scc", _, ..])
}

/// The role of an entry in the folder of a node.
pub(crate) fn role(node: &str, rest: &[&str]) -> Role {
    let log = match rest {
        // Since kit v0.0.39 in a folder of its own.
        ["scc" | "logs", archive, below @ ..] if supportconfig::is_archive(archive) && !below.is_empty() => {
            return supportconfig::role(below, node);
        }
        // What `ctr images ls` printed: a table.
        ["logs", "containerd-images.log"] => None,
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
pub(crate) fn node_log(file: &str) -> Option<(&str, u32)> {
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
    fn supportconfig_in_a_node_is_of_that_node() {
        let texts = Role::Supportconfig { node: "n1".into() };
        assert_eq!(role("n1", &["scc", "scc_supportconfig_n1-a1b2c3", "messages.txt"]), texts);
        assert_eq!(role("n1", &["logs", "scc_supportconfig_n1", "ntp.txt"]), texts);
        assert_eq!(role("n1", &["scc", "scc_supportconfig_n1.txz.md5"]), Role::NodeFile { node: "n1".into() });
    }

    #[test]
    fn a_node_given_alone_is_placed_as_in_a_bundle() {
        assert_eq!(placed("n1/logs/kernel.log.1", "x.zip"), "nodes/n1/logs/kernel.log.1");
        assert_eq!(placed("logs/kernel.log", "n1.zip"), "nodes/n1/logs/kernel.log");
        assert_eq!(placed("README", "n1.zip"), "README");
        assert_eq!(role("n1", &["logs", "kernel.log"]), logged("kernel", 0));
    }

    #[test]
    fn logs_of_a_node() {
        assert_eq!(node_log("dmesg.log"), Some(("dmesg", 0)));
        assert_eq!(node_log("core.1"), None);
        assert_eq!(role("n1", &["logs", "v2", "spdk_tgt.log"]), logged("spdk_tgt", 0));
        assert_eq!(role("n1", &["hostinfos", "proc_mounts"]), Role::NodeFile { node: "n1".into() });
    }
}
