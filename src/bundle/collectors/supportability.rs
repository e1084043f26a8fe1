//! Roles of a supportability review's entries: the cluster part is JSON from kubectl; the node parts have the layout
//! of Rancher's collector, alone or as archives in the results of Sonobuoy.

use super::cluster_info::NODES;
use super::rancher::{self, COLLECTOR_OUTPUT, NETWORKING, SYSTEMINFO};
use crate::bundle::collectors::marker::Marker;
use crate::bundle::collectors::role::Role;
use crate::bundle::collectors::spec::{CollectorSpec, Description, EmptyLists, KindOfBundle};
use crate::bundle::path::without_ending;
use crate::model::BundleKind;

/// Cluster part, or the results around both parts.
pub static CLUSTER: CollectorSpec = CollectorSpec {
    program: "supportability-review",
    kind: KindOfBundle::Always(BundleKind::SUPPORTABILITY),
    markers: &[&CRDS, &NODES, &API_VERSION, &PLUGINS],
    recognises: |marks| marks.all(&[&CRDS, &NODES, &API_VERSION]) || marks.has(&PLUGINS),
    role: |segments, _| cluster(segments),
    empty_lists: EmptyLists::Written,
    description: Description::KubectlScript,
    ..CollectorSpec::DEFAULT
};

/// Node part, opened alone.
pub static NODE: CollectorSpec = CollectorSpec {
    program: CLUSTER.program,
    kind: KindOfBundle::Always(BundleKind::SUPPORTABILITY),
    markers: &[&SYSTEMINFO, &NETWORKING, &KUBELET_CONFIG, &HOST_LISTING],
    recognises: |marks| {
        marks.all(&[&SYSTEMINFO, &NETWORKING])
            && marks.any(&[&KUBELET_CONFIG, &HOST_LISTING])
            && !marks.has(&COLLECTOR_OUTPUT)
    },
    role: |segments, bundle| rancher::role(segments, without_ending(bundle)),
    empty_lists: EmptyLists::Written,
    description: Description::HostFiles,
    ..CollectorSpec::DEFAULT
};

static KUBELET_CONFIG: Marker = Marker::at_root("kubeletconfig.json", |path| {
    matches!(path, ["systeminfo" | "networking", "kubeletconfig.json", ..])
});
static HOST_LISTING: Marker = Marker::at_root("ls-l-host.log", |path| matches!(path, ["ls-l-host.log"]));
static CRDS: Marker = Marker::at_root("crds.json", |path| matches!(path, ["crds.json"]));
static API_VERSION: Marker = Marker::at_root("api_version/", |path| matches!(path, ["api_version", ..]));
static PLUGINS: Marker = Marker::at_root("plugins/*/results/", |path| matches!(path, ["plugins", _, "results", ..]));

const APPS: &str = "apps";
const FLEET: &str = "fleet.cattle.io";
const MANAGEMENT: &str = "management.cattle.io";

/// Files of the cluster part that are not named after a type, with namespace (empty: all or none), plural and group.
const FILES: [(&str, &str, &str, &str); 14] = [
    ("backup", "", "backups", "resources.cattle.io"),
    ("bundledeployment", "", "bundledeployments", FLEET),
    ("cattle-fleet-system-statefulsets", "cattle-fleet-system", "statefulsets", APPS),
    ("clusterrole", "", "clusterroles", "rbac.authorization.k8s.io"),
    ("crds", "", "customresourcedefinitions", "apiextensions.k8s.io"),
    ("features-management", "", "features", MANAGEMENT),
    ("fleet-local-bundle", "fleet-local", "bundles", FLEET),
    ("machines", "", "machines", "cluster.x-k8s.io"),
    ("namespaces", "", "namespaces", ""),
    ("nodes", "", "nodes", ""),
    ("nodes-cattle", "", "nodes", MANAGEMENT),
    ("persistentvolumeclaims", "", "persistentvolumeclaims", ""),
    ("roletemplates", "", "roletemplates", MANAGEMENT),
    ("services-default", "default", "services", ""),
];

/// Types whose file names begin with the namespace.
const OF_NAMESPACES: [(&str, &str); 3] =
    [("-daemonsets", "daemonsets"), ("-deploy", "deployments"), ("-statefulsets", "statefulsets")];

