//! Roles of entries in the tree of a support bundle or preflight bundle of troubleshoot.sh.
//!
//! `cluster-resources/` holds the lists of the cluster: `KIND.json` or `KIND/NAMESPACE.json`, with the collector's own
//! names. Next to it, the collectors of a specification write into folders of any name.

use super::document_name::document_stem;
use crate::bundle::collectors::marker::Marker;
use crate::bundle::collectors::role::{Role, Summary};
use crate::bundle::collectors::spec::{CollectorSpec, Description, EmptyLists, KindOfBundle};
use crate::model::BundleKind;

pub static COLLECTOR: CollectorSpec = CollectorSpec {
    program: "troubleshoot",
    kind: KindOfBundle::Always(BundleKind::TROUBLESHOOT),
    markers: &[&CLUSTER_RESOURCES, &CLUSTER_INFO, &ANALYSIS, &VERSION, &HOST_COLLECTORS],
    recognises: |marks| {
        marks.has(&CLUSTER_RESOURCES) || marks.has(&HOST_COLLECTORS) && marks.any(&[&ANALYSIS, &CLUSTER_INFO, &VERSION])
    },
    role: |segments, _| role(segments),
    empty_lists: EmptyLists::Named,
    description: Description::Troubleshoot,
    ..CollectorSpec::DEFAULT
};

static CLUSTER_RESOURCES: Marker =
    Marker::at_root("cluster-resources/", |path| matches!(path, ["cluster-resources", ..]));
static CLUSTER_INFO: Marker = Marker::at_root("cluster-info/", |path| matches!(path, ["cluster-info", ..]));
static ANALYSIS: Marker = Marker::at_root("analysis.json", |path| matches!(path, ["analysis.json"]));
static VERSION: Marker = Marker::at_root("version.yaml", |path| matches!(path, ["version.yaml"]));
static HOST_COLLECTORS: Marker = Marker::at_root("host-collectors/", |path| matches!(path, ["host-collectors", ..]));

const RBAC: &str = "rbac.authorization.k8s.io";
const WEBHOOKS: &str = "admissionregistration.k8s.io";

/// Collector's name of a type, with plural and group. Several names of a type are from different versions.
const TYPES: [(&str, &str, &str); 38] = [
    ("certificatesigningrequests", "certificatesigningrequests", "certificates.k8s.io"),
    ("clusterRoleBindings", "clusterrolebindings", RBAC),
    ("clusterrolebindings", "clusterrolebindings", RBAC),
    ("clusterroles", "clusterroles", RBAC),
    ("configmaps", "configmaps", ""),
    ("cronjobs", "cronjobs", "batch"),
    ("custom-resource-definitions", "customresourcedefinitions", "apiextensions.k8s.io"),
    ("daemonsets", "daemonsets", "apps"),
    ("deployments", "deployments", "apps"),
    ("endpoints", "endpoints", ""),
    ("endpointslices", "endpointslices", "discovery.k8s.io"),
    ("events", "events", ""),
    ("ingress", "ingresses", "networking.k8s.io"),
    ("ingress-classes", "ingressclasses", "networking.k8s.io"),
    ("jobs", "jobs", "batch"),
    ("leases", "leases", "coordination.k8s.io"),
    ("limitranges", "limitranges", ""),
    ("mutating-webhook-configurations", "mutatingwebhookconfigurations", WEBHOOKS),
    ("namespaces", "namespaces", ""),
    ("network-policy", "networkpolicies", "networking.k8s.io"),
    ("nodes", "nodes", ""),
    ("pod-disruption-budgets", "poddisruptionbudgets", "policy"),
    ("pods", "pods", ""),
    ("priorityclasses", "priorityclasses", "scheduling.k8s.io"),
    ("pvcs", "persistentvolumeclaims", ""),
    ("pvs", "persistentvolumes", ""),
    ("replicasets", "replicasets", "apps"),
    ("resource-quota", "resourcequotas", ""),
    ("resource-quotas", "resourcequotas", ""),
    ("rolebindings", "rolebindings", RBAC),
    ("roles", "roles", RBAC),
    ("serviceaccounts", "serviceaccounts", ""),
    ("services", "services", ""),
    ("statefulsets", "statefulsets", "apps"),
    ("storage", "storageclasses", "storage.k8s.io"),
    ("storage-classes", "storageclasses", "storage.k8s.io"),
    ("validating-webhook-configurations", "validatingwebhookconfigurations", WEBHOOKS),
    ("volumeattachments", "volumeattachments", "storage.k8s.io"),
];

/// Returns the collector's current name of a type: the last in the table.
pub fn troubleshoot_name(plural: &str, group: &str) -> Option<&'static str> {
    let named = TYPES.iter().rev().find(|(_, known, of)| *known == plural && *of == group);
    named.map(|(name, ..)| *name)
}

