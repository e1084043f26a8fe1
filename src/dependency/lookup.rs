//! Access of the dependencies to objects.

use crate::model::ObjectRef;
use crate::resource::{Resource, ResourceIndex, TypeName, scalar_at};
use crate::yaml::Node;

/// Objects of a bundle.
#[derive(Clone, Copy)]
pub struct Lookup<'i>(pub &'i ResourceIndex);

impl<'i> Lookup<'i> {
    /// Returns the object of a reference, if it was collected.
    pub fn find(self, object: &ObjectRef) -> Option<&'i Resource> {
        self.0.find(object)
    }

    /// Returns one object of a type such as `volumes.longhorn.io`.
    pub fn one(self, name: &str, namespace: Option<&str>, object: &str) -> Option<&'i Resource> {
        Some(self.0.resource(self.0.get(&TypeName::parse(name), namespace, object)?))
    }

    /// Returns all objects of a type, by namespace and name.
    pub fn all(self, name: &str) -> impl Iterator<Item = &'i Resource> {
        self.0.of_type(&TypeName::parse(name)).iter().map(move |&id| self.0.resource(id))
    }

    /// Returns the objects of a type in a namespace, by name.
    pub fn all_in(self, name: &str, namespace: &str) -> impl Iterator<Item = &'i Resource> {
        self.0.of_type_in(&TypeName::parse(name), namespace).iter().map(move |&id| self.0.resource(id))
    }

    /// Returns the objects of a type with a label, by namespace and name.
    pub fn labelled(self, name: &str, key: &str, value: &str) -> impl Iterator<Item = &'i Resource> {
        self.0.labelled(&TypeName::parse(name), key, value).iter().map(move |&id| self.0.resource(id))
    }

    /// Returns the objects that name this one as their owner.
    pub fn owned_by(self, owner: &Resource) -> impl Iterator<Item = &'i Resource> {
        let ids = owner.uid.as_deref().map_or(&[][..], |uid| self.0.owned_by(uid));
        ids.iter().map(move |&id| self.0.resource(id))
    }
}

/// Returns the text of a field.
pub fn text<'r>(resource: &'r Resource, keys: &[&str]) -> Option<&'r str> {
    scalar_at(resource.body(), keys)
}

/// Returns the items of a list.
pub fn items<'r>(resource: &'r Resource, keys: &[&str]) -> impl Iterator<Item = Node<'r>> + use<'r> {
    resource.body().path(keys).into_iter().flat_map(Node::items)
}

/// Returns the status of a condition such as `Ready`.
pub fn condition<'r>(resource: &'r Resource, name: &str) -> Option<&'r str> {
    let found = items(resource, &["status", "conditions"]).find(|item| scalar_at(*item, &["type"]) == Some(name))?;
    scalar_at(found, &["status"])
}

/// Returns whether an object reports that it works, so that nothing behind it can be the cause of trouble in front of it.
pub fn is_well(resource: &Resource) -> bool {
    match (&*resource.group, &*resource.kind) {
        ("", "Pod") => condition(resource, "Ready") == Some("True") || ended_well(resource) || row_is_ready(resource),
        ("batch", "Job") => condition(resource, "Complete") == Some("True"),
        ("apps", _) => has_all_replicas(resource),
        ("longhorn.io", "Replica" | "Engine" | "InstanceManager") => {
            text(resource, &["status", "currentState"]) == Some("running")
                && text(resource, &["spec", "failedAt"]).is_none()
        }
        // Longhorn sets it to running when the pod serves the volume.
        ("longhorn.io", "ShareManager") => text(resource, &["status", "state"]) == Some("running"),
        _ => condition(resource, "Ready") == Some("True"),
    }
}

fn ended_well(pod: &Resource) -> bool {
    text(pod, &["status", "phase"]) == Some("Succeeded")
}

/// Reads the column READY of a row of `kubectl get`.
fn row_is_ready(resource: &Resource) -> bool {
    let ready = resource.cells().and_then(|cells| scalar_at(cells, &["READY"]));
    ready.and_then(|cell| cell.split_once('/')).is_some_and(|(have, wanted)| have == wanted)
}

fn has_all_replicas(controller: &Resource) -> bool {
    let number = |keys: &[&str]| text(controller, keys).and_then(|text| text.parse::<u64>().ok());
    let wanted = number(&["status", "desiredNumberScheduled"]).or_else(|| number(&["spec", "replicas"]));
    let ready = number(&["status", "numberReady"]).or_else(|| number(&["status", "readyReplicas"]));
    wanted.is_some_and(|wanted| ready.unwrap_or(0) >= wanted) || row_is_ready(controller)
}
