//! Roles of entries in the tree of rancher2_logs_collector.sh: one collection is one node.
//!
//! The folder of the distribution (`rke2`, `k3s`, `rke`, `kubeadm`) holds kubectl tables, pod logs and files; the
//! host's own folders are next to it. Files have no extensions. A collection with a folder `pod` was made inside a pod
//! and has no data of a host. Versions before 2021 wrote `k8s` for RKE1, or put its content at the top.

use super::cri_log;
use super::host_log::node_log;
use super::host_name::innermost_folder;
use crate::bundle::collectors::marker::Marker;
use crate::bundle::collectors::role::Role;
use crate::bundle::collectors::spec::{CollectorSpec, Description, EmptyLists, HostOf, KindOfBundle};
use crate::bundle::path::without_ending;
use crate::model::BundleKind;

pub static COLLECTOR: CollectorSpec = CollectorSpec {
    program: "rancher2_logs_collector",
    kind: KindOfBundle::Always(BundleKind::RANCHER),
    markers: &[&COLLECTOR_OUTPUT, &SYSTEMINFO, &NETWORKING],
    recognises: |marks| marks.has(&COLLECTOR_OUTPUT) || marks.all(&[&SYSTEMINFO, &NETWORKING]),
    role,
    host: HostOf { by_name: Some(host_of), made_in_pod, ..HostOf::DEFAULT },
    empty_lists: EmptyLists::Written,
    description: Description::RancherHost,
    keeps_error_output: true,
    ..CollectorSpec::DEFAULT
};

pub(super) static COLLECTOR_OUTPUT: Marker =
    Marker::at_root("collector-output.log", |path| matches!(path, ["collector-output.log"]));
pub(super) static SYSTEMINFO: Marker = Marker::at_root("systeminfo/", |path| matches!(path, ["systeminfo", ..]));
pub(super) static NETWORKING: Marker = Marker::at_root("networking/", |path| matches!(path, ["networking", ..]));

/// Folders of distributions.
const DISTRIBUTIONS: [&str; 5] = ["rke2", "k3s", "rke", "kubeadm", "k8s"];

/// Contents of a distribution's folder, which old collections have at the top.
const PARTS: [&str; 3] = ["kubectl", "podlogs", "containerlogs"];

/// Output of kubectl that is not a table of objects.
const NO_TABLES: [&str; 2] = ["summary", "cluster-info"];

/// Resources of Cilium; its other files are its own reports.
const CILIUM: [&str; 10] = [
    "ciliumbgppeeringpolicies",
    "ciliumcidrgroups",
    "ciliumclusterwidenetworkpolicies",
    "ciliumegressgatewaypolicies",
    "ciliumendpoints",
    "ciliumidentities",
    "ciliuml2announcementpolicies",
    "ciliumloadbalancerippools",
    "ciliumnetworkpolicies",
    "ciliumnodes",
];

/// Files that state a host's name, versions and time.
const TELLING: [&[&str]; 11] = [
    &["summary.txt"],
    &["versions"],
    &["systeminfo", "date"],
    &["systeminfo", "hostname"],
    &["systeminfo", "hostnamefqdn"],
    &["systeminfo", "osrelease"],
    &["systeminfo", "uname"],
    &["etcd", "endpointstatus"],
    &["docker", "dockerinfo"],
    &["networking", "ipaddrshow"],
    &["systeminfo", "etchosts"],
];

/// Returns the host in the name of a collection, `HOST-2024-03-06_10_15_30`, or else the whole name.
pub(super) fn host(name: &str) -> &str {
    const STAMP: &str = "-dddd-dd-dd_dd_dd_dd";
    let name = without_ending(name);
    let fits = |stamp: &str| {
        stamp
            .bytes()
            .zip(STAMP.bytes())
            .all(|(b, wanted)| if wanted == b'd' { b.is_ascii_digit() } else { b == wanted })
    };
    let cut = name.len().checked_sub(STAMP.len()).and_then(|at| Some((name.get(..at)?, name.get(at..)?)));
    match cut {
        Some((host, stamp)) if !host.is_empty() && fits(stamp) => host,
        _ => name,
    }
}

/// Returns the host from the folder around a collection, which the collector named, or else from the container name.
pub(super) fn host_of(prefix: &str, container: &str) -> String {
    let folder = innermost_folder(prefix);
    let named = [folder, container].into_iter().find(|name| host(name) != without_ending(name));
    let fallback = if folder.is_empty() { container } else { folder };
    host(named.unwrap_or(fallback)).to_owned()
}

