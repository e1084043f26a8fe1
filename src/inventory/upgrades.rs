//! Harvester upgrades.

use std::cmp::Reverse;

use jiff::Timestamp;

use super::context::{InventoryContext, at, condition, conditions, text};
use crate::model::inventory::{NodeUpgrade, Shown, Upgrade};
use crate::resource::Resource;
use crate::resource::scalar_at;
use crate::yaml::Node;

const UPGRADES: &str = "upgrades.harvesterhci.io";
/// Most upgrades; no cluster keeps more.
const MOST: usize = 50;

/// Lists upgrades, latest first.
pub(super) fn upgrades(look: InventoryContext<'_>) -> Shown<Upgrade> {
    let mut upgrades: Vec<Upgrade> = look.all(UPGRADES).map(upgrade).collect();
    begin_states(look, &mut upgrades);
    upgrades.sort_by_key(|upgrade| Reverse((upgrade.created, upgrade.name.clone())));
    Shown::first(upgrades, MOST, look.not_collected(UPGRADES))
}

fn upgrade(resource: &Resource) -> Upgrade {
    let body = resource.body();
    let all = body.get("status").map(conditions).unwrap_or_default();
    let nodes = body.path(&["status", "nodeStatuses"]);
    Upgrade {
        namespace: resource.namespace.as_deref().unwrap_or_default().to_owned(),
        name: resource.name.to_string(),
        version: text(resource, &["spec", "version"]),
        previous_version: text(resource, &["status", "previousVersion"]),
        state: text(resource, &["metadata", "labels", "harvesterhci.io/upgradeState"]),
        created: at(body, &["metadata", "creationTimestamp"]),
        completed: condition(&all, "Completed"),
        conditions: all,
        nodes: nodes.into_iter().flat_map(|nodes| nodes.entries()).map(|(name, state)| node(&name, state)).collect(),
    }
}

fn node(name: &str, state: Node<'_>) -> NodeUpgrade {
    let text = |key: &str| scalar_at(state, &[key]).map(str::to_owned);
    let (state, reason, message) = (text("state"), text("reason"), text("message"));
    NodeUpgrade { node: name.to_owned(), state, since: None, reason, message }
}

/// Dates the states of nodes by the jobs that Harvester runs on them before and after a drain.
fn begin_states(look: InventoryContext<'_>, upgrades: &mut [Upgrade]) {
    let jobs: Vec<&Resource> = look.all("jobs.batch").collect();
    for upgrade in upgrades {
        for node in &mut upgrade.nodes {
            node.since = jobs.iter().filter_map(|job| began(job, &upgrade.name, node)).max();
        }
    }
}

/// Returns when the state of a node began, if this job is the one that leads to it.
fn began(job: &Resource, upgrade: &str, node: &NodeUpgrade) -> Option<Timestamp> {
    let label = |key: &str| scalar_at(job.body(), &["metadata", "labels", key]);
    let is_its = label("harvesterhci.io/upgrade") == Some(upgrade) && label("harvesterhci.io/node") == Some(&node.node);
    let kind = label("harvesterhci.io/upgradeJobType").filter(|_| is_its)?;
    let (begun, ended) = (["metadata", "creationTimestamp"], ["status", "completionTime"]);
    match (node.state.as_deref()?, kind) {
        ("Pre-draining", "pre-drain") | ("Post-draining", "post-drain" | "single-node-upgrade") => {
            at(job.body(), &begun)
        }
        ("Pre-drained", "pre-drain") | ("Waiting Reboot", "post-drain") => at(job.body(), &ended),
        _ => None,
    }
}
