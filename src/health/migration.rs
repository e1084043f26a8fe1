//! Live migrations that were repeated.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::expr::World;
use crate::resource::{Resource, parse_time, scalar_at};

/// Kind of a live migration, which names its virtual machine in its spec.
pub const MIGRATION: &str = "VirtualMachineInstanceMigration";

/// When the last migration of each virtual machine that succeeded was made, by namespace and machine.
pub type Migrated<'w> = BTreeMap<(Option<&'w str>, Option<&'w str>), Option<Timestamp>>;

/// Returns the last migrations that succeeded.
pub fn migrated(world: &World) -> Migrated<'_> {
    let all = world.resources.all("virtualmachineinstancemigrations.kubevirt.io");
    let mut last = Migrated::new();
    for migration in all.filter(|of| scalar_at(of.body(), &["status", "phase"]) == Some("Succeeded")) {
        let known = last.entry(machine(migration)).or_default();
        *known = created(migration).max(*known);
    }
    last
}

/// Returns true for a migration after which another one of the same machine succeeded.
pub fn is_repeated(migrated: &Migrated<'_>, resource: &Resource) -> bool {
    &*resource.kind == MIGRATION && migrated.get(&machine(resource)).is_some_and(|last| *last > created(resource))
}

/// Returns namespace and name of the virtual machine of a migration.
fn machine(migration: &Resource) -> (Option<&str>, Option<&str>) {
    (migration.namespace.as_deref(), scalar_at(migration.body(), &["spec", "vmiName"]))
}

fn created(resource: &Resource) -> Option<Timestamp> {
    parse_time(scalar_at(resource.body(), &["metadata", "creationTimestamp"])?)
}
