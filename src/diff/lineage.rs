//! What an object with a generated name stands for, so that the one that took its place is recognised.

use crate::expr::World;
use crate::health;
use crate::model::ObjectRef;
use crate::resource::{Resource, scalar_at};

/// Group of Longhorn's objects.
const LONGHORN: &str = "longhorn.io";

/// Returns what an object is a part of: the workload of a pod, the claim of a volume, engine or replica. None for an object with a
/// name of its own.
pub fn lineage(world: &World, resource: &Resource) -> Option<ObjectRef> {
    let claim = match (&*resource.kind, &*resource.group) {
        ("PersistentVolume", "") => claim_at(resource, &["spec", "claimRef"], "name"),
        ("Volume", LONGHORN) => claim_of(resource),
        ("Engine" | "Replica", LONGHORN) => {
            let volume = scalar_at(resource.body(), &["spec", "volumeName"])?;
            let volume = ObjectRef::new(LONGHORN, "Volume", resource.namespace.as_deref(), volume);
            Some(world.resources.find(&volume).and_then(claim_of).unwrap_or(volume))
        }
        _ => Some(health::workload(world, resource)).filter(|workload| *workload != resource.object()),
    };
    claim.filter(|claim| !claim.name.is_empty())
}

fn claim_of(volume: &Resource) -> Option<ObjectRef> {
    claim_at(volume, &["status", "kubernetesStatus"], "pvcName")
}

fn claim_at(resource: &Resource, place: &[&str], name: &str) -> Option<ObjectRef> {
    let place = resource.body().path(place)?;
    let name = scalar_at(place, &[name])?;
    Some(ObjectRef::new("", "PersistentVolumeClaim", scalar_at(place, &["namespace"]), name))
}
