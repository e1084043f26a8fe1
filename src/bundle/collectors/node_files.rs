//! Files and logs of one node in support-bundle-kit.

use super::host_log::node_log;
use super::supportconfig;
use crate::bundle::collectors::role::Role;

/// Returns true if the path can be in the folder of a node.
pub(super) fn is_tree(rest: &[&str]) -> bool {
    matches!(rest, ["logs" | "configs" | "hostinfos" | "scc", _, ..])
}

/// Returns the role of an entry in the folder of a node.
pub(super) fn role(node: &str, rest: &[&str]) -> Role {
    let log = match rest {
        // Since kit v0.0.39, supportconfig has its own folder.
        ["scc" | "logs", archive, below @ ..] if supportconfig::is_archive(archive) && !below.is_empty() => {
            return supportconfig::role(below, node);
        }
        // Output of `ctr images ls`: a table, not a log.
        ["logs", "containerd-images.log"] => None,
        // Longhorn's V2 engine creates folders at the path of its setting `log-path`.
        ["logs", .., file] => node_log(file),
        _ => None,
    };
    match log {
        Some((unit, generation)) => Role::node_log(node, unit, generation),
        None => Role::NodeFile { node: node.to_owned() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logged(unit: &str, generation: u32) -> Role {
        Role::NodeLog { node: "n1".into(), unit: unit.into(), generation }
    }

    #[test]
    fn supportconfig_in_a_node_is_of_that_node() {
        let texts = Role::Supportconfig { node: "n1".into() };
        assert_eq!(role("n1", &["scc", "scc_supportconfig_n1-a1b2c3", "messages.txt"]), texts);
        assert_eq!(role("n1", &["logs", "scc_supportconfig_n1", "ntp.txt"]), texts);
        assert_eq!(role("n1", &["scc", "scc_supportconfig_n1.txz.md5"]), Role::NodeFile { node: "n1".into() });
    }

    #[test]
    fn logs_of_a_node() {
        assert_eq!(role("n1", &["logs", "kernel.log"]), logged("kernel", 0));
        assert_eq!(role("n1", &["logs", "v2", "spdk_tgt.log"]), logged("spdk_tgt", 0));
        assert_eq!(role("n1", &["hostinfos", "proc_mounts"]), Role::NodeFile { node: "n1".into() });
    }
}
