//! Parts of nodes, and services of the cluster.

use super::edge::Dependency;
use super::lookup::{Lookup, items, text};
use super::names;
use crate::model::{ClusterService, Component, NodePart};
use crate::resource::{Resource, scalar_at};

/// Labels of the pods of CNI plugins, and of kube-proxy as kubeadm and RKE2 run it: without it services are not reached.
const CNI: [(&str, &str); 7] = [
    ("k8s-app", "kube-proxy"),
    ("component", "kube-proxy"),
    ("k8s-app", "canal"),
    ("k8s-app", "calico-node"),
    ("k8s-app", "cilium"),
    ("k8s-app", "flannel"),
    ("app", "flannel"),
];

/// Daemon sets of CNI plugins (of RKE2, RKE, Calico's operator, Cilium and Flannel), and that of kubeadm's kube-proxy.
const CNI_SETS: [&str; 7] =
    ["rke2-canal", "canal", "calico-node", "cilium", "kube-flannel-ds", "kube-flannel", "kube-proxy"];

/// Labels of the pods that run Longhorn's data plane on a node.
const STORAGE: [(&str, &str); 2] = [("app", "longhorn-manager"), ("longhorn.io/component", "instance-manager")];

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
    let plugins = pods_of_part(look, node, NodePart::PodNetwork).filter(|pod| !look.is_well(pod));
    std::iter::once(host).chain(plugins.map(|pod| Dependency::object(pod, "network of pods on the node"))).collect()
}

/// kubelet of a node that reports to be ready passes on nothing. One that waits for the CNI plugin says so.
fn of_kubelet(look: &Lookup<'_>, node: &str) -> Vec<Dependency> {
    let found = look.one("nodes", None, node);
    if found.is_some_and(|node| look.is_well(node)) {
        return Vec::new();
    }
    let parts = [NodePart::Disk, NodePart::Memory, NodePart::Network, NodePart::Clock];
    let mut needed: Vec<Dependency> = parts.map(|part| Dependency::part(node, part, "needed by the kubelet")).into();
    if found.is_some_and(waits_for_cni) {
        needed.push(Dependency::part(node, NodePart::PodNetwork, "status.conditions: NetworkPluginNotReady"));
    }
    // While most others report, the API server is not what keeps this one from it.
    if !look.most_nodes_are_ready() {
        needed.push(Dependency::service(ClusterService::Api, "kubelet reports to the API server"));
    }
    needed
}

/// The kubelet writes it into the message of `Ready`: `container runtime network not ready: NetworkReady=false
/// reason:NetworkPluginNotReady message:...`.
fn waits_for_cni(node: &Resource) -> bool {
    let conditions = items(node, &["status", "conditions"]);
    let mut ready = conditions.filter(|item| scalar_at(*item, &["type"]) == Some("Ready"));
    ready.any(|item| scalar_at(item, &["message"]).is_some_and(|message| message.contains("NetworkPluginNotReady")))
}

/// Returns whether a node is not ready because its CNI plugin is.
pub fn waits_for_plugin(look: &Lookup<'_>, node: &str) -> bool {
    look.one("nodes", None, node).is_some_and(waits_for_cni)
}

fn of_storage(look: &Lookup<'_>, node: &str) -> Vec<Dependency> {
    let parts = [NodePart::Kubelet, NodePart::Network, NodePart::Disk, NodePart::Memory];
    let mut found: Vec<Dependency> =
        parts.map(|part| Dependency::part(node, part, "needed by the instance manager")).into();
    let managers = look.with_field("instancemanagers.longhorn.io", &["spec", "nodeID"], node);
    found.extend(
        managers
            .into_iter()
            .filter(|manager| !look.is_well(manager))
            .map(|manager| Dependency::object(manager, "instance manager of the node")),
    );
    found
}

/// What a service of the cluster depends on.
pub fn of_service(look: &Lookup<'_>, service: ClusterService) -> Vec<Dependency> {
    match service {
        ClusterService::Api => {
            let mut found = vec![Dependency::service(ClusterService::Etcd, "storage of the API server")];
            found.extend(unwell_pods(look, service));
            found
        }
        ClusterService::Dns => unwell_pods(look, service).collect(),
        ClusterService::Etcd => of_etcd(look),
        ClusterService::Network | ClusterService::Registry => Vec::new(),
    }
}

/// The members of etcd run on nodes with its role; one that is slow makes all wait. While most nodes are ready, etcd does not miss
/// the others.
fn of_etcd(look: &Lookup<'_>) -> Vec<Dependency> {
    let has = |node: &Resource, role: &str| {
        node.body().path(&["metadata", "labels", role]).is_some() || row_has_role(node, role)
    };
    let with = |role: &str| look.all("nodes").filter(|node| has(node, role)).collect::<Vec<_>>();
    let nodes = ETCD_ROLES.into_iter().map(with).find(|nodes| !nodes.is_empty()).unwrap_or_default();
    let parts = [NodePart::Disk, NodePart::Network, NodePart::Clock, NodePart::Memory];
    let by = "member of etcd on the node";
    let of_node = |node: &&Resource| parts.map(|part| Dependency::part(&node.name, part, by));
    // The kubelet of a node that is ready runs its member.
    let down: Vec<_> = nodes.iter().filter(|node| !look.is_well(node)).collect();
    let has_quorum = down.len() * 2 < nodes.len();
    let kubelets = down.iter().filter(|_| !has_quorum).map(|node| Dependency::part(&node.name, NodePart::Kubelet, by));
    let members = unwell_pods(look, ClusterService::Etcd);
    nodes.iter().flat_map(of_node).chain(kubelets).chain(members).collect()
}

