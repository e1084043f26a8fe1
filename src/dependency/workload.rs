//! Pods and their controllers.

use super::edge::Dependency;
use super::lookup::{Lookup, is_well, items, text};
use crate::model::NodePart;
use crate::resource::{Resource, scalar_at};

/// A pod depends on kubelet and network of its node, and on its claims.
pub fn of_pod(pod: &Resource) -> Vec<Dependency> {
    let mut found = Vec::new();
    if let Some(node) = text(pod, &["spec", "nodeName"]) {
        let on_host = text(pod, &["spec", "hostNetwork"]) == Some("true");
        let network = if on_host { NodePart::Network } else { NodePart::PodNetwork };
        found.extend([NodePart::Kubelet, network].map(|part| Dependency::part(node, part, "spec.nodeName")));
    }
    let claims = items(pod, &["spec", "volumes"])
        .filter_map(|volume| scalar_at(volume, &["persistentVolumeClaim", "claimName"]));
    let namespace = pod.namespace.as_deref();
    found.extend(claims.map(|claim| Dependency::named("", "PersistentVolumeClaim", namespace, claim, "spec.volumes")));
    found
}

/// A controller depends on those of its pods, replica sets and jobs that are not ready, and on its claims.
pub fn of_controller(look: &Lookup<'_>, controller: &Resource) -> Vec<Dependency> {
    let is_part = |owned: &&Resource| {
        matches!((&*owned.group, &*owned.kind), ("", "Pod") | ("apps", "ReplicaSet") | ("batch", "Job"))
    };
    let owned = look.owned_by(controller).filter(is_part).filter(|owned| !is_well(owned));
    owned.map(|owned| Dependency::object(owned, "metadata.ownerReferences")).collect()
}
