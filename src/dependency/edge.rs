//! One dependency of a component.

use crate::model::{ClusterService, Component, NodePart, ObjectRef};
use crate::resource::Resource;

/// Component that another one depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    pub on: Component,
    /// Field or relation that says so.
    pub by: &'static str,
}

impl Dependency {
    /// Depends on an object.
    pub fn object(object: &Resource, by: &'static str) -> Self {
        Self { on: Component::Object(object.object()), by }
    }

    /// Depends on an object that need not be in the bundle.
    pub fn named(group: &str, kind: &str, namespace: Option<&str>, name: &str, by: &'static str) -> Self {
        Self { on: Component::Object(ObjectRef::new(group, kind, namespace, name)), by }
    }

    /// Depends on a part of a node.
    pub fn part(node: &str, part: NodePart, by: &'static str) -> Self {
        Self { on: Component::Node { node: node.to_owned(), part }, by }
    }

    /// Depends on a service of the cluster.
    pub fn service(service: ClusterService, by: &'static str) -> Self {
        Self { on: Component::Cluster(service), by }
    }
}
