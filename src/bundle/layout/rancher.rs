//! The [`Role`] of each entry by its place in the tree of rancher2_logs_collector.sh: one collection is one node.
//!
//! The folder of the distribution (`rke2`, `k3s`, `rke`, `kubeadm`, `pod`) holds tables that kubectl printed, pod logs and
//! files; beside it stand the host's own. Files have no endings.

use super::Role;
use super::node::node_log;
use crate::bundle::path::without_ending;

/// Folders of distributions; `k8s` was that of RKE1 in older versions of the collector.
const DISTRIBUTIONS: [&str; 6] = ["rke2", "k3s", "rke", "kubeadm", "pod", "k8s"];

/// Output of kubectl that is no table of objects.
const NO_TABLES: [&str; 3] = ["nodesdescribe", "cluster-info_dump", "summary"];

/// The host that a collection is named after: `HOST-2024-03-06_10_15_30`, else the name as it is.
fn host(name: &str) -> &str {
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

/// The host by the folder around a collection, which the collector named, else by the name of the container.
pub(in crate::bundle) fn host_of(prefix: &str, container: &str) -> String {
    let folder = prefix.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let named = [folder, container].into_iter().find(|name| host(name) != without_ending(name));
    let fallback = if folder.is_empty() { container } else { folder };
    host(named.unwrap_or(fallback)).to_owned()
}

/// The role of an entry of the collection of `node`.
pub(super) fn role(segments: &[&str], node: &str) -> Role {
    let found = match segments {
        ["collector-output.log"] => Some(Role::CollectorErrors),
        ["systeminfo", "date"] => Some(Role::Metadata),
        ["systeminfo", "dmesg"] => Some(log(node, "dmesg", 0)),
        ["journald", unit] => Some(log(node, unit, 0)),
        ["systemlogs", file] => system_log(node, file),
        ["rancher", "containerlogs", file] => Some(log(node, &format!("rancher-{}", before_dash(file)), 0)),
        ["containerlogs", unit] => Some(log(node, unit, 0)),
        [distribution, rest @ ..] if DISTRIBUTIONS.contains(distribution) => of_distribution(node, rest),
        _ => None,
    };
    found.unwrap_or_else(|| Role::NodeFile { node: node.to_owned() })
}

fn of_distribution(node: &str, rest: &[&str]) -> Option<Role> {
    match rest {
        ["version"] | ["kubectl", "version"] => Some(Role::Metadata),
        ["kubectl", "rancher-prov", name] => Some(dump(name)),
        ["kubectl", "nodes.json"] => Some(dump("nodes")),
        ["kubectl", word] => is_table(word).then(|| Role::Table { word: (*word).to_owned() }),
        ["podlogs", name] => pod_logs(name),
        ["podlogs", pod, container, file] => cri_log(pod, container, file),
        ["containerd.log"] => Some(log(node, "containerd", 0)),
        ["containerlogs", unit] => Some(log(node, unit, 0)),
        ["agent-logs", file] => component_log(node, file, ""),
        // The audit log of the API server is not that of the host.
        ["server-logs", file] => component_log(node, file, "apiserver-"),
        _ => None,
    }
}

fn log(node: &str, unit: &str, generation: u32) -> Role {
    Role::NodeLog { node: node.to_owned(), unit: unit.to_owned(), generation }
}

fn before_dash(file: &str) -> &str {
    file.split_once('-').map_or(file, |(before, _)| before)
}

/// `kubectl get NAME -A -o yaml`; NAME is `PLURAL.GROUP`.
fn dump(name: &str) -> Role {
    let (plural, group) = name.split_once('.').unwrap_or((name, ""));
    Role::Dump { namespace: None, group: group.to_owned(), version: String::new(), plural: plural.to_owned() }
}

/// Whether a name is a word that kubectl was asked for, and not a file of another kind.
fn is_table(word: &str) -> bool {
    let plain = word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b".-".contains(&b));
    plain && !word.ends_with(".json") && !word.starts_with("cilium") && !NO_TABLES.contains(&word)
}

/// `NAMESPACE-POD`, `NAMESPACE-POD-previous`; of RKE1 `k8s_CONTAINER_POD_NAMESPACE_UID_ATTEMPT`.
fn pod_logs(file: &str) -> Option<Role> {
    if let Some(docker) = file.strip_prefix("k8s_") {
        let mut parts = docker.split('_');
        let (container, pod, namespace) = (parts.next()?, parts.next()?, parts.next()?);
        return Some(pod_log(namespace, pod, container));
    }
    let (name, previous) = match file.strip_suffix("-previous") {
        Some(name) => (name, true),
        None => (file, false),
    };
    Some(Role::PodLogs { name: name.to_owned(), previous })
}

