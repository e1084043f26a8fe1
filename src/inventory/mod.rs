//! What a bundle shows of the cluster itself: gathers the [`Inventory`] that reports draw and tell.
//!
//! Nothing here judges: states are handed on in the words of the cluster, and what was not collected is said to be so.

mod chapters;
mod context;
mod machines;
mod moments;
mod nodes;
mod stories;
mod upgrades;
mod volumes;

use crate::log::LogIndex;
use crate::model::{BundleFacts, Finding, Inventory, Origin};
use crate::resource::ResourceIndex;
pub use stories::state;

use context::InventoryContext;

/// Most objects of one list; a page with more is of no use to anyone.
const MOST: usize = 2_000;

/// A file of the bundle that was kept as text.
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    pub origin: &'a Origin,
    /// The node that it is of.
    pub node: Option<&'a str>,
    pub text: &'a str,
}

/// Gathers the inventory of a bundle. Stories are told of the objects that `findings` name and of those that hang together
/// with virtual machines and volumes in trouble.
pub fn of(
    resources: &ResourceIndex,
    logs: &LogIndex,
    files: &[File<'_>],
    facts: &BundleFacts,
    findings: &[Finding],
) -> Inventory {
    let look = InventoryContext { resources };
    let mut volumes = volumes::volumes(look);
    let machines = machines::machines(look);
    volumes::note_machines(&mut volumes.items, &machines.items);
    let upgrades = upgrades::upgrades(look);
    Inventory {
        nodes: nodes::nodes(look, &facts.nodes),
        disks: volumes::disks(look),
        moments: moments::moments(look, logs, files, &upgrades),
        stories: stories::stories(look, logs, findings, &machines.items, &volumes.items),
        volumes,
        machines,
        upgrades,
    }
}
