//! Parts of nodes, and services of the cluster.

use super::edge::Dependency;
use super::lookup::{Lookup, condition, is_well, items, text};
use crate::model::{ClusterService, NodePart};
use crate::resource::{Resource, scalar_at};

/// Labels of the pods of CNI plugins.
const CNI: [(&str, &str); 5] = [
    ("k8s-app", "canal"),
    ("k8s-app", "calico-node"),
    ("k8s-app", "cilium"),
    ("k8s-app", "flannel"),
    ("app", "flannel"),
];

/// Labels of nodes with a member of etcd: of RKE2 and K3s, of RKE, of kubeadm.
const ETCD_ROLES: [&str; 3] =
    ["node-role.kubernetes.io/etcd", "node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"];

/// What a part of a node depends on.
pub fn of_part(look: &Lookup<'_>, node: &str, part: NodePart) -> Vec<Dependency> {
    match part {
        NodePart::Attach => vec![Dependency::part(node, NodePart::Storage, "needed to attach volumes")],
        NodePart::Kubelet => of_kubelet(look, node),
        NodePart::Network => vec![Dependency::service(ClusterService::Network, "network of the host")],
        NodePart::PodNetwork => of_pod_network(look, node),
        NodePart::Storage => of_storage(look, node),
        NodePart::Clock | NodePart::Disk | NodePart::Memory => Vec::new(),
    }
}

fn of_pod_network(look: &Lookup<'_>, node: &str) -> Vec<Dependency> {
    let host = Dependency::part(node, NodePart::Network, "network of the host");
    let pods = look.with_field("pods", &["spec", "nodeName"], node);
    let is_plugin = |pod: &Resource| {
        CNI.iter().any(|(key, value)| text(pod, &["metadata", "labels", key]) == Some(value)) && !is_well(pod)
    };
    let plugins = pods.into_iter().filter(|pod| is_plugin(pod));
    std::iter::once(host).chain(plugins.map(|pod| Dependency::object(pod, "CNI plugin of the node"))).collect()
}

/// kubelet of a node that reports to be ready passes on nothing. One that waits for the CNI plugin says so.
fn of_kubelet(look: &Lookup<'_>, node: &str) -> Vec<Dependency> {
    let found = look.one("nodes", None, node);
    if found.is_some_and(|node| condition(node, "Ready") == Some("True")) {
        return Vec::new();
    }
    let parts = [NodePart::Disk, NodePart::Memory, NodePart::Network, NodePart::Clock];
    let mut needed: Vec<Dependency> = parts.map(|part| Dependency::part(node, part, "needed by the kubelet")).into();
    if found.is_some_and(waits_for_cni) {
        needed.push(Dependency::part(node, NodePart::PodNetwork, "status.conditions: NetworkPluginNotReady"));
    }
    needed.push(Dependency::service(ClusterService::Api, "kubelet reports to the API server"));
    needed
}

/// The kubelet writes it into the message of `Ready`: `container runtime network not ready: NetworkReady=false
/// reason:NetworkPluginNotReady message:...`.
fn waits_for_cni(node: &Resource) -> bool {
    let conditions = items(node, &["status", "conditions"]);
    let mut ready = conditions.filter(|item| scalar_at(*item, &["type"]) == Some("Ready"));
    ready.any(|item| scalar_at(item, &["message"]).is_some_and(|message| message.contains("NetworkPluginNotReady")))
}

fn of_storage(look: &Lookup<'_>, node: &str) -> Vec<Dependency> {
    let parts = [NodePart::Kubelet, NodePart::Network, NodePart::Disk, NodePart::Memory];
    let mut found: Vec<Dependency> =
        parts.map(|part| Dependency::part(node, part, "needed by the instance manager")).into();
    let managers = look.with_field("instancemanagers.longhorn.io", &["spec", "nodeID"], node);
    found.extend(
        managers
            .into_iter()
            .filter(|manager| !is_well(manager))
            .map(|manager| Dependency::object(manager, "instance manager of the node")),
    );
    found
}

/// What a service of the cluster depends on.
pub fn of_service(look: &Lookup<'_>, service: ClusterService) -> Vec<Dependency> {
    match service {
        ClusterService::Api => {
            let mut found = vec![Dependency::service(ClusterService::Etcd, "storage of the API server")];
            found.extend(pods(look, "component", "kube-apiserver"));
            found
        }
        ClusterService::Dns => pods(look, "k8s-app", "kube-dns").collect(),
        ClusterService::Etcd => of_etcd(look),
        ClusterService::Network | ClusterService::Registry => Vec::new(),
    }
}

/// The members of etcd run on nodes with its role; one that is slow makes all wait.
fn of_etcd(look: &Lookup<'_>) -> Vec<Dependency> {
    let has = |node: &Resource, role: &str| node.body().path(&["metadata", "labels", role]).is_some();
    let with = |role: &str| look.all("nodes").filter(|node| has(node, role)).collect::<Vec<_>>();
    let nodes = ETCD_ROLES.into_iter().map(with).find(|nodes| !nodes.is_empty()).unwrap_or_default();
    let parts = [NodePart::Disk, NodePart::Network, NodePart::Clock, NodePart::Memory];
    let by = "member of etcd on the node";
    let of_node = |node: &&Resource| parts.map(|part| Dependency::part(&node.name, part, by));
    // The kubelet of a node that is ready runs its member.
    let down = nodes.iter().filter(|node| condition(node, "Ready") != Some("True"));
    let kubelets = down.map(|node| Dependency::part(&node.name, NodePart::Kubelet, by));
    let members = pods(look, "component", "etcd");
    nodes.iter().flat_map(of_node).chain(kubelets).chain(members).collect()
}

fn pods<'i>(look: &Lookup<'i>, key: &str, value: &str) -> impl Iterator<Item = Dependency> + use<'i> {
    let pods: Vec<&Resource> = look.labelled("pods", key, value).filter(|pod| !is_well(pod)).collect();
    pods.into_iter().map(|pod| Dependency::object(pod, "pods of the service"))
}
