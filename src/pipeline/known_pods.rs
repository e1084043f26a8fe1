//! Homes of logs that are named after a pod of a known product while nothing in the bundle lists pods: people attach
//! `longhorn-manager-x7k2p.log`, `rancher.log` or `kube-system_etcd-n1_etcd.log` alone.
//!
//! Names are those of the products' charts and manifests: kubeadm and RKE2 (static pods, `rke2-*` charts), K3s, Calico, Rancher, Fleet,
//! Harvester, KubeVirt, CDI and Longhorn.

use crate::model::UNKNOWN_NAMESPACE;
use crate::resource::is_generated;

/// Program that runs one virtual machine.
const LAUNCHER: &str = "virt-launcher";

/// Namespace, pod and container; the container is empty if unknown.
pub(super) type Container<'n> = (&'n str, &'n str, &'n str);

/// What may follow the name of a workload in the name of a pod.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Suffix {
    /// What Kubernetes makes: `-7d4b9c8f6d-x2x7k`, `-x2x7k`, `-0`.
    Generated,
    /// The node, if the pod is static.
    OfNode,
    /// Also a volume, an image or a release.
    Any,
}
use Suffix::{Any, Generated, OfNode};

/// Beginning of the names of a workload's pods, their main container (empty if there are several), and what follows in their names.
type Workload = (&'static str, &'static str, Suffix);

/// Workloads by namespace.
const WORKLOADS: &[(&str, &[Workload])] = &[
    (
        "kube-system",
        &[
            ("etcd", "etcd", OfNode),
            ("kube-apiserver", "kube-apiserver", OfNode),
            ("kube-controller-manager", "kube-controller-manager", OfNode),
            ("kube-scheduler", "kube-scheduler", OfNode),
            ("kube-proxy", "kube-proxy", OfNode),
            ("cloud-controller-manager", "cloud-controller-manager", OfNode),
            ("kube-vip", "kube-vip", OfNode),
            ("helm-install", "helm", Any),
            ("coredns", "coredns", Generated),
            ("rke2-coredns-rke2-coredns", "coredns", Generated),
            ("metrics-server", "metrics-server", Generated),
            ("rke2-metrics-server", "metrics-server", Generated),
            ("rke2-ingress-nginx-controller", "rke2-ingress-nginx-controller", Generated),
            ("rke2-traefik", "rke2-traefik", Generated),
            ("traefik", "traefik", Generated),
            ("rke2-canal", "", Generated),
            ("canal", "", Generated),
            ("rke2-multus", "kube-rke2-multus", Generated),
            ("cilium", "cilium-agent", Generated),
            ("cilium-operator", "cilium-operator", Generated),
            ("snapshot-controller", "snapshot-controller", Generated),
            ("rke2-snapshot-controller", "rke2-snapshot-controller", Generated),
            ("harvester-cloud-provider", "harvester-cloud-provider", Generated),
            ("svclb", "", Any),
        ],
    ),
    (
        "calico-system",
        &[
            ("calico-node", "calico-node", Generated),
            ("calico-typha", "calico-typha", Generated),
            ("calico-kube-controllers", "calico-kube-controllers", Generated),
        ],
    ),
    ("tigera-operator", &[("tigera-operator", "tigera-operator", Generated)]),
    ("kube-flannel", &[("kube-flannel-ds", "kube-flannel", Generated)]),
    (
        "cattle-system",
        &[
            ("rancher", "rancher", Generated),
            ("rancher-webhook", "rancher-webhook", Generated),
            ("helm-operation", "helm", Generated),
            ("cattle-cluster-agent", "cluster-register", Generated),
            ("system-upgrade-controller", "system-upgrade-controller", Generated),
            ("cattle-node-agent", "agent", Generated),
        ],
    ),
    (
        "cattle-fleet-system",
        &[
            ("fleet-controller", "fleet-controller", Generated),
            ("fleet-agent", "fleet-agent", Generated),
            ("gitjob", "gitjob", Generated),
        ],
    ),
    ("cattle-provisioning-capi-system", &[("capi-controller-manager", "manager", Generated)]),
    (
        "harvester-system",
        &[
            ("harvester", "apiserver", Generated),
            ("harvester-webhook", "harvester-webhook", Generated),
            ("harvester-network-controller", "harvester-network-controller", Generated),
            ("harvester-network-controller-manager", "harvester-network-controller-manager", Generated),
            ("harvester-node-manager", "harvester-node-manager", Generated),
            ("harvester-node-disk-manager", "harvester-node-disk-manager", Generated),
            ("harvester-load-balancer", "harvester-load-balancer", Generated),
            ("harvester-networkfs-manager", "", Generated),
            ("hvst-upgrade", "", Any),
            ("virt-api", "virt-api", Generated),
            ("virt-controller", "virt-controller", Generated),
            ("virt-handler", "virt-handler", Generated),
            ("virt-operator", "virt-operator", Generated),
            ("cdi-apiserver", "cdi-apiserver", Generated),
            ("cdi-deployment", "cdi-controller", Generated),
            ("cdi-operator", "cdi-operator", Generated),
            ("cdi-uploadproxy", "cdi-uploadproxy", Generated),
        ],
    ),
    (
        "longhorn-system",
        &[
            ("longhorn-manager", "longhorn-manager", Generated),
            ("longhorn-csi-plugin", "longhorn-csi-plugin", Generated),
            ("longhorn-driver-deployer", "longhorn-driver-deployer", Generated),
            ("csi-attacher", "csi-attacher", Generated),
            ("csi-provisioner", "csi-provisioner", Generated),
            ("csi-resizer", "csi-resizer", Generated),
            ("csi-snapshotter", "csi-snapshotter", Generated),
            ("instance-manager", "instance-manager", Any),
            ("share-manager", "share-manager", Any),
            ("backing-image-manager", "backing-image-manager", Any),
            ("backing-image-ds", "backing-image-data-source", Any),
            ("engine-image-ei", "", Any),
        ],
    ),
];

