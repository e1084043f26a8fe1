//! Collects the [`Inventory`] for reports: the state of the cluster as the bundle shows it.
//!
//! The inventory does not judge: states keep the words of the cluster, and data not collected is marked as such.

mod context;
mod histories;
mod history_sources;
mod machines;
mod moments;
mod nodes;
mod story;
mod upgrades;
mod volumes;

use crate::log::LogIndex;
use crate::model::inventory::{ObjectHistory, Shown, Upgrade};
use crate::model::{BundleFacts, Finding, Identities, Inventory, ObjectRef};
use crate::resource::ResourceIndex;
pub use histories::state;

pub use context::File;
use context::InventoryContext;
use history_sources::HistorySources;

/// Lists upgrades of Harvester, latest first.
pub fn upgrades(resources: &ResourceIndex) -> Shown<Upgrade> {
    upgrades::upgrades(InventoryContext { resources })
}

/// Writes the history of one object, and what it is related to.
pub fn history_of(resources: &ResourceIndex, logs: &LogIndex, object: ObjectRef) -> ObjectHistory {
    let look = InventoryContext { resources };
    histories::history(look, &HistorySources::of(look, logs), object)
}

/// Builds the inventory of a bundle. Histories are written for the objects in `findings` and for objects related to
/// virtual machines and volumes in trouble.
pub fn take_inventory(
    resources: &ResourceIndex,
    logs: &LogIndex,
    files: &[File<'_>],
    facts: &BundleFacts,
    findings: &[Finding],
) -> Inventory {
    let look = InventoryContext { resources };
    let mut volumes = volumes::volumes(look);
    let mut machines = machines::machines(look);
    story::note(look, &mut machines.items);
    volumes::note_machines(&mut volumes.items, &machines.items);
    let upgrades = upgrades::upgrades(look);
    Inventory {
        nodes: nodes::nodes(look, &facts.nodes),
        pods: nodes::pods(look),
        disks: volumes::disks(look),
        moments: moments::moments(look, logs, files, &upgrades.items),
        histories: histories::histories(look, logs, findings, &machines.items, &volumes.items),
        volumes,
        machines,
        upgrades,
        identities: Identities::default(),
    }
}