/// Returns true if the collection was made inside a pod and has no data of a host.
fn made_in_pod(paths: &[String]) -> bool {
    let any = |folder: &str| paths.iter().any(|path| path.starts_with(folder));
    any("pod/") && !any("systeminfo/") && !any("networking/")
}

/// Returns the role of an entry in the collection of `node`, which is empty if it was made inside a pod.
pub(super) fn role(segments: &[&str], node: &str) -> Role {
    let found = match segments {
        ["collector-output.log"] => Some(Role::CollectorErrors),
        _ if TELLING.contains(&segments) => Some(Role::Metadata),
        ["systeminfo", "dmesg"] => Some(Role::node_log(node, "dmesg", 0)),
        ["journald", unit] => Some(Role::node_log(node, unit, 0)),
        ["systemlogs", file] => system_log(node, file),
        ["rancher", "containerlogs", file] => Some(Role::node_log(node, &format!("rancher-{}", before_dash(file)), 0)),
        ["pod", rest @ ..] => Some(of_distribution(None, rest).unwrap_or(Role::Other)),
        [distribution, rest @ ..] if DISTRIBUTIONS.contains(distribution) => of_distribution(Some(node), rest),
        [part, _, ..] if PARTS.contains(part) => of_distribution(Some(node), segments),
        _ => None,
    };
    match found {
        Some(role) => role,
        None if node.is_empty() => Role::Other,
        None => Role::NodeFile { node: node.to_owned() },
    }
}

/// Returns the role of an entry; `node` is none if the collection was made inside a pod.
fn of_distribution(node: Option<&str>, rest: &[&str]) -> Option<Role> {
    let unit = |unit: &str| Some(Role::node_log(node?, unit, 0));
    match rest {
        ["version"] | ["kubectl", "version"] | ["crictl", "version" | "containerd-version"] => Some(Role::Metadata),
        ["kubectl", "rancher-prov", name] => Some(provisioning(name)),
        ["kubectl", "nodes.json"] => Some(dump_named("nodes")),
        ["kubectl", "cluster-info_dump"] => Some(Role::LogSections { documents: true }),
        ["kubectl", "nodesdescribe"] => Some(Role::Described { word: "nodes".to_owned(), namespace: None }),
        ["kubectl", "poddescribe", namespace] => {
            Some(Role::Described { word: "pods".to_owned(), namespace: Some((*namespace).to_owned()) })
        }
        ["kubectl", word] => is_table(word).then(|| Role::table(word)),
        ["podlogs", name] => pod_logs(name),
        ["podlogs", pod, container, file] => cri_log::of_kubelet(pod, container, file),
        ["containers-varlogs", file] => var_log(file),
        ["containerd.log"] => unit("containerd"),
        ["containerlogs", name] => unit(name),
        ["agent-logs", file] => component_log(node?, file, ""),
        // The audit log of the API server is not the host's audit log.
        ["server-logs", file] => component_log(node?, file, "apiserver-"),
        _ => None,
    }
}

fn before_dash(file: &str) -> &str {
    file.split_once('-').map_or(file, |(before, _)| before)
}

/// Returns the role of `kubectl get NAME -A -o yaml`; NAME is `PLURAL.GROUP`.
fn dump_named(name: &str) -> Role {
    let (plural, group) = name.split_once('.').unwrap_or((name, ""));
    Role::dump(None, group, "", plural)
}

/// Returns the role of Rancher's own objects; the settings of the agent's controllers are one object whose file name
/// lacks a letter.
fn provisioning(name: &str) -> Role {
    if name == "cattle-controller-cfgmap" { dump_named("configmaps") } else { dump_named(name) }
}

/// Returns true if the name is an argument to kubectl, and not a file of another kind.
fn is_table(word: &str) -> bool {
    let plain = word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b".-".contains(&b));
    let is_report = word.starts_with("cilium") && !CILIUM.contains(&word);
    plain && !word.ends_with(".json") && !is_report && !NO_TABLES.contains(&word)
}

/// Returns the role of `NAMESPACE-POD`, `NAMESPACE-POD-previous`, or in RKE1
/// `k8s_CONTAINER_POD_NAMESPACE_UID_ATTEMPT`.
fn pod_logs(file: &str) -> Option<Role> {
    if file.starts_with("k8s_") {
        return cri_log::of_docker(file);
    }
    let (name, previous) = match file.strip_suffix("-previous") {
        Some(name) => (name, true),
        None => (file, false),
    };
    Some(Role::PodLogs { name: name.to_owned(), previous })
}

