//! Workload that a pod belongs to.

use crate::expr::World;
use crate::model::ObjectRef;
use crate::resource::{Resource, TypeName, scalar_at, types};

/// Owners of owners that are followed: Pod, ReplicaSet, Deployment, and an operator's object.
const MOST_OWNERS: usize = 3;

/// Returns the topmost workload that an object belongs to; the object itself if it has no owner.
pub fn workload(world: &World, resource: &Resource) -> ObjectRef {
    let mut found = resource.object();
    let mut next = owner(resource);
    for _ in 0..MOST_OWNERS {
        let Some(object) = next else { break };
        next = find(world, &object).and_then(owner);
        found = object;
    }
    match (&*resource.kind, found.kind.as_str()) {
        ("Pod", "Pod") => by_name(resource).unwrap_or(found),
        _ => found,
    }
}

/// Returns the controller that the object names, else its first owner. Nodes own static pods and stay apart.
fn owner(resource: &Resource) -> Option<ObjectRef> {
    let owners = resource.body().path(&["metadata", "ownerReferences"])?;
    let is_controller =
        |node: &crate::yaml::Node<'_>| node.get("controller").and_then(|flag| flag.as_bool()) == Some(true);
    let node = owners.items().find(is_controller).or_else(|| owners.items().next())?;
    let group = scalar_at(node, &["apiVersion"])?.rsplit_once('/').map_or("", |(group, _)| group);
    let (kind, name) = (scalar_at(node, &["kind"])?, scalar_at(node, &["name"])?);
    let namespaced = types::known_kind(group, kind).is_none_or(|known| known.namespaced);
    let namespace = resource.namespace.as_deref().filter(|_| namespaced);
    (kind != "Node").then(|| ObjectRef::new(group, kind, namespace, name))
}

fn find<'w>(world: &'w World, object: &ObjectRef) -> Option<&'w Resource> {
    let known = types::known_kind(&object.group, &object.kind)?;
    let type_name = TypeName::new(known.plural, known.group);
    let id = world.resources.get(&type_name, object.namespace.as_deref(), &object.name)?;
    Some(world.resources.resource(id))
}

/// Returns the Deployment that the name of a pod shows, for rows of tables, which have no owners: `web-7d4b9c8f6d-x2x7k`.
fn by_name(pod: &Resource) -> Option<ObjectRef> {
    let (rest, suffix) = pod.name.rsplit_once('-')?;
    let (name, hash) = rest.rsplit_once('-')?;
    // Alphabet of generated names: k8s.io/apimachinery/pkg/util/rand leaves out vowels and 0, 1, 3.
    let is_generated = |text: &str| text.chars().all(|c| "bcdfghjklmnpqrstvwxz2456789".contains(c));
    let fits = suffix.len() == 5 && (8..=10).contains(&hash.len()) && is_generated(suffix) && is_generated(hash);
    fits.then(|| ObjectRef::new("apps", "Deployment", pod.namespace.as_deref(), name))
}
