//! Nodes with their load.

use std::collections::BTreeMap;

use super::context::{InventoryContext, MOST, conditions, flag, status, text};
use crate::model::NodeFacts;
use crate::model::inventory::{NodeState, Shown};
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

fn loads(look: InventoryContext<'_>) -> BTreeMap<&str, Load> {
    let mut loads: BTreeMap<&str, Load> = BTreeMap::new();
    for pod in look.all("pods") {
        let phase = scalar_at(pod.body(), &["status", "phase"]);
        if matches!(phase, Some("Succeeded" | "Failed")) {
            continue;
        }
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
    // Pods of finished Jobs have ended, whatever their containers report.
    let ended = matches!(scalar_at(pod.cells()?, &["STATUS"]), Some("Completed" | "Error"));
    (!ended).then_some(ready == all)
}
