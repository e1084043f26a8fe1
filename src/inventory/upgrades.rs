//! Harvester upgrades.

use std::cmp::Reverse;
use std::collections::HashMap;

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
    upgrades.sort_by_key(|upgrade| Reverse((upgrade.created, upgrade.name.clone())));
    let mut shown = Shown::first(upgrades, MOST, look.not_collected(UPGRADES));
    shown.items.iter_mut().for_each(|upgrade| begin_states(look, upgrade));
    shown
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
fn begin_states(look: InventoryContext<'_>, upgrade: &mut Upgrade) {
    let mut jobs: HashMap<&str, Vec<&Resource>> = HashMap::new();
    for job in look.labelled("jobs.batch", "harvesterhci.io/upgrade", &upgrade.name) {
        jobs.entry(label(job, "harvesterhci.io/node").unwrap_or_default()).or_default().push(job);
    }
    for node in &mut upgrade.nodes {
        node.since = jobs.get(&*node.node).into_iter().flatten().filter_map(|job| began(job, node)).max();
    }
}

fn label<'a>(job: &'a Resource, key: &str) -> Option<&'a str> {
    scalar_at(job.body(), &["metadata", "labels", key])
}

/// Returns when the state of a node began, if this job on it is the one that leads to it.
fn began(job: &Resource, node: &NodeUpgrade) -> Option<Timestamp> {
    let (begun, ended) = (["metadata", "creationTimestamp"], ["status", "completionTime"]);
    match (node.state.as_deref()?, label(job, "harvesterhci.io/upgradeJobType")?) {
        ("Pre-draining", "pre-drain") | ("Post-draining", "post-drain" | "single-node-upgrade") => {
            at(job.body(), &begun)
        }
        ("Pre-drained", "pre-drain") | ("Waiting Reboot", "post-drain") => at(job.body(), &ended),
        _ => None,
    }
}
