//! Pods and their controllers.

use super::edge::Dependency;
use super::lookup::{Lookup, items, text};
use super::{names, node, storage};
use crate::model::NodePart;
use crate::resource::{Resource, scalar_at};

/// A pod depends on kubelet and network of its node, on its claims, and on what attaches volumes of Longhorn to the node.
pub fn of_pod(look: &Lookup<'_>, pod: &Resource) -> Vec<Dependency> {
    let namespace = pod.namespace.as_deref();
    let claims: Vec<&str> = items(pod, &["spec", "volumes"])
        .filter_map(|volume| scalar_at(volume, &["persistentVolumeClaim", "claimName"]))
        .collect();
    let mut found = Vec::new();
    if let Some(node) = text(pod, &["spec", "nodeName"]) {
        // What makes the network of pods cannot need it, and collections may not say that it runs on the host's.
        let on_host = text(pod, &["spec", "hostNetwork"]) == Some("true") || node::is_plugin(pod);
        // The kubelet runs such pods although it waits for the CNI plugin, of which they may be a part.
        let kubelet = Some(NodePart::Kubelet).filter(|_| !(on_host && node::waits_for_plugin(look, node)));
        let network = if on_host { NodePart::Network } else { NodePart::PodNetwork };
        let parts = kubelet.into_iter().chain([network]);
        found.extend(parts.map(|part| Dependency::part(node, part, "spec.nodeName")));
        let attaches = claims.iter().any(|claim| storage::is_of_longhorn(look, namespace, claim));
        found.extend(attaches.then(|| Dependency::part(node, NodePart::Attach, "spec.nodeName")));
    }
    let claim = |claim: &str| Dependency::named("", "PersistentVolumeClaim", namespace, claim, "spec.volumes");
    found.extend(claims.into_iter().map(claim));
    found
}

/// A controller depends on those of its pods, replica sets and jobs that are not ready.
pub fn of_controller(look: &Lookup<'_>, controller: &Resource) -> Vec<Dependency> {
    let is_part = |owned: &&Resource| {
        matches!((&*owned.group, &*owned.kind), ("", "Pod") | ("apps", "ReplicaSet") | ("batch", "Job"))
    };
    let owned = look.owned_by(controller).filter(is_part).map(|owned| (owned, "metadata.ownerReferences"));
    let named = pods_by_name(look, controller).map(|pod| (pod, "name of the pod"));
    owned.chain(named).filter(|(part, _)| !look.is_well(part)).map(|(part, by)| Dependency::object(part, by)).collect()
}

/// Returns the rows of pods that have a name that a controller, itself a row, gives its pods.
fn pods_by_name<'i>(look: &Lookup<'i>, controller: &Resource) -> impl Iterator<Item = &'i Resource> {
    let namespace = controller.namespace.as_deref().filter(|_| controller.cells().is_some());
    let pods = namespace.map(|namespace| look.beginning_with("pods", namespace, &controller.name));
    let is_own = |pod: &&Resource| names::is_row_of(pod, &controller.kind, &controller.name);
    pods.into_iter().flatten().filter(is_own)
}