/// Returns the container that a name of a log refers to: `POD`, `POD_CONTAINER`, and either behind a namespace of this list.
pub(super) fn find(name: &str) -> Option<Container<'_>> {
    let behind = |namespace: &str| name.strip_prefix(namespace)?.strip_prefix(['-', '_', '.']);
    let own = WORKLOADS.iter().find_map(|(namespace, _)| Some((*namespace, behind(namespace)?)));
    let rest = own.map_or(name, |(_, rest)| rest);
    let (pod, container) = rest.split_once('_').unwrap_or((rest, ""));
    let workloads =
        WORKLOADS.iter().flat_map(|(namespace, list)| list.iter().map(move |workload| (*namespace, workload)));
    let fitting = workloads.filter(|(_, (workload, _, suffix))| belongs(pod, workload, *suffix));
    let (namespace, (_, main, _)) = fitting.max_by_key(|(_, (workload, ..))| workload.len())?;
    let namespace = own.map_or(namespace, |(namespace, _)| namespace);
    Some((namespace, pod, if container.is_empty() { main } else { container }))
}

/// Returns the container that a name of a log refers to, as [`find`], of a pod that no product names but whose name ends as Kubernetes
/// makes names: `web-7d4b9c8f6d-x2x7k`, `db-0_postgres`, `shop_db-0_postgres`. Where the name has no namespace, it is not known.
pub(super) fn find_generated(name: &str) -> Option<Container<'_>> {
    let (namespace, name) = match name.split_once('_') {
        Some((namespace, rest)) if rest.contains('_') => (namespace, rest),
        _ => (UNKNOWN_NAMESPACE, name),
    };
    let (pod, container) = name.split_once('_').unwrap_or((name, ""));
    let (workload, end) = pod.rsplit_once('-')?;
    let is_of_deployment = workload.rsplit_once('-').is_some_and(|(_, hash)| is_of_deployment(hash, end));
    let is_ordinal = end.len() == 1 && end.bytes().all(|byte| byte.is_ascii_digit());
    let is_label = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'.';
    let is_pod = workload.starts_with(|c: char| c.is_ascii_lowercase()) && pod.bytes().all(is_label);
    (is_pod && (is_ordinal || is_of_deployment || end.len() == 5 && is_generated(end)))
        .then_some((namespace, pod, container))
}

/// Returns the container of one of KubeVirt's programs, by its name. Launchers are in the namespaces of their virtual machines.
pub(super) fn of_kubevirt(program: &str) -> Container<'_> {
    find(program).unwrap_or((UNKNOWN_NAMESPACE, program, if program == LAUNCHER { "compute" } else { program }))
}

/// Returns the node that the name of a static pod ends with: the kubelet calls it `NAME-NODE`. A pod of a DaemonSet has another end, which is no node.
pub(super) fn node_of_static<'n>(namespace: &str, pod: &'n str) -> Option<&'n str> {
    let (_, workloads) = WORKLOADS.iter().find(|(known, _)| *known == namespace)?;
    let of_nodes = workloads.iter().filter(|(.., suffix)| *suffix == OfNode);
    of_nodes.map(|(name, ..)| *name).find_map(|name| pod.strip_prefix(name)?.strip_prefix('-'))
}

/// Returns true if a pod of this name can be one of the workload.
fn belongs(pod: &str, workload: &str, suffix: Suffix) -> bool {
    let Some(rest) = pod.strip_prefix(workload) else { return false };
    if rest.is_empty() {
        return true;
    }
    // No other word of a longer name of a workload is as short or written in the alphabet of generated names; a StatefulSet numbers its pods.
    const WORDS: [&str; 3] = ["agent", "envoy", "proxy"];
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let is_made = |part: &str| {
        !part.is_empty() && (is_number(part) || is_generated(part) || is_pod_suffix(part) && !WORDS.contains(&part))
    };
    let are_made = |rest: &str| {
        rest.split_once('-').is_some_and(|(hash, end)| is_of_deployment(hash, end)) || rest.split('-').all(is_made)
    };
    rest.strip_prefix('-').is_some_and(|rest| suffix != Generated || are_made(rest))
}

