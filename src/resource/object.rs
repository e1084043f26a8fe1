//! One Kubernetes object of a bundle.

use std::sync::Arc;

use super::scalar::scalar_at;
use super::types::{TypeName, known_kind};
use crate::model::{ObjectRef, secret};
use crate::yaml::{Document, Node};

/// Index of a resource in its [`super::ResourceIndex`]. Ids are ordered by group, plural, namespace and name, so they
/// do not depend on the order of entries.
pub type ResourceId = u32;

/// One Kubernetes object.
#[derive(Clone, Debug)]
pub struct Resource {
    /// API group; empty for the core group.
    pub group: Box<str>,
    /// API version without the group, e.g. `v1beta2`.
    pub version: Box<str>,
    /// Kind, e.g. `Volume`.
    pub kind: Box<str>,
    /// Plural name of the type, e.g. `volumes`.
    pub plural: Box<str>,
    pub namespace: Option<Box<str>>,
    pub name: Box<str>,
    /// None also if a collector hid it.
    pub uid: Option<Box<str>>,
    /// Path of the entry it was read from.
    pub entry: Arc<str>,
    pub document: Arc<Document>,
    /// Index of the object's node in the document.
    pub node: u32,
    /// Made from a table row or a summary: fields that it does not have are unknown, not absent.
    pub partial: bool,
    /// For a row of a kubectl table: index of the node of its cells in the document; see [`Resource::cells`].
    pub row: Option<u32>,
    /// For objects of a type that gleaner makes (`helmreleases`): the object it was made from.
    pub source: Option<ResourceId>,
    /// For a partial object: another source of the same object, looked up for fields that this one does not have. No type lists it.
    pub supplement: Option<ResourceId>,
}

impl Resource {
    /// Returns the node of the object itself.
    pub fn body(&self) -> Node<'_> {
        self.document.node(self.node)
    }

    /// Returns the cells of a row of a kubectl table: a mapping of headers to texts in the order of the columns.
    /// Empty cells are empty texts, and `<none>` is kept.
    pub fn cells(&self) -> Option<Node<'_>> {
        self.row.map(|row| self.document.node(row))
    }

    /// Returns the root that contains a node: the object, or the cells, which precede it in the document.
    pub fn root_of(&self, node: Node<'_>) -> Node<'_> {
        let body = self.body();
        self.cells().filter(|_| node.index() < body.index()).unwrap_or(body)
    }

    /// Finds the mapping in another object that is at the same path as a mapping of this one.
    pub fn counterpart<'o>(&self, mapping: Node<'_>, other: &'o Resource) -> Option<Node<'o>> {
        let (mut at, mut there) = (self.body(), other.body());
        while at.index() != mapping.index() {
            let (key, below) = at.entries().take_while(|(_, value)| value.index() <= mapping.index()).last()?;
            there = there.get(&key)?;
            at = below;
        }
        Some(there)
    }

    /// Returns its identity for findings.
    pub fn object(&self) -> ObjectRef {
        ObjectRef {
            kind: self.kind.to_string(),
            group: self.group.to_string(),
            namespace: self.namespace.as_deref().map(str::to_owned),
            name: self.name.to_string(),
        }
    }

    /// Returns the controller that the object names in `metadata.ownerReferences`, else its first owner. A Node is none: static
    /// pods name theirs, and do not depend on it as on a workload.
    pub fn owner(&self) -> Option<ObjectRef> {
        let owners = self.body().path(&["metadata", "ownerReferences"])?;
        let mut controllers = owners.items().filter(|owner| scalar_at(*owner, &["controller"]) == Some("true"));
        let owner = controllers.next().or_else(|| owners.items().next())?;
        let group = scalar_at(owner, &["apiVersion"])?.rsplit_once('/').map_or("", |(group, _)| group);
        let (kind, name) = (scalar_at(owner, &["kind"])?, scalar_at(owner, &["name"])?);
        let is_namespaced = known_kind(group, kind).is_none_or(|known| known.namespaced);
        let namespace = self.namespace.as_deref().filter(|_| is_namespaced);
        (kind != "Node").then(|| ObjectRef::new(group, kind, namespace, name))
    }

    /// Returns whether a collector hid its name or its namespace, so that it may be any object of its type, or of its namespace.
    pub fn is_nameless(&self) -> bool {
        secret::is_withheld(&self.name) || self.hides_namespace()
    }

    /// Returns whether a collector hid its namespace, and the path of its entry does not tell it.
    pub fn hides_namespace(&self) -> bool {
        self.namespace.as_deref().is_some_and(secret::is_withheld)
    }

    /// Returns whether a collector hid its uid; [`Resource::uid`] is none then.
    pub fn hides_uid(&self) -> bool {
        self.uid.is_none() && scalar_at(self.body(), &["metadata", "uid"]).is_some_and(secret::is_withheld)
    }

    /// Returns its type.
    pub fn type_name(&self) -> TypeName {
        TypeName::new(&self.plural, &self.group)
    }
}
