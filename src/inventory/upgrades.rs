//! Harvester upgrades.

use std::cmp::Reverse;

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
    NodeUpgrade { node: name.to_owned(), state: text("state"), reason: text("reason"), message: text("message") }
}