/// Reads the column ROLES of a node: `control-plane,etcd,master`.
fn row_has_role(node: &Resource, label: &str) -> bool {
    let roles = node.cells().and_then(|cells| scalar_at(cells, &["ROLES"])).unwrap_or_default();
    label.split_once('/').is_some_and(|(_, role)| roles.split(',').any(|own| own == role))
}

/// A service depends on those of its pods that are not ready, unless most are.
fn unwell_pods<'i>(look: &Lookup<'i>, service: ClusterService) -> impl Iterator<Item = Dependency> + use<'i> {
    let (well, others): (Vec<&Resource>, Vec<&Resource>) =
        pods_of_service(look, service).partition(|pod| look.is_well(pod));
    let needed = if well.len() > others.len() { Vec::new() } else { others };
    needed.into_iter().map(|pod| Dependency::object(pod, "pods of the service"))
}

/// Returns the pods that run a part of a node or a service of the cluster, whether they are well or not.
pub fn pods_of<'i>(look: &Lookup<'i>, component: &Component) -> Vec<&'i Resource> {
    match component {
        Component::Object(_) => Vec::new(),
        Component::Node { node, part } => pods_of_part(look, node, *part).collect(),
        Component::Cluster(service) => pods_of_service(look, *service).collect(),
    }
}

fn pods_of_part<'i>(look: &Lookup<'i>, node: &str, part: NodePart) -> impl Iterator<Item = &'i Resource> + use<'i> {
    let (labels, sets): (&[(&str, &str)], &[&str]) = match part {
        NodePart::Attach => (&[("app", "longhorn-csi-plugin")], &["longhorn-csi-plugin"]),
        NodePart::PodNetwork => (&CNI, &CNI_SETS),
        NodePart::Storage => (&STORAGE, &["longhorn-manager"]),
        NodePart::Clock | NodePart::Disk | NodePart::Kubelet | NodePart::Memory | NodePart::Network => (&[], &[]),
    };
    let pods = look.with_field("pods", &["spec", "nodeName"], node);
    pods.into_iter().filter(move |pod| has_label(pod, labels) || is_of_set(pod, sets))
}

/// Returns whether a pod is one of a CNI plugin.
pub fn is_plugin(pod: &Resource) -> bool {
    has_label(pod, &CNI) || is_of_set(pod, &CNI_SETS)
}

/// Returns whether a row is that of a pod of one of these sets, one on each node: of a daemon set, or static.
fn is_of_set(pod: &Resource, sets: &[&str]) -> bool {
    let node = text(pod, &["spec", "nodeName"]).unwrap_or_default();
    let is_of = |set: &&str| names::is_row_of(pod, "DaemonSet", set) || names::is_row_of_static(pod, set, node);
    sets.iter().any(is_of)
}

fn has_label(pod: &Resource, labels: &[(&str, &str)]) -> bool {
    labels.iter().any(|(key, value)| text(pod, &["metadata", "labels", key]) == Some(value))
}

fn pods_of_service<'i>(look: &Lookup<'i>, service: ClusterService) -> impl Iterator<Item = &'i Resource> + use<'i> {
    let label = match service {
        ClusterService::Api => Some(("component", "kube-apiserver")),
        ClusterService::Dns => Some(("k8s-app", "kube-dns")),
        ClusterService::Etcd => Some(("component", "etcd")),
        ClusterService::Network | ClusterService::Registry => None,
    };
    let pods = label.map(|(key, value)| look.labelled("pods", key, value));
    let rows = label.map(|_| look.all_in("pods", "kube-system")).into_iter().flatten();
    pods.into_iter().flatten().chain(rows.filter(move |pod| is_row_of_service(pod, service)))
}

/// Returns whether a row is that of a pod of a service of the cluster, as RKE2, K3s and kubeadm name them.
fn is_row_of_service(pod: &Resource, service: ClusterService) -> bool {
    let node = text(pod, &["spec", "nodeName"]).unwrap_or_default();
    let is_static = |name| names::is_row_of_static(pod, name, node);
    match service {
        ClusterService::Api => is_static("kube-apiserver"),
        ClusterService::Dns => {
            ["rke2-coredns-rke2-coredns", "coredns"].iter().any(|name| names::is_row_of(pod, "Deployment", name))
        }
        ClusterService::Etcd => is_static("etcd"),
        ClusterService::Network | ClusterService::Registry => false,
    }
}
