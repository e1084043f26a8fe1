//! How much depends on what is broken.

use std::collections::{BTreeMap, BTreeSet};

use crate::dependency::DependencyGraph;
use crate::model::{Component, ObjectRef};
use crate::resource::ResourceIndex;

/// Types whose objects do the work of a cluster: what they need is what matters.
const WORK: [&str; 2] = ["pods", "virtualmachines.kubevirt.io"];

/// Returns, of each of these objects, how many pods and virtual machines depend on it, as far as their fields say so.
pub fn dependents(index: &ResourceIndex, broken: &BTreeSet<&ObjectRef>) -> BTreeMap<ObjectRef, usize> {
    let mut counts: BTreeMap<ObjectRef, usize> = BTreeMap::new();
    let mut graph = DependencyGraph::new(index);
    for resource in WORK.iter().flat_map(|name| index.all(name)) {
        let own = graph.id(Component::Object(resource.object()));
        let reached = graph.reach(&[own], |_, _| true);
        let needed: BTreeSet<ObjectRef> = reached
            .iter()
            .filter(|reached| reached.component != own)
            .filter_map(|reached| object_of(graph.component(reached.component)))
            .filter(|object| broken.contains(object))
            .collect();
        needed.into_iter().for_each(|object| *counts.entry(object).or_default() += 1);
    }
    counts
}

/// Returns the object that a component is or is a part of.
fn object_of(component: &Component) -> Option<ObjectRef> {
    match component {
        Component::Object(object) => Some(object.clone()),
        Component::Node { node, .. } => Some(ObjectRef::new("", "Node", None, node)),
        Component::Cluster(_) => None,
    }
}