/// Returns the role of an entry.
fn role(segments: &[&str]) -> Role {
    let found = match segments {
        ["version.yaml"] | ["cluster-info", "cluster_version.json"] => Some(Role::Metadata),
        ["analysis.json"] => Some(Role::Verdicts),
        ["execution-data", "summary.txt"] | ["collector-errors" | "secrets-errors" | "configmaps-errors", ..] => {
            Some(Role::CollectorErrors)
        }
        [.., file] if *file == "errors.json" || file.ends_with("-errors.json") => Some(Role::CollectorErrors),
        ["cluster-resources", rest @ ..] => of_cluster(rest),
        ["longhorn", namespace, rest @ ..] => of_longhorn(namespace, rest),
        ["helm", rest @ ..] => summary(rest, 2, Summary::HelmReleases),
        ["configmaps", rest @ ..] => summary(rest, 3, Summary::ConfigMap),
        ["secrets", rest @ ..] => summary(rest, 3, Summary::Secret),
        // Outputs of commands on hosts, one folder for each host if there are several: journals among them.
        ["host-collectors", "journald" | "run-host", .., file] if file.ends_with(".txt") => Some(Role::Unplaced),
        [collector, pod, file] if !is_own(collector) => log("", pod, file),
        // A pod with one container; the second form is from a collector without a name.
        [collector, file] if !is_own(collector) => log("", "", file),
        [file] => log("", "", file),
        _ => None,
    };
    found.unwrap_or(Role::Other)
}

/// Returns the role of `NAMESPACE.json`, or below it `NAME.json` and `NAME/KEY.json`, up to `most` segments.
fn summary(rest: &[&str], most: usize, of: Summary) -> Option<Role> {
    let is_one = rest.len() <= most && rest.last().is_some_and(|file| file.ends_with(".json"));
    is_one.then_some(Role::Summary(of))
}

/// Returns true for folders in which no collector of a specification writes logs.
fn is_own(folder: &str) -> bool {
    matches!(folder, "cluster-info" | "execution-data" | "host-collectors" | "node-metrics" | "secrets" | "configmaps")
}

fn of_cluster(rest: &[&str]) -> Option<Role> {
    match rest {
        ["pods", "logs", namespace, pod, file] => log(namespace, pod, file),
        ["custom-resources", file] => custom(None, document_stem(file)?),
        ["custom-resources", name, file] => custom(Some(document_stem(file)?), name),
        // Version 0.40 wrote ReplicaSets here.
        ["statefulsets-errors.json", file] => dump(Some(document_stem(file)?), "replicasets"),
        ["resources.json"] => Some(Role::Objects),
        // Some versions omitted the extension.
        [name] => dump(None, document_stem(name).unwrap_or(name)),
        [name, file] => dump(Some(document_stem(file)?), name),
        _ => None,
    }
}

fn dump(namespace: Option<&str>, name: &str) -> Option<Role> {
    let (_, plural, group) = TYPES.iter().find(|(known, ..)| *known == name)?;
    Some(Role::dump(namespace, group, "", plural))
}

/// Returns the role of a list of `PLURAL.GROUP`.
fn custom(namespace: Option<&str>, name: &str) -> Option<Role> {
    let (plural, group) = name.split_once('.')?;
    Some(Role::dump(namespace, group, "", plural))
}

/// Returns the role of a container log: `CONTAINER.log` or `CONTAINER-previous.log`. If `pod` is empty, the file is
/// named after the pod; if `namespace` is empty, it is derived from the pod.
fn log(namespace: &str, pod: &str, file: &str) -> Option<Role> {
    if file.ends_with("-logs-errors.log") {
        return Some(Role::CollectorErrors);
    }
    let name = file.strip_suffix(".log").filter(|name| !name.is_empty())?;
    let (name, previous) = name.strip_suffix("-previous").map_or((name, false), |name| (name, true));
    let (pod, container) = if pod.is_empty() { (name, "") } else { (pod, name) };
    Some(Role::pod_log(namespace, pod, container, previous))
}

