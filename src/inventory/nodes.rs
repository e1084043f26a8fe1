//! Nodes with their load.

use std::collections::BTreeMap;

use super::context::{InventoryContext, MOST, conditions, flag, status, text};
use crate::model::NodeFacts;
use crate::model::inventory::{NodeState, PodCount, Shown};
use crate::model::measure::quantity;
use crate::resource::Resource;
use crate::resource::scalar_at;

/// Pods of a node.
#[derive(Default)]
struct Load {
    pods: u64,
    unready: u64,
}

/// Lists nodes that the cluster or the bundle knows, by name.
pub(super) fn nodes(look: InventoryContext<'_>, known: &[NodeFacts]) -> Shown<NodeState> {
    let pods_known = look.not_collected("pods").is_none();
    let loads = loads(look);
    let state = |facts: &NodeFacts| {
        let load = loads.get(facts.name.as_str());
        let state = NodeState {
            name: facts.name.clone(),
            roles: facts.roles.clone(),
            ready: facts.ready,
            pods: load.map(|load| load.pods).or(pods_known.then_some(0)),
            unready_pods: load.map_or(0, |load| load.unready),
            ..NodeState::default()
        };
        look.one("nodes", None, &facts.name).map_or(state.clone(), |node| described(state, node))
    };
    Shown::first(known.iter().map(state).collect(), MOST, look.not_collected("nodes"))
}

fn described(state: NodeState, node: &Resource) -> NodeState {
    let body = node.body();
    let all = body.get("status").map(conditions).unwrap_or_default();
    let pressing = all.into_iter().filter(|c| c.name != "Ready" && c.status.as_deref().and_then(status) == Some(true));
    // Conditions such as etcd membership should be true and are not pressures.
    let pressing = pressing.filter(|c| c.name.ends_with("Pressure") || c.name.ends_with("Unavailable"));
    let capacity = |what: &str| scalar_at(body, &["status", "capacity", what]);
    NodeState {
        cordoned: flag(body, &["spec", "unschedulable"]) == Some(true),
        pressures: pressing.map(|c| c.name).collect(),
        pod_capacity: capacity("pods").and_then(|n| n.parse().ok()),
        cpu: capacity("cpu").map(str::to_owned),
        // Quantities are not negative, and f64 holds the memory of any machine exactly.
        memory: capacity("memory").and_then(quantity).filter(|n| *n >= 0.0).map(|n| n as u64),
        kubelet: text(node, &["status", "nodeInfo", "kubeletVersion"]),
        ..state
    }
}

/// Counts the Pods that have not ended; none if no list of Pods was collected.
pub(super) fn pods(look: InventoryContext<'_>) -> Option<PodCount> {
    let not_collected = look.not_collected("pods");
    let mut count = PodCount { all: 0, unready: 0, not_collected };
    for pod in running(look) {
        count.all += 1;
        count.unready += u64::from(!is_ready(pod).unwrap_or_else(|| phase(pod) != Some("Pending")));
    }
    (count.all > 0 || count.not_collected.is_none()).then_some(count)
}

/// Returns the Pods that have not ended.
fn running(look: InventoryContext<'_>) -> impl Iterator<Item = &Resource> {
    look.all("pods").filter(|pod| !matches!(phase(pod), Some("Succeeded" | "Failed")) && !has_ended(pod))
}

fn phase(pod: &Resource) -> Option<&str> {
    scalar_at(pod.body(), &["status", "phase"])
}

/// Returns true for the row of a Pod of a finished Job, whatever its containers report.
fn has_ended(pod: &Resource) -> bool {
    let told = pod.cells().and_then(|cells| scalar_at(cells, &["STATUS"]));
    matches!(told, Some("Completed" | "Error"))
}

fn loads(look: InventoryContext<'_>) -> BTreeMap<&str, Load> {
    let mut loads: BTreeMap<&str, Load> = BTreeMap::new();
    for pod in running(look) {
        if let Some(node) = scalar_at(pod.body(), &["spec", "nodeName"]) {
            let load = loads.entry(node).or_default();
            load.pods += 1;
            load.unready += u64::from(is_ready(pod) == Some(false));
        }
    }
    loads
}

/// Reads condition Ready; in a table, compares the container counts (`READY` is `1/2`).
fn is_ready(pod: &Resource) -> Option<bool> {
    let told = pod.body().get("status").map(conditions).unwrap_or_default();
    if let Some(ready) = told.iter().find(|c| c.name == "Ready") {
        return ready.status.as_deref().and_then(status);
    }
    let (ready, all) = scalar_at(pod.cells()?, &["READY"])?.split_once('/')?;
    Some(ready == all)
}
