//! Claims that CDI makes while it fills a disk: `prime-UID` and `tmp-pvc-UID`, with the uid of the claim of the disk. When the disk is full,
//! its volume is bound to that claim, and the one of CDI is Lost until it is deleted (containerized-data-importer, `rebind` of its controllers).

use std::collections::BTreeSet;

use crate::expr::World;
use crate::resource::{Resource, scalar_at};

const CLAIM: &str = "PersistentVolumeClaim";
const PREFIXES: [&str; 2] = ["prime-", "tmp-pvc-"];

/// Returns the uids of claims that are bound.
pub fn bound(world: &World) -> BTreeSet<&str> {
    let claims = world.resources.all("persistentvolumeclaims");
    let bound = claims.filter(|claim| scalar_at(claim.body(), &["status", "phase"]) == Some("Bound"));
    bound.filter_map(|claim| scalar_at(claim.body(), &["metadata", "uid"])).collect()
}

/// Returns true for a claim of CDI whose volume belongs to the claim of the disk.
pub fn is_handed_over(bound: &BTreeSet<&str>, resource: &Resource) -> bool {
    let disk = PREFIXES.iter().find_map(|prefix| resource.name.strip_prefix(prefix));
    &*resource.kind == CLAIM && disk.is_some_and(|uid| bound.contains(uid))
}
