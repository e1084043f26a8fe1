//! Logs that are in the bundle without what one would look for in them: cut at the front, or empty.

use std::collections::BTreeSet;

use crate::bundle::{Bundle, Entry, Kind, Role};
use crate::model::NotCollected;

/// support-bundle-kit keeps so much of the end of a journal.
const KEPT: u64 = 10 << 20;

/// What is missing of logs that are there, in a line for each reason.
pub fn told(bundle: &Bundle) -> Vec<NotCollected> {
    if !matches!(bundle.kind(), Kind::Harvester | Kind::Longhorn | Kind::Node) {
        return Vec::new();
    }
    let entries = || bundle.entries().iter();
    let cut: BTreeSet<String> =
        entries().filter(|entry| entry.size == KEPT && is_current(entry)).filter_map(of_node).collect();
    let empty: BTreeSet<String> = entries().filter(|entry| entry.size == 0).filter_map(of_anyone).collect();
    let lines = [
        (cut, "the beginning of", "the collector keeps the last 10 MiB of a journal"),
        (empty, "anything in", "the file is empty"),
    ];
    let told = lines.into_iter().filter_map(|(logs, part, why)| {
        let first = logs.first()?;
        let what = match logs.len() {
            1 => format!("{part} the log of {first}"),
            count => format!("{part} {count} logs such as that of {first}"),
        };
        Some(NotCollected { what, why: why.to_owned() })
    });
    told.collect()
}

fn is_current(entry: &Entry) -> bool {
    matches!(entry.role, Role::NodeLog { generation: 0, .. })
}

fn of_node(entry: &Entry) -> Option<String> {
    match &entry.role {
        Role::NodeLog { node, unit, .. } => Some(format!("{unit} on node {node}")),
        _ => None,
    }
}

fn of_anyone(entry: &Entry) -> Option<String> {
    match &entry.role {
        Role::PodLog { namespace, pod, container, previous: false } => Some(format!("{namespace}/{pod} ({container})")),
        _ => of_node(entry),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::Limits;

    fn lines(files: &[(&str, usize)]) -> Vec<String> {
        let files = files.iter().map(|(path, size)| ((*path).to_owned(), vec![b'x'; *size])).collect();
        let bundle = Bundle::from_memory("b", files, Limits::default());
        told(&bundle).into_iter().map(|gap| gap.what).collect()
    }

    #[test]
    fn cut_and_empty_logs_are_told_together() {
        let kept = KEPT as usize;
        let found = lines(&[
            ("yamls/namespaced/harvester-system/v1/pods.yaml", 10),
            ("nodes/n1/logs/rke2-server.log", kept),
            ("nodes/n2/logs/rke2-server.log", kept),
            ("nodes/n2/logs/kernel.log", kept + 1),
            ("logs/a/p/c.log", 0),
            ("logs/a/p/c.log.1", 0),
        ]);
        assert_eq!(
            found,
            ["the beginning of 2 logs such as that of rke2-server on node n1", "anything in the log of a/p (c)"]
        );
        assert!(lines(&[("yamls/namespaced/harvester-system/v1/pods.yaml", 10)]).is_empty());
    }
}