/// Returns the role of a link in `/var/log/containers`.
fn var_log(file: &str) -> Option<Role> {
    let (namespace, pod, container, _) = cri_log::link(file.strip_suffix(".log")?)?;
    Some(Role::pod_log(namespace, pod, container, false))
}

/// Returns the role of a copy from `/var/log`; rotated ones have a number or a date. Some systems name the kernel log
/// `kern.log`.
fn system_log(node: &str, file: &str) -> Option<Role> {
    const WITHOUT_ENDING: [&str; 2] = ["dmesg", "docker"];
    let file = without_ending(file);
    let (stem, number) = file.rsplit_once('.').unwrap_or((file, "0"));
    let (name, generation) = match number.parse() {
        Ok(generation) if WITHOUT_ENDING.contains(&stem) => (stem, generation),
        _ => node_log(file)?,
    };
    Some(Role::node_log(node, if name == "kern" { "kernel" } else { name }, generation))
}

/// Returns the role of `kubelet.log`, `kubelet-2025-12-02T13-58-40.483.log`.
fn component_log(node: &str, file: &str, of: &str) -> Option<Role> {
    let (name, generation) = node_log(without_ending(file))?;
    Some(Role::node_log(node, &format!("{of}{name}"), generation))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str) -> Role {
        role(&path.split('/').collect::<Vec<_>>(), "n1")
    }

    #[test]
    fn the_collection_is_named_after_its_host() {
        assert_eq!(host("cp-1-2024-03-06_10_15_30.tar.gz"), "cp-1");
        assert_eq!(host("cp-1.example.com-2024-03-06_10_15_30"), "cp-1.example.com");
        assert_eq!(host("case-4711.tar.gz"), "case-4711");
        assert_eq!(host("-2024-03-06_10_15_30"), "-2024-03-06_10_15_30");
    }

    #[test]
    fn kubectl_prints_tables_and_some_dumps() {
        assert_eq!(of("rke2/kubectl/pods"), Role::table("pods"));
        assert_eq!(of("rke/kubectl/pvc"), Role::table("pvc"));
        assert_eq!(
            of("k3s/kubectl/networkpolicies.projectcalico.org"),
            Role::table("networkpolicies.projectcalico.org")
        );
        let dumped = |group: &str, plural: &str| Role::dump(None, group, "", plural);
        let clusters = "rke2/kubectl/rancher-prov/clusters.provisioning.cattle.io";
        assert_eq!(of(clusters), dumped("provisioning.cattle.io", "clusters"));
        assert_eq!(of("rke2/kubectl/nodes.json"), dumped("", "nodes"));
        let file = Role::NodeFile { node: "n1".into() };
        for path in [
            "k3s/kubectl/ciliumstatus.json",
            "k3s/kubectl/ciliumdbgservicelist.json",
            "rke2/kubectl/ciliumbpflist",
            "kubeadm/kubectl/metrics_nodes",
            "kubeadm/staticpodlist",
        ] {
            assert_eq!(of(path), file, "{path}");
        }
        assert_eq!(of("kubeadm/kubectl/cluster-info_dump"), Role::LogSections { documents: true });
        assert_eq!(of("rke2/kubectl/ciliumnodes"), Role::table("ciliumnodes"));
        assert_eq!(of("rke2/kubectl/rancher-prov/cattle-controller-cfgmap"), dumped("", "configmaps"));
        let described = |word: &str, namespace: Option<&str>| Role::Described {
            word: word.into(),
            namespace: namespace.map(str::to_owned),
        };
        assert_eq!(of("rke2/kubectl/nodesdescribe"), described("nodes", None));
        assert_eq!(of("rke2/kubectl/poddescribe/demo"), described("pods", Some("demo")));
    }

    #[test]
    fn old_collections_have_the_same_parts_at_other_places() {
        assert_eq!(of("k8s/kubectl/nodes"), Role::table("nodes"));
        assert_eq!(of("k8s/containerlogs/etcd"), Role::node_log("n1", "etcd", 0));
        assert_eq!(of("containerlogs/kubelet"), Role::node_log("n1", "kubelet", 0));
        assert_eq!(of("podlogs/k8s_nginx_web-0_demo_a1b2_0"), Role::pod_log("demo", "web-0", "nginx", false));
        assert_eq!(of("systeminfo/freem"), Role::NodeFile { node: "n1".into() });
    }

    #[test]
    fn a_collection_of_a_pod_has_no_host() {
        let in_pod = |paths: &[&str]| made_in_pod(&paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>());
        assert!(in_pod(&["collector-output.log", "pod/kubectl/pods", "pod/podlogs/demo-web-0"]));
        assert!(!in_pod(&["pod/kubectl/pods", "systeminfo/date"]));
        assert!(!in_pod(&["rke2/kubectl/pods"]));
        assert_eq!(of("pod/kubectl/pods"), Role::table("pods"));
        assert_eq!(of("pod/podlogs/demo-web-0"), Role::PodLogs { name: "demo-web-0".into(), previous: false });
        assert_eq!(of("pod/kubectl/summary"), Role::Other);
    }

    #[test]
    fn logs_of_pods() {
        let all = |name: &str, previous| Role::PodLogs { name: name.into(), previous };
        assert_eq!(of("rke2/podlogs/kube-system-etcd-n1"), all("kube-system-etcd-n1", false));
        assert_eq!(of("k3s/podlogs/demo-web-0-previous"), all("demo-web-0", true));
        let one = Role::pod_log("demo", "web-0", "nginx", false);
        assert_eq!(of("rke2/podlogs/demo_web-0_a1b2/nginx/3.log"), one);
        assert_eq!(of("rke2/podlogs/demo_web-0_a1b2/nginx/2.log.20240306-101530"), one);
        assert_eq!(of("rke2/podlogs/demo_web-0_a1b2/nginx/2.log.20240306-101530.gz"), one);
        assert_eq!(of("rke/podlogs/k8s_nginx_web-0_demo_a1b2_0"), one);
        assert_eq!(of("kubeadm/containers-varlogs/web-0_demo_nginx-0a1b2c.log"), one);
    }

    #[test]
    fn logs_of_the_host() {
        assert_eq!(of("journald/rke2-server"), Role::node_log("n1", "rke2-server", 0));
        assert_eq!(of("systemlogs/kern.log.1"), Role::node_log("n1", "kernel", 1));
        assert_eq!(of("systemlogs/kern.log-20240306"), Role::node_log("n1", "kernel", 1));
        assert_eq!(of("systemlogs/syslog"), Role::node_log("n1", "syslog", 0));
        assert_eq!(of("systemlogs/syslog.2.gz"), Role::node_log("n1", "syslog", 2));
        assert_eq!(of("systemlogs/messages-20240306.xz"), Role::node_log("n1", "messages", 1));
        assert_eq!(of("systemlogs/dmesg.0"), Role::node_log("n1", "dmesg", 0));
        assert_eq!(of("systemlogs/audit.log.1"), Role::node_log("n1", "audit", 1));
        assert_eq!(of("systemlogs/cloud-init-output.log"), Role::node_log("n1", "cloud-init-output", 0));
        assert_eq!(of("systeminfo/dmesg"), Role::node_log("n1", "dmesg", 0));
        assert_eq!(of("rke2/containerd.log"), Role::node_log("n1", "containerd", 0));
        assert_eq!(of("rke2/agent-logs/kubelet.log"), Role::node_log("n1", "kubelet", 0));
        assert_eq!(of("rke2/agent-logs/kubelet-2025-12-02T13-58-40.483.log"), Role::node_log("n1", "kubelet", 1));
        assert_eq!(of("rke2/agent-logs/kubelet-2025-12-02T13-58-40.483.log.gz"), Role::node_log("n1", "kubelet", 1));
        assert_eq!(of("rke2/server-logs/audit.log"), Role::node_log("n1", "apiserver-audit", 0));
        assert_eq!(
            of("rke2/server-logs/audit-2025-12-02T13-58-40.483.log"),
            Role::node_log("n1", "apiserver-audit", 1)
        );
        assert_eq!(of("rke/containerlogs/etcd"), Role::node_log("n1", "etcd", 0));
        assert_eq!(of("rancher/containerlogs/server-1a2b"), Role::node_log("n1", "rancher-server", 0));
    }

    #[test]
    fn everything_else_is_a_file_of_the_host() {
        for path in [
            "systeminfo/dfh",
            "etcd/endpointhealth",
            "rke2/50-rancher.yaml",
            "rke2/crictl/psa",
            "rke2/directories/rke2agent",
            "rke2/certs/agent/client-kubelet.crt",
            "kubeadm/pki/server/apiserver.crt",
            "rke/certs/kube-apiserver.pem",
            "systemlogs/sa-data/sa01",
            "systemlogs/atop-data/atop_20240306",
        ] {
            assert_eq!(of(path), Role::NodeFile { node: "n1".into() }, "{path}");
        }
        for path in ["systeminfo/date", "versions", "rke2/version", "k3s/crictl/version", "docker/dockerinfo"] {
            assert_eq!(of(path), Role::Metadata, "{path}");
        }
        assert_eq!(of("collector-output.log"), Role::CollectorErrors);
    }
}
