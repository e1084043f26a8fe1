//! Fields of a Node in the output of `kubectl describe node`.

use std::ops::Range;

use super::common::{conditions, flag, metadata, quantities};
use super::out::{Fields, Out};
use super::outline::View;

/// Fields of `status.nodeInfo` by the names that kubectl prints.
const INFO: [(&str, &str); 10] = [
    ("Machine ID", "machineID"),
    ("System UUID", "systemUUID"),
    ("Boot ID", "bootID"),
    ("Kernel Version", "kernelVersion"),
    ("OS Image", "osImage"),
    ("Operating System", "operatingSystem"),
    ("Architecture", "architecture"),
    ("Container Runtime Version", "containerRuntimeVersion"),
    ("Kubelet Version", "kubeletVersion"),
    ("Kube-Proxy Version", "kubeProxyVersion"),
];

/// Returns the fields of a Node.
pub(super) fn fields(node: View<'_>) -> Fields {
    let at = node.start();
    let spec = Out::map(
        at,
        [
            ("unschedulable", node.value("Unschedulable").and_then(|part| flag(node, part))),
            ("taints", node.get("Taints").map(|_| taints(node, at))),
            ("podCIDR", node.value("PodCIDR").map(Out::text)),
            ("providerID", node.value("ProviderID").map(Out::text)),
        ],
    );
    let system = node.below("System Info");
    let info = INFO.iter().filter_map(|(key, field)| Some(((*field).to_owned(), Out::text(system.value(key)?))));
    let status = Out::map(
        at,
        [
            ("conditions", node.get("Conditions").map(|_| Out::List(at, conditions(node)))),
            ("addresses", node.get("Addresses").map(|_| addresses(node, at))),
            ("capacity", quantities(node, "Capacity")),
            ("allocatable", quantities(node, "Allocatable")),
            ("nodeInfo", Some(Out::Map(at, info.collect()))),
        ],
    );
    [("metadata", metadata(node, [])), ("spec", spec), ("status", status)]
        .map(|(key, value)| (key.to_owned(), value))
        .into()
}

/// `key=value:Effect`, `key:Effect`.
fn taints(node: View<'_>, at: usize) -> Out {
    let taint = |part: Range<usize>| {
        let (term, _) = node.slice(&part).rsplit_once(':')?;
        let key = term.split('=').next().unwrap_or_default().len();
        let behind = part.start + term.len();
        let value = (key < term.len()).then(|| Out::text(part.start + key + 1..behind));
        let fields = [
            ("key", Some(Out::text(part.start..part.start + key))),
            ("value", Some(value.unwrap_or(Out::Absent(part.start)))),
            ("effect", Some(Out::text(behind + 1..part.end))),
        ];
        Some(Out::map(part.start, fields))
    };
    let taints: Vec<Out> = node.values("Taints").into_iter().filter_map(taint).collect();
    if taints.is_empty() { Out::Absent(at) } else { Out::List(at, taints) }
}

fn addresses(node: View<'_>, at: usize) -> Out {
    let below = node.below("Addresses");
    let address = |line: &super::outline::Section| {
        let fields = [("type", Some(Out::text(line.key.clone()))), ("address", Some(Out::text(line.value.clone())))];
        Out::map(line.line.start, fields)
    };
    Out::List(at, below.sections.iter().map(address).collect())
}