/// The kubelet's own files: `NAMESPACE_POD_UID/CONTAINER/RESTARTS.log`. Which of them is the current one depends on the
/// others, and both of the same container tell the same stream.
fn cri_log(pod: &str, container: &str, file: &str) -> Option<Role> {
    let mut parts = pod.split('_');
    let (namespace, pod) = (parts.next()?, parts.next()?);
    file.contains(".log").then(|| pod_log(namespace, pod, container))
}

fn pod_log(namespace: &str, pod: &str, container: &str) -> Role {
    Role::PodLog {
        namespace: namespace.to_owned(),
        pod: pod.to_owned(),
        container: container.to_owned(),
        previous: false,
    }
}

/// Copies of `/var/log`; `kern.log` is what other systems call the kernel's log.
fn system_log(node: &str, file: &str) -> Option<Role> {
    let (name, generation) = node_log(file)?;
    Some(log(node, if name == "kern" { "kernel" } else { name }, generation))
}

/// `kubelet.log`, `kubelet-2025-12-02T13-58-40.483.log`.
fn component_log(node: &str, file: &str, of: &str) -> Option<Role> {
    let (name, generation) = node_log(file)?;
    Some(log(node, &format!("{of}{name}"), generation))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str) -> Role {
        role(&path.split('/').collect::<Vec<_>>(), "n1")
    }

    fn table(word: &str) -> Role {
        Role::Table { word: word.into() }
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
        assert_eq!(of("rke2/kubectl/pods"), table("pods"));
        assert_eq!(of("rke/kubectl/pvc"), table("pvc"));
        assert_eq!(of("k3s/kubectl/networkpolicies.projectcalico.org"), table("networkpolicies.projectcalico.org"));
        let dumped = |group: &str, plural: &str| Role::Dump {
            namespace: None,
            group: group.into(),
            version: String::new(),
            plural: plural.into(),
        };
        let clusters = "rke2/kubectl/rancher-prov/clusters.provisioning.cattle.io";
        assert_eq!(of(clusters), dumped("provisioning.cattle.io", "clusters"));
        assert_eq!(of("rke2/kubectl/nodes.json"), dumped("", "nodes"));
        let file = Role::NodeFile { node: "n1".into() };
        for path in ["rke2/kubectl/nodesdescribe", "k3s/kubectl/ciliumstatus.json", "kubeadm/kubectl/cluster-info_dump"]
        {
            assert_eq!(of(path), file, "{path}");
        }
        assert_eq!(of("rke2/kubectl/poddescribe/demo"), file);
    }

    #[test]
    fn logs_of_pods() {
        let all = |name: &str, previous| Role::PodLogs { name: name.into(), previous };
        assert_eq!(of("rke2/podlogs/kube-system-etcd-n1"), all("kube-system-etcd-n1", false));
        assert_eq!(of("k3s/podlogs/demo-web-0-previous"), all("demo-web-0", true));
        let one = pod_log("demo", "web-0", "nginx");
        assert_eq!(of("rke2/podlogs/demo_web-0_a1b2/nginx/3.log"), one);
        assert_eq!(of("rke2/podlogs/demo_web-0_a1b2/nginx/2.log.20240306-101530"), one);
        assert_eq!(of("rke/podlogs/k8s_nginx_web-0_demo_a1b2_0"), one);
    }

    #[test]
    fn logs_of_the_host() {
        assert_eq!(of("journald/rke2-server"), log("n1", "rke2-server", 0));
        assert_eq!(of("systemlogs/kern.log.1"), log("n1", "kernel", 1));
        assert_eq!(of("systemlogs/syslog"), log("n1", "syslog", 0));
        assert_eq!(of("systemlogs/messages-20240306"), log("n1", "messages", 1));
        assert_eq!(of("systeminfo/dmesg"), log("n1", "dmesg", 0));
        assert_eq!(of("rke2/containerd.log"), log("n1", "containerd", 0));
        assert_eq!(of("rke2/agent-logs/kubelet.log"), log("n1", "kubelet", 0));
        assert_eq!(of("rke2/agent-logs/kubelet-2025-12-02T13-58-40.483.log"), log("n1", "kubelet", 1));
        assert_eq!(of("rke2/server-logs/audit.log"), log("n1", "apiserver-audit", 0));
        assert_eq!(of("rke/containerlogs/etcd"), log("n1", "etcd", 0));
        assert_eq!(of("rancher/containerlogs/server-1a2b"), log("n1", "rancher-server", 0));
    }

    #[test]
    fn everything_else_is_a_file_of_the_host() {
        for path in ["systeminfo/dfh", "etcd/endpointstatus", "rke2/50-rancher.yaml", "systemlogs/sa-data/sa01"] {
            assert_eq!(of(path), Role::NodeFile { node: "n1".into() }, "{path}");
        }
        assert_eq!(of("systeminfo/date"), Role::Metadata);
        assert_eq!(of("collector-output.log"), Role::CollectorErrors);
    }
}