/// Returns true for what Kubernetes adds to the name of a Deployment, the hash of its template and the end of the pod's name, in any alphabet: who hides
/// or shortens names does not keep to that of Kubernetes (`5f7d9c6b8-abcde`).
fn is_of_deployment(hash: &str, end: &str) -> bool {
    let has_digit = || hash.bytes().any(|byte| byte.is_ascii_digit());
    (6..=10).contains(&hash.len()) && is_lower_alphanumeric(hash) && has_digit() && is_pod_suffix(end)
}

/// Returns true for a part as long as the end of a pod's name, in any alphabet.
fn is_pod_suffix(part: &str) -> bool {
    part.len() == 5 && is_lower_alphanumeric(part)
}

fn is_lower_alphanumeric(part: &str) -> bool {
    part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_of_known_pods_have_a_home() {
        let manager = ("longhorn-system", "longhorn-manager", "longhorn-manager");
        for (name, wanted) in [
            ("longhorn-manager", Some(manager)),
            ("longhorn-manager-x7k2p", Some(("longhorn-system", "longhorn-manager-x7k2p", "longhorn-manager"))),
            ("kube-system_etcd-n1_etcd", Some(("kube-system", "etcd-n1", "etcd"))),
            ("kube-system-etcd-n1", Some(("kube-system", "etcd-n1", "etcd"))),
            ("rancher-5d9bc8bf5b-bg27w", Some(("cattle-system", "rancher-5d9bc8bf5b-bg27w", "rancher"))),
            (
                "rancher-webhook-5d9bc8bf5b-bg27w",
                Some(("cattle-system", "rancher-webhook-5d9bc8bf5b-bg27w", "rancher-webhook")),
            ),
            ("rke2-canal-xvz9k_calico-node", Some(("kube-system", "rke2-canal-xvz9k", "calico-node"))),
            ("cattle-fleet-system.fleet-agent-0", Some(("cattle-fleet-system", "fleet-agent-0", "fleet-agent"))),
            ("rancher-5f7d9c6b8-abcde", Some(("cattle-system", "rancher-5f7d9c6b8-abcde", "rancher"))),
            ("longhorn-manager-a1b2c", Some(("longhorn-system", "longhorn-manager-a1b2c", "longhorn-manager"))),
            (
                "longhorn-csi-plugin-abcde",
                Some(("longhorn-system", "longhorn-csi-plugin-abcde", "longhorn-csi-plugin")),
            ),
            ("cilium-envoy", None),
            ("rancher-monitoring-operator-5d9bc8bf5b-bg27w", None),
            ("rancherd", None),
            ("app", None),
        ] {
            assert_eq!(find(name), wanted, "{name}");
        }
    }

    #[test]
    fn names_that_kubernetes_makes_are_those_of_pods() {
        let of = |pod, container| Some((UNKNOWN_NAMESPACE, pod, container));
        for (name, wanted) in [
            ("web-7d4b9c8f6d-x2x7k", of("web-7d4b9c8f6d-x2x7k", "")),
            ("virt-launcher-db-7m9kq_compute", of("virt-launcher-db-7m9kq", "compute")),
            ("postgres-0", of("postgres-0", "")),
            ("default_virt-launcher-db-7m9kq_compute", Some(("default", "virt-launcher-db-7m9kq", "compute"))),
            ("web-5f7d9c6b8-abcde", of("web-5f7d9c6b8-abcde", "")),
            ("output-2025", None),
            ("notes-of-rancher-agent", None),
            ("app", None),
            ("Node-1", None),
            ("my-notes", None),
        ] {
            assert_eq!(find_generated(name), wanted, "{name}");
        }
    }

    #[test]
    fn static_pods_name_their_node() {
        assert_eq!(node_of_static("kube-system", "etcd-n1.example.com"), Some("n1.example.com"));
        assert_eq!(node_of_static("kube-system", "coredns-n1"), None);
        assert_eq!(node_of_static("shop", "etcd-n1"), None);
    }

    #[test]
    fn programs_of_kubevirt_have_a_home() {
        assert_eq!(of_kubevirt("virt-handler"), ("harvester-system", "virt-handler", "virt-handler"));
        assert_eq!(of_kubevirt("virt-launcher"), (UNKNOWN_NAMESPACE, "virt-launcher", "compute"));
    }

    #[test]
    fn each_workload_is_named_once() {
        let mut names: Vec<&str> =
            WORKLOADS.iter().flat_map(|(_, list)| list.iter().map(|(workload, ..)| *workload)).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
