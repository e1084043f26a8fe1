//! Access of the inventory to objects.

use jiff::Timestamp;

use crate::model::inventory::Condition;
use crate::model::message::Reason;
use crate::model::{ObjectRef, Origin};
use crate::resource::parse_time;
use crate::resource::scalar_at;
use crate::resource::{Collected, Resource, ResourceIndex, TypeName, types};
use crate::yaml::Node;

/// Most objects of one list; longer pages are of no use to readers.
pub(super) const MOST: usize = 2_000;

/// File of the bundle, kept as text.
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    pub origin: &'a Origin,
    /// Node of the file.
    pub node: Option<&'a str>,
    pub text: &'a str,
}

/// Objects of a bundle.
#[derive(Clone, Copy)]
pub(super) struct InventoryContext<'a> {
    pub resources: &'a ResourceIndex,
}

impl<'a> InventoryContext<'a> {
    /// Returns all objects of a type (`volumes.longhorn.io`), by namespace and name.
    pub fn all(self, name: &str) -> impl Iterator<Item = &'a Resource> {
        self.resources.all(name)
    }

    /// Returns the objects of a type with a label, by namespace and name.
    pub fn labelled(self, name: &str, key: &str, value: &str) -> impl Iterator<Item = &'a Resource> {
        self.resources.each(self.resources.labelled(&TypeName::parse(name), key, value))
    }

    /// Returns one object.
    pub fn one(self, name: &str, namespace: Option<&str>, object: &str) -> Option<&'a Resource> {
        let id = self.resources.get(&TypeName::parse(name), namespace, object)?;
        Some(self.resources.resource(id))
    }

    /// Returns the object of a reference, if it was collected.
    pub fn resolve(self, object: &ObjectRef) -> Option<&'a Resource> {
        let known = types::known_kind(&object.group, &object.kind)?;
        let id =
            self.resources.get(&TypeName::new(known.plural, known.group), object.namespace.as_deref(), &object.name)?;
        Some(self.resources.resource(id))
    }

    /// Returns true if an object exists; none if the type was not collected.
    pub fn exists(self, name: &str, namespace: Option<&str>, object: &str) -> Option<bool> {
        if self.one(name, namespace, object).is_some() {
            return Some(true);
        }
        self.complete(name, namespace).then_some(false)
    }

    /// Returns true if all objects of a type in a namespace were collected.
    pub fn complete(self, name: &str, namespace: Option<&str>) -> bool {
        self.resources.collected_by_name(&TypeName::parse(name), namespace).complete()
    }

    /// Returns the reason why objects of a type may be not collected.
    pub fn not_collected(self, name: &str) -> Option<Reason> {
        match self.resources.collected_by_name(&TypeName::parse(name), None) {
            Collected::No(reason) => Some(reason),
            Collected::Yes | Collected::Empty => None,
        }
    }
}

/// Reads a text of an object.
pub(super) fn text(object: &Resource, keys: &[&str]) -> Option<String> {
    scalar_at(object.body(), keys).map(str::to_owned)
}

/// Reads a number that cannot be negative; Longhorn writes sizes as texts, Go's YAML as floats.
pub(super) fn number(node: Node<'_>, keys: &[&str]) -> Option<u64> {
    let found = node.path(keys)?;
    found.as_i64().or_else(|| found.as_str()?.parse().ok()).and_then(|n| u64::try_from(n).ok())
}

/// Reads a boolean, also one written as text.
pub(super) fn flag(node: Node<'_>, keys: &[&str]) -> Option<bool> {
    let found = node.path(keys)?;
    found.as_bool().or_else(|| status(found.as_str()?))
}

/// Parses the status of a condition; none for `Unknown`.
pub(super) fn status(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

/// Reads a time.
pub(super) fn at(node: Node<'_>, keys: &[&str]) -> Option<Timestamp> {
    parse_time(scalar_at(node, keys)?)
}

/// Reads the conditions of an object or of a part of it, in their order.
pub(super) fn conditions(node: Node<'_>) -> Vec<Condition> {
    let text = |condition: Node<'_>, key: &str| scalar_at(condition, &[key]).map(str::to_owned);
    let condition = |node: Node<'_>| {
        let changed = ["lastTransitionTime", "lastUpdateTime", "lastProbeTime"];
        Some(Condition {
            name: text(node, "type")?,
            status: text(node, "status"),
            reason: text(node, "reason"),
            message: text(node, "message"),
            at: changed.iter().find_map(|key| at(node, &[key])),
        })
    };
    node.get("conditions").into_iter().flat_map(|list| list.items()).filter_map(condition).collect()
}

/// Returns the status of a condition; none if it is unknown or absent.
pub(super) fn condition(conditions: &[Condition], name: &str) -> Option<bool> {
    status(conditions.iter().find(|condition| condition.name == name)?.status.as_deref()?)
}

/// Returns the place of an object in the bundle.
pub(super) fn place(object: &Resource) -> Origin {
    Origin::line(object.entry.clone(), object.body().line())
}