/// Returns the role of an entry with one object per file, or of a log of the namespace.
fn of_longhorn(namespace: &str, rest: &[&str]) -> Option<Role> {
    match rest {
        ["logs", pod, file] => log(namespace, pod, file),
        ["logs", file] => log(namespace, "", file),
        [plural, file] => document_stem(file).map(|_| Role::dump(Some(namespace), "longhorn.io", "", plural)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str) -> Role {
        role(&path.split('/').collect::<Vec<_>>())
    }

    #[test]
    fn names_are_unique_and_sorted() {
        assert!(TYPES.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }

    #[test]
    fn lists_of_the_cluster_and_of_namespaces() {
        for (path, namespace, plural, group) in [
            ("nodes.json", None, "nodes", ""),
            ("pvs.json", None, "persistentvolumes", ""),
            ("pvs", None, "persistentvolumes", ""),
            ("clusterRoleBindings.json", None, "clusterrolebindings", RBAC),
            ("custom-resource-definitions.json", None, "customresourcedefinitions", "apiextensions.k8s.io"),
            ("pods/demo.json", Some("demo"), "pods", ""),
            ("ingress/demo.json", Some("demo"), "ingresses", "networking.k8s.io"),
            ("resource-quota/demo.json", Some("demo"), "resourcequotas", ""),
            ("statefulsets-errors.json/demo.json", Some("demo"), "replicasets", "apps"),
            ("custom-resources/addons.k3s.cattle.io.yaml", None, "addons", "k3s.cattle.io"),
            ("custom-resources/volumes.longhorn.io/demo.json", Some("demo"), "volumes", "longhorn.io"),
        ] {
            assert_eq!(of(&format!("cluster-resources/{path}")), Role::dump(namespace, group, "", plural), "{path}");
        }
        assert_eq!(of("longhorn/lh/volumes/pvc-1.yaml"), Role::dump(Some("lh"), "longhorn.io", "", "volumes"));
        assert_eq!(of("cluster-resources/resources.json"), Role::Objects);
    }

    #[test]
    fn collector_specific_files_have_roles() {
        for (path, wanted) in [
            ("helm/demo.json", Summary::HelmReleases),
            ("helm/demo/web.json", Summary::HelmReleases),
            ("configmaps/demo/settings.json", Summary::ConfigMap),
            ("configmaps/demo/settings/mode.json", Summary::ConfigMap),
            ("secrets/demo/login.json", Summary::Secret),
            ("secrets/demo/login/user.json", Summary::Secret),
        ] {
            assert_eq!(of(path), Role::Summary(wanted), "{path}");
        }
        assert_eq!(of("helm/a/b/c.json"), Role::Other);
    }

    #[test]
    fn logs_stand_with_their_pods_and_under_their_collectors() {
        let logs = "cluster-resources/pods/logs/demo/web-0";
        assert_eq!(of(&format!("{logs}/nginx.log")), Role::pod_log("demo", "web-0", "nginx", false));
        assert_eq!(of(&format!("{logs}/nginx-previous.log")), Role::pod_log("demo", "web-0", "nginx", true));
        assert_eq!(of(&format!("{logs}/nginx-logs-errors.log")), Role::CollectorErrors);
        assert_eq!(of("all-logs/web-0/nginx.log"), Role::pod_log("", "web-0", "nginx", false));
        assert_eq!(of("hello/web-0-previous.log"), Role::pod_log("", "web-0", "", true));
        assert_eq!(of("web-0.log"), Role::pod_log("", "web-0", "", false));
        assert_eq!(of("longhorn/lh/logs/manager-1/manager.log"), Role::pod_log("lh", "manager-1", "manager", false));
    }

    #[test]
    fn files_about_the_collector_have_roles() {
        for path in ["version.yaml", "cluster-info/cluster_version.json"] {
            assert_eq!(of(path), Role::Metadata, "{path}");
        }
        assert_eq!(of("analysis.json"), Role::Verdicts);
        for path in [
            "cluster-resources/pods-errors.json",
            "cluster-resources/custom-resources/custom-resources-errors.json",
            "secrets-errors/demo/login.json",
            "collector-errors/helm-error.json",
            "helm/errors.json",
            "all-logs/web-0/nginx-errors.json",
            "execution-data/summary.txt",
        ] {
            assert_eq!(of(path), Role::CollectorErrors, "{path}");
        }
    }

    #[test]
    fn outputs_of_hosts_are_known_by_their_content() {
        for path in ["journald/rke2-agent.txt", "run-host/journalctl-rke2-agent.txt", "run-host/n1/dmesg.txt"] {
            assert_eq!(of(&format!("host-collectors/{path}")), Role::Unplaced, "{path}");
        }
        assert_eq!(of("host-collectors/run-host/dmesg-info.json"), Role::Other);
    }

    #[test]
    fn everything_else_is_listed() {
        for path in [
            "cluster-resources/groups.json",
            "cluster-resources/license.json",
            "cluster-resources/auth-cani-list/demo.json",
            "cluster-resources/image-pull-secrets/demo/login.json",
            "longhorn/lh/volumes/pvc-1/replicachecksums/pvc-1-r-2.txt",
            "longhorn/lh/settings.yaml",
            "host-collectors/system/cpu.json",
            "registry/images.json",
            "-previous/x.log/y/z.log",
            "cluster-resources",
            ".log",
        ] {
            assert_eq!(of(path), Role::Other, "{path}");
        }
    }
}
