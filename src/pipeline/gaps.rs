//! Logs that should be in the bundle and are not, so that silence is not taken for health.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::log::{LogIndex, LogSource, PatternSet, SourceOrigin};
use crate::model::NodeFacts;
use crate::resource::{Resource, ResourceIndex, TypeName};
use crate::rule::RuleSet;
use crate::yaml::Node;

/// The units whose journals the kit collects of every node.
const UNITS: [&str; 8] =
    ["kernel", "rke2-server", "rke2-agent", "rancherd", "rancher-system-agent", "kubelet", "containerd", "iscsid"];

/// A log that is not there, with the reason.
struct Absent {
    source: LogSource,
    logical: String,
    why: String,
}

/// Tells each query which of its sources are known to be missing.
pub fn note(
    set: &RuleSet,
    patterns: &PatternSet,
    resources: &ResourceIndex,
    nodes: &[NodeFacts],
    sources: &[(LogSource, String)],
    logs: &mut LogIndex,
) {
    let mut absent = absent_units(nodes);
    absent.extend(absent_containers(resources, sources));
    for query in 0..set.queries.len() {
        if let Some(gap) = absent.iter().find(|gap| patterns.query_reads(query, &gap.source, &gap.logical)) {
            logs.add_missing(query, gap.why.clone());
        }
    }
}

fn absent_units(nodes: &[NodeFacts]) -> Vec<Absent> {
    let missing = nodes.iter().filter(|node| !node.collected);
    missing
        .flat_map(|node| {
            UNITS.iter().map(|unit| {
                let logical = format!("nodes/{}/logs/{unit}.log", node.name);
                Absent {
                    source: LogSource {
                        entry: Arc::from(logical.as_str()),
                        origin: SourceOrigin::Unit { node: node.name.clone(), unit: (*unit).to_owned() },
                    },
                    logical,
                    why: format!("the logs of node {} were not collected", node.name),
                }
            })
        })
        .collect()
}

/// Containers that run by their Pod's status and have no log.
fn absent_containers(resources: &ResourceIndex, sources: &[(LogSource, String)]) -> Vec<Absent> {
    let present: BTreeSet<(&str, &str, &str)> = sources
        .iter()
        .filter_map(|(source, _)| match &source.origin {
            SourceOrigin::Container { namespace, pod, container, previous: false } => {
                Some((namespace.as_str(), pod.as_str(), container.as_str()))
            }
            _ => None,
        })
        .collect();
    let pods = resources.of_type(&TypeName::parse("pods")).iter().map(|&id| resources.resource(id));
    pods.flat_map(|pod| running(pod).map(move |container| (pod, container)))
        .filter_map(|(pod, container)| {
            let namespace = pod.namespace.as_deref()?;
            (!present.contains(&(namespace, &*pod.name, container)))
                .then(|| absent_container(namespace, &pod.name, container))
        })
        .collect()
}

fn running(pod: &Resource) -> impl Iterator<Item = &str> {
    let statuses = pod.body().path(&["status", "containerStatuses"]);
    let items = statuses.into_iter().flat_map(Node::items);
    items.filter(|status| status.path(&["state", "running"]).is_some()).filter_map(|status| status.str_at(&["name"]))
}

fn absent_container(namespace: &str, pod: &str, container: &str) -> Absent {
    let logical = format!("logs/{namespace}/{pod}/{container}.log");
    Absent {
        source: LogSource {
            entry: Arc::from(logical.as_str()),
            origin: SourceOrigin::Container {
                namespace: namespace.to_owned(),
                pod: pod.to_owned(),
                container: container.to_owned(),
                previous: false,
            },
        },
        logical,
        why: format!("the log of container {container} of running pod {namespace}/{pod} is not in the bundle"),
    }
}
