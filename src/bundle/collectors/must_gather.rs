//! Tree of `oc adm must-gather`, written by `oc adm inspect` (`pkg/cli/admin/inspect` of oc).
//!
//! `must-gather.local.<number>/` has a folder for each image that collected, with `cluster-scoped-resources` and
//! `namespaces`. A file there is the list of a type, or one object in the folder of its type. The core group is named
//! `core`.

use super::document_name::document_stem;
use crate::bundle::collectors::marker::Marker;
use crate::bundle::collectors::role::Role;
use crate::bundle::collectors::spec::{CollectorSpec, Description, EmptyLists, KindOfBundle};
use crate::model::BundleKind;

pub static COLLECTOR: CollectorSpec = CollectorSpec {
    program: "must-gather",
    kind: KindOfBundle::Always(BundleKind::MUST_GATHER),
    markers: &[&CLUSTER_SCOPED, &NAMESPACE_LOGS],
    recognises: |marks| marks.any(&[&CLUSTER_SCOPED, &NAMESPACE_LOGS]),
    // One folder for each image that collected.
    has_several_folders: true,
    role: |segments, _| role(segments),
    empty_lists: EmptyLists::Written,
    description: Description::MustGather,
    is_place_for_dumps: |segments| matches!(segments, [.., "cluster-scoped-resources", _, _]),
    ..CollectorSpec::DEFAULT
};

static CLUSTER_SCOPED: Marker =
    Marker::at_root("cluster-scoped-resources/", |path| matches!(path, ["cluster-scoped-resources", ..]));
static NAMESPACE_LOGS: Marker = Marker::at_root(
    "namespaces/<ns>/pods/*/*/*/logs/",
    |path| matches!(path, ["namespaces", _, "pods", folders @ .., _] if folders.contains(&"logs")),
);

/// Returns the role of an entry; if several images collected, their folders are around the tree.
pub(crate) fn role(segments: &[&str]) -> Role {
    match segments {
        [.., "version" | "timestamp"] if segments.len() <= 3 => Role::Metadata,
        ["cluster-scoped-resources", group, rest @ ..] => objects(None, group, rest),
        ["namespaces", namespace, rest @ ..] => of_namespace(namespace, rest),
        ["host_service_logs", _, file] => service_log(file).unwrap_or(Role::Other),
        [_, tree @ ("cluster-scoped-resources" | "namespaces" | "host_service_logs"), rest @ ..] => {
            role(&[&[*tree], rest].concat())
        }
        _ => Role::Other,
    }
}

fn of_namespace(namespace: &str, rest: &[&str]) -> Role {
    match rest {
        [file] if document_stem(file).is_some() => Role::Objects,
        ["pods", _, file] if document_stem(file).is_some() => Role::Objects,
        ["pods", pod, _, container, "logs", file] => pod_log(namespace, pod, container, file),
        // Members of a compressed log are below its name.
        ["pods", pod, _, container, "logs", "rotated", file]
        | ["pods", pod, _, container, "logs", "rotated", _, file] => {
            if file.contains(".log") {
                Role::pod_log(namespace, pod, container, false)
            } else {
                Role::Other
            }
        }
        ["pods", ..] => Role::Other,
        [group, rest @ ..] => objects(Some(namespace), group, rest),
        [] => Role::Other,
    }
}

fn objects(namespace: Option<&str>, group: &str, rest: &[&str]) -> Role {
    match rest {
        [file] => document_stem(file)
            .map_or(Role::Other, |plural| Role::dump(namespace, if group == "core" { "" } else { group }, "", plural)),
        [_, file] if document_stem(file).is_some() => Role::Objects,
        _ => Role::Other,
    }
}

/// Returns the role of a pod log; `previous.insecure.log` is the previous log, read without checking the kubelet's
/// certificate.
fn pod_log(namespace: &str, pod: &str, container: &str, file: &str) -> Role {
    match file {
        "current.log" | "current.insecure.log" => Role::pod_log(namespace, pod, container, false),
        "previous.log" | "previous.insecure.log" => Role::pod_log(namespace, pod, container, true),
        _ => Role::Other,
    }
}

/// Returns the role of `kubelet_service.log`: the journal of a unit on all nodes of a role, concatenated.
fn service_log(file: &str) -> Option<Role> {
    let unit = file.strip_suffix("_service.log").or_else(|| file.strip_suffix(".log"))?;
    (!unit.is_empty()).then(|| Role::node_log("", unit, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str) -> Role {
        role(&path.split('/').collect::<Vec<_>>())
    }

    #[test]
    fn lists_and_single_objects() {
        assert_eq!(of("cluster-scoped-resources/core/nodes/n1.yaml"), Role::Objects);
        assert_eq!(
            of("cluster-scoped-resources/core/persistentvolumes.yaml"),
            Role::dump(None, "", "", "persistentvolumes")
        );
        assert_eq!(of("namespaces/demo/core/pods.yaml"), Role::dump(Some("demo"), "", "", "pods"));
        assert_eq!(of("namespaces/demo/apps/deployments.yaml"), Role::dump(Some("demo"), "apps", "", "deployments"));
        assert_eq!(of("namespaces/demo/demo.yaml"), Role::Objects);
        assert_eq!(of("namespaces/demo/pods/web-0/web-0.yaml"), Role::Objects);
        assert_eq!(of("namespaces/demo/route.openshift.io/routes/web.yaml"), Role::Objects);
        assert_eq!(of("quay-io-sha256-1a/namespaces/demo/core/pods.yaml"), Role::dump(Some("demo"), "", "", "pods"));
    }

    #[test]
    fn logs_of_pods_and_hosts() {
        let logs = "namespaces/demo/pods/web-0/nginx/nginx/logs";
        let current = Role::pod_log("demo", "web-0", "nginx", false);
        assert_eq!(of(&format!("{logs}/current.log")), current);
        assert_eq!(of(&format!("{logs}/previous.insecure.log")), Role::pod_log("demo", "web-0", "nginx", true));
        assert_eq!(of(&format!("{logs}/rotated/0.log.20240306-101530")), current);
        assert_eq!(of(&format!("{logs}/rotated/0.log.20240306-101530/0.log.20240306-101530")), current);
        let kubelet = Role::node_log("", "kubelet", 0);
        assert_eq!(of("host_service_logs/masters/kubelet_service.log"), kubelet);
    }

    #[test]
    fn the_rest() {
        assert_eq!(of("timestamp"), Role::Metadata);
        assert_eq!(of("must-gather.local.1/quay-io-sha256-1a/version"), Role::Metadata);
        for path in
            ["event-filter.html", "etcd_info/endpoint_status.json", "namespaces/demo/pods/web-0/nginx/probe.txt"]
        {
            assert_eq!(of(path), Role::Other, "{path}");
        }
    }
}
