//! Virtual machines with their instances and the volumes of their disks.

use std::collections::BTreeSet;

use super::context::{InventoryContext, MOST, condition, conditions, flag, status, text};
use crate::model::inventory::{Claim, Instance, Machine, Shown};
use crate::resource::Resource;
use crate::resource::scalar_at;
use crate::yaml::Node;

const MACHINES: &str = "virtualmachines.kubevirt.io";
const INSTANCES: &str = "virtualmachineinstances.kubevirt.io";
/// Driver of Longhorn volumes.
const LONGHORN: &str = "driver.longhorn.io";

/// Lists all virtual machines, and instances without one, by namespace and name.
pub(super) fn machines(look: InventoryContext<'_>) -> Shown<Machine> {
    let mut machines: Vec<Machine> = look.all(MACHINES).map(|machine| of_machine(look, machine)).collect();
    let known: BTreeSet<(String, String)> = machines.iter().map(|m| (m.namespace.clone(), m.name.clone())).collect();
    let alone = look.all(INSTANCES).filter(|i| !known.contains(&place_of(i)));
    machines.extend(alone.map(|instance| of_instance(look, instance)));
    machines.sort_by(|a, b| (&a.namespace, &a.name).cmp(&(&b.namespace, &b.name)));
    Shown::first(machines, MOST, look.not_collected(MACHINES).or_else(|| look.not_collected(INSTANCES)))
}

fn place_of(resource: &Resource) -> (String, String) {
    (resource.namespace.as_deref().unwrap_or_default().to_owned(), resource.name.to_string())
}

fn of_machine(look: InventoryContext<'_>, machine: &Resource) -> Machine {
    let (namespace, name) = place_of(machine);
    let body = machine.body();
    let running = flag(body, &["spec", "running"]).map(|on| if on { "Always" } else { "Halted" }.to_owned());
    let template = body.path(&["spec", "template", "spec"]);
    Machine {
        status: text(machine, &["status", "printableStatus"]),
        run_strategy: text(machine, &["spec", "runStrategy"]).or(running),
        instance: look.one(INSTANCES, Some(&namespace), &name).map(instance),
        claims: template.map(|spec| claims(look, &namespace, spec)).unwrap_or_default(),
        namespace,
        name,
        ..Machine::default()
    }
}

fn of_instance(look: InventoryContext<'_>, resource: &Resource) -> Machine {
    let (namespace, name) = place_of(resource);
    Machine {
        instance: Some(instance(resource)),
        claims: resource.body().get("spec").map(|spec| claims(look, &namespace, spec)).unwrap_or_default(),
        namespace,
        name,
        ..Machine::default()
    }
}

fn instance(resource: &Resource) -> Instance {
    let all = resource.body().get("status").map(conditions).unwrap_or_default();
    // Conditions about live migration and pausing are left out: healthy machines have them too.
    let complaint = |name: &str| {
        let told = all.iter().find(|c| c.name == name && c.status.as_deref().and_then(status) == Some(false))?;
        let why = told.message.as_deref().or(told.reason.as_deref()).unwrap_or("false");
        Some(format!("{name}: {why}"))
    };
    Instance {
        phase: text(resource, &["status", "phase"]),
        node: text(resource, &["status", "nodeName"]),
        ready: condition(&all, "Ready"),
        paused: condition(&all, "Paused") == Some(true),
        complaints: ["Ready", "Synchronized"].iter().filter_map(|name| complaint(name)).collect(),
    }
}

fn claims(look: InventoryContext<'_>, namespace: &str, spec: Node<'_>) -> Vec<Claim> {
    claim_names(spec).map(|name| claim(look, namespace, name.to_owned())).collect()
}

/// Returns the claims among the volumes of a machine; a data volume has the claim of its name.
pub(super) fn claim_names(spec: Node<'_>) -> impl Iterator<Item = &str> {
    let volumes = spec.get("volumes").into_iter().flat_map(|list| list.items());
    volumes.filter_map(|volume| {
        scalar_at(volume, &["persistentVolumeClaim", "claimName"])
            .or_else(|| scalar_at(volume, &["dataVolume", "name"]))
    })
}

fn claim(look: InventoryContext<'_>, namespace: &str, name: String) -> Claim {
    let exists = look.exists("persistentvolumeclaims", Some(namespace), &name);
    let found = look.one("persistentvolumeclaims", Some(namespace), &name);
    let volume = found.and_then(|claim| text(claim, &["spec", "volumeName"]));
    let behind = volume.as_deref().and_then(|volume| look.one("persistentvolumes", None, volume));
    let longhorn = behind.and_then(longhorn_name);
    Claim {
        exists,
        phase: found.and_then(|claim| text(claim, &["status", "phase"])),
        volume_exists: volume.as_deref().and_then(|volume| look.exists("persistentvolumes", None, volume)),
        longhorn_exists: longhorn.as_deref().and_then(|name| longhorn_exists(look, name)),
        longhorn,
        volume,
        name,
    }
}

/// Returns the Longhorn volume of a PersistentVolume.
pub(super) fn longhorn_name(volume: &Resource) -> Option<String> {
    let driver = scalar_at(volume.body(), &["spec", "csi", "driver"])?;
    (driver == LONGHORN).then(|| text(volume, &["spec", "csi", "volumeHandle"]))?
}

fn longhorn_exists(look: InventoryContext<'_>, name: &str) -> Option<bool> {
    look.exists("volumes.longhorn.io", Some("longhorn-system"), name)
}
