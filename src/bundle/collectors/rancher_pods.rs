//! Bundles of rancher-pod-collector: `kubectl cluster-info dump` in YAML, some lists, and logs of Rancher's pods.

use super::document_name::document_stem;
use super::rancher;
use crate::bundle::collectors::marker::Marker;
use crate::bundle::collectors::role::Role;
use crate::bundle::collectors::spec::{CollectorSpec, Description, EmptyLists, HostOf, KindOfBundle};
use crate::model::BundleKind;

pub static COLLECTOR: CollectorSpec = CollectorSpec {
    program: "rancher-pod-collector",
    kind: KindOfBundle::Always(BundleKind::RANCHER),
    markers: &[&NODE_WIDE],
    recognises: |marks| marks.has(&NODE_WIDE),
    role: |segments, _| role(segments),
    host: HostOf { by_name: Some(rancher::host_of), ..HostOf::DEFAULT },
    empty_lists: EmptyLists::Written,
    description: Description::KubectlScript,
    keeps_error_output: true,
    ..CollectorSpec::DEFAULT
};

static NODE_WIDE: Marker =
    Marker::at_root("clusterinfo/get-node-wide", |path| matches!(path, ["clusterinfo", "get-node-wide", ..]));

/// Returns the role of an entry.
fn role(segments: &[&str]) -> Role {
    let found = match segments {
        ["clusterinfo", "get-node-wide"] => Some(Role::table("nodes")),
        ["clusterinfo", "cluster-info-dump", file] => document_stem(file).map(|plural| dumped(None, plural)),
        ["clusterinfo", "cluster-info-dump", namespace, file] => {
            document_stem(file).map(|plural| dumped(Some(namespace), plural))
        }
        ["clusterinfo", "cluster-info-dump", namespace, pod, "logs.txt"] => {
            Some(Role::pod_log(namespace, pod, "", false))
        }
        // Logs of several pods in one file, without pod names.
        ["rancher-logs", "live-logs"] => Some(Role::pod_log("", "live-logs", "", false)),
        ["cattle-system" | "kube-system" | "clusters", file] => document_stem(file).map(|_| Role::Objects),
        _ => None,
    };
    found.unwrap_or(Role::Other)
}

/// Returns the role of a list in the dump: `replication-controllers`, `daemonsets`.
fn dumped(namespace: Option<&str>, name: &str) -> Role {
    let plural = name.replace('-', "");
    let group = if matches!(plural.as_str(), "daemonsets" | "deployments" | "replicasets") { "apps" } else { "" };
    Role::dump(namespace, group, "", &plural)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str) -> Role {
        role(&path.split('/').collect::<Vec<_>>())
    }

    #[test]
    fn lists_logs_and_objects() {
        let dump = "clusterinfo/cluster-info-dump";
        assert_eq!(of(&format!("{dump}/nodes.yaml")), dumped(None, "nodes"));
        let controllers = dumped(Some("cattle-system"), "replicationcontrollers");
        assert_eq!(of(&format!("{dump}/cattle-system/replication-controllers.yaml")), controllers);
        let pod = Role::pod_log("cattle-system", "rancher-1", "", false);
        assert_eq!(of(&format!("{dump}/cattle-system/rancher-1/logs.txt")), pod);
        assert_eq!(of("cattle-system/get-svc.yaml"), Role::Objects);
        assert_eq!(of("clusterinfo/cluster-info"), Role::Other);
    }
}
