//! Workload that a pod belongs to.

use super::migration::MIGRATION;
use crate::expr::World;
use crate::model::ObjectRef;
use crate::resource::{Resource, is_generated, scalar_at};

/// Owners of owners that are followed: Pod, ReplicaSet, Deployment, and an operator's object.
const MOST_OWNERS: usize = 3;

/// Returns the topmost workload that an object belongs to; the object itself if it has no owner.
pub fn workload(world: &World, resource: &Resource) -> ObjectRef {
    let mut found = resource.object();
    let mut next = resource.owner();
    for _ in 0..MOST_OWNERS {
        let Some(object) = next else { break };
        next = world.resources.find(&object).and_then(Resource::owner);
        found = object;
    }
    match (&*resource.kind, found.kind.as_str()) {
        ("Pod", "Pod") => deployment_of_pod(resource.namespace.as_deref(), &resource.name).unwrap_or(found),
        ("ReplicaSet", "ReplicaSet") => deployment_of_replica_set(resource).unwrap_or(found),
        (MIGRATION, MIGRATION) => migrated(resource).unwrap_or(found),
        _ => found,
    }
}

/// Returns the virtual machine that a migration is of.
fn migrated(migration: &Resource) -> Option<ObjectRef> {
    let name = scalar_at(migration.body(), &["spec", "vmiName"])?;
    Some(ObjectRef::new("kubevirt.io", "VirtualMachine", migration.namespace.as_deref(), name))
}

/// Returns the Deployment that the name of a pod shows, for rows of tables, which have no owners: `web-7d4b9c8f6d-x2x7k`.
pub fn deployment_of_pod(namespace: Option<&str>, pod: &str) -> Option<ObjectRef> {
    let (replica_set, suffix) = pod.rsplit_once('-')?;
    let name = without_hash(replica_set).filter(|_| suffix.len() == 5 && is_generated(suffix))?;
    Some(ObjectRef::new("apps", "Deployment", namespace, name))
}

/// Returns the Deployment that the name of a ReplicaSet shows: `web-7d4b9c8f6d`.
fn deployment_of_replica_set(set: &Resource) -> Option<ObjectRef> {
    without_hash(&set.name).map(|name| ObjectRef::new("apps", "Deployment", set.namespace.as_deref(), name))
}

fn without_hash(replica_set: &str) -> Option<&str> {
    let (name, hash) = replica_set.rsplit_once('-')?;
    ((8..=10).contains(&hash.len()) && is_generated(hash)).then_some(name)
}
