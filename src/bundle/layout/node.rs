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
        ["logs", file] => node_log(file),
        _ => None,
    };
    let node = node.to_owned();
    match log {
        Some((unit, generation)) => Role::NodeLog { node, unit: unit.to_owned(), generation },
        None => Role::NodeFile { node },
    }
}

/// Unit and generation of `kernel.log`, `kernel.log.1`, `syslog`, `messages.2`.
pub(super) fn node_log(file: &str) -> Option<(&str, u32)> {
    let (name, generation) = match file.rsplit_once('.').map(|(name, number)| (name, number.parse())) {
        Some((name, Ok(generation))) => (name, generation),
        _ => (file, 0),
    };
    match name.strip_suffix(".log") {
        Some(unit) if !unit.is_empty() => Some((unit, generation)),
        _ if name.starts_with("syslog") || name.starts_with("messages") => {
            (without_ending(name) == name).then_some((name, generation))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logged(unit: &str, generation: u32) -> Role {
        Role::NodeLog { node: "n1".into(), unit: unit.into(), generation }
    }

    #[test]
    fn a_node_given_alone() {
        assert_eq!(alone(&["n1", "logs", "kernel.log.1"], "x.zip"), logged("kernel", 1));
        assert_eq!(alone(&["logs", "kernel.log"], "n1.zip"), logged("kernel", 0));
        assert_eq!(alone(&["README"], "n1.zip"), Role::Other);
    }
}