/// Returns the role of an entry of the cluster part, or of the results around both parts.
fn cluster(segments: &[&str]) -> Role {
    match segments {
        ["plugins", _, "results", _, "clusterinfo", rest @ ..] => of_cluster(rest),
        ["plugins", _, "results", node, "nodeinfo", rest @ ..] => rancher::role(rest, node),
        ["podlogs", namespace, pod, "logs", file] => sonobuoy_log(namespace, pod, file).unwrap_or(Role::Other),
        ["resources", "cluster", file] => sonobuoy_list(None, file).unwrap_or(Role::Other),
        ["resources", "ns", namespace, file] => sonobuoy_list(Some(namespace), file).unwrap_or(Role::Other),
        _ => of_cluster(segments),
    }
}

fn of_cluster(rest: &[&str]) -> Role {
    let found = match rest {
        ["date.log" | "kubectl-version.json" | "server-version.json" | "serverversion.json"] => Some(Role::Metadata),
        [file] => file.strip_suffix(".json").and_then(list),
        ["rke" | "rke2" | "k3s" | "harvester" | "apps", .., file] => file.ends_with(".json").then_some(Role::Objects),
        _ => None,
    };
    found.unwrap_or(Role::Other)
}

fn list(stem: &str) -> Option<Role> {
    if let Some((_, namespace, plural, group)) = FILES.iter().find(|(name, ..)| *name == stem) {
        return Some(Role::dump(Some(*namespace).filter(|namespace| !namespace.is_empty()), group, "", plural));
    }
    let of_namespace = OF_NAMESPACES.iter().find_map(|(end, plural)| Some((stem.strip_suffix(end)?, *plural)));
    if let Some((namespace, plural)) = of_namespace.filter(|(namespace, _)| !namespace.is_empty()) {
        return Some(Role::dump(Some(namespace), APPS, "", plural));
    }
    match stem.split_once('.') {
        Some((plural, group)) => Some(Role::dump(None, group, "", plural)),
        // Counts and addresses are not lists of objects.
        None if stem.starts_with("pod-") => None,
        None => Some(Role::Objects),
    }
}

/// Returns the role of `core_v1_pods.json`, `apps_v1_deployments.json`.
fn sonobuoy_list(namespace: Option<&str>, file: &str) -> Option<Role> {
    let mut parts = file.strip_suffix(".json")?.splitn(3, '_');
    let (group, version, plural) = (parts.next()?, parts.next()?, parts.next()?);
    Some(Role::dump(namespace, if group == "core" { "" } else { group }, version, plural))
}

fn sonobuoy_log(namespace: &str, pod: &str, file: &str) -> Option<Role> {
    let container = file.strip_suffix(".txt").or_else(|| file.strip_suffix(".log"))?;
    Some(Role::pod_log(namespace, pod, container, false))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str) -> Role {
        cluster(&path.split('/').collect::<Vec<_>>())
    }

    #[test]
    fn files_of_the_cluster_part() {
        assert!(FILES.windows(2).all(|pair| pair[0].0 < pair[1].0));
        for (path, namespace, plural, group) in [
            ("nodes.json", None, "nodes", ""),
            ("nodes-cattle.json", None, "nodes", MANAGEMENT),
            ("services-default.json", Some("default"), "services", ""),
            ("kube-system-daemonsets.json", Some("kube-system"), "daemonsets", APPS),
            ("cattle-system-deploy.json", Some("cattle-system"), "deployments", APPS),
            ("clusters.provisioning.cattle.io.json", None, "clusters", "provisioning.cattle.io"),
            (
                "plugins/p/results/global/clusterinfo/crds.json",
                None,
                "customresourcedefinitions",
                "apiextensions.k8s.io",
            ),
        ] {
            assert_eq!(of(path), Role::dump(namespace, group, "", plural), "{path}");
        }
        for path in ["cattle-system-apps.json", "apps/longhorn-volumes.json", "rke2/machines.json"] {
            assert_eq!(of(path), Role::Objects, "{path}");
        }
        for path in
            ["api_version/Pod.json", "pod-ipaddresses.json", "token-count.txt", "terminating-pods", "obfuscate_data"]
        {
            assert_eq!(of(path), Role::Other, "{path}");
        }
        assert_eq!(of("date.log"), Role::Metadata);
    }

    #[test]
    fn results_of_sonobuoy_hold_both_parts() {
        let node = of("plugins/p/results/n1/nodeinfo/journald/rke2-server");
        assert_eq!(node, Role::node_log("n1", "rke2-server", 0));
        let pods = of("resources/ns/demo/core_v1_pods.json");
        assert!(matches!(pods, Role::Dump { namespace: Some(_), ref plural, .. } if plural == "pods"));
        let log = of("podlogs/demo/web-0/logs/web.txt");
        assert!(matches!(log, Role::PodLog { ref container, .. } if container == "web"));
    }
}
