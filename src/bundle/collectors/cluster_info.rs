//! Tree of `kubectl cluster-info dump --output-directory`, and its single output file without a folder.
//!
//! From `pkg/cmd/clusterinfo/clusterinfo_dump.go` of kubectl: `nodes.json`, one file per type in each namespace, and
//! the logs of a pod in `<namespace>/<pod>/logs.txt`. With `-o yaml` the files end in `.yaml`.

use super::document_name::document_stem;
use super::generic;
use crate::bundle::collectors::marker::Marker;
use crate::bundle::collectors::role::Role;
use crate::bundle::collectors::spec::{CollectorSpec, EmptyLists, KindOfBundle};
use crate::model::BundleKind;

pub static COLLECTOR: CollectorSpec = CollectorSpec {
    program: "kubectl cluster-info dump",
    kind: KindOfBundle::Always(BundleKind::CLUSTER_INFO),
    markers: &[&NODES, &PODS, &POD_LOGS, &NODES_YAML, &CONTROLLERS, &OUTPUT],
    recognises: |marks| {
        marks.has(&CONTROLLERS)
            || marks.any(&[&NODES, &NODES_YAML]) && marks.has(&POD_LOGS)
            || marks.all(&[&NODES, &PODS])
    },
    recognises_as_last_resort: |marks| marks.has(&OUTPUT),
    role: |segments, _| role(segments),
    empty_lists: EmptyLists::Written,
    has_loose_files: true,
    ..CollectorSpec::DEFAULT
};

pub(super) static NODES: Marker = Marker::at_root("nodes.json", |path| matches!(path, ["nodes.json"]));
static NODES_YAML: Marker = Marker::at_root("nodes.yaml", |path| matches!(path, ["nodes.yaml"]));
static PODS: Marker = Marker::below_any_folder("<namespace>/pods.json", |path| matches!(path, [_, "pods.json"]));
static POD_LOGS: Marker =
    Marker::below_any_folder("<namespace>/<pod>/logs.txt", |path| matches!(path, [_, _, "logs.txt"]));
static CONTROLLERS: Marker = Marker::below_any_folder("<namespace>/replication-controllers", |path| {
    matches!(path, [_, "replication-controllers.json" | "replication-controllers.yaml"])
});
/// Output of the command in one file.
static OUTPUT: Marker =
    Marker::at_root("cluster-info dump", |path| matches!(path, [file] if generic::is_cluster_dump(file))).weak();

/// Returns the role of an entry.
pub(crate) fn role(segments: &[&str]) -> Role {
    let found = match segments {
        [_, _, "logs.txt"] => Some(Role::LogSections { documents: false }),
        [file] => document_stem(file).filter(|stem| *stem == "nodes").map(|stem| Role::dump(None, "", "", stem)),
        [namespace, file] => {
            document_stem(file).and_then(plural).map(|plural| Role::dump(Some(namespace), "", "", plural))
        }
        _ => None,
    };
    // Files that were added to the dump may also be useful.
    found.unwrap_or_else(|| generic::role(segments))
}

/// Returns the plural of a type that has a file in each namespace.
fn plural(stem: &str) -> Option<&str> {
    match stem {
        "replication-controllers" => Some("replicationcontrollers"),
        "daemonsets" | "deployments" | "events" | "pods" | "replicasets" | "services" => Some(stem),
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
    fn types_and_logs_of_each_namespace() {
        assert_eq!(of("nodes.json"), Role::dump(None, "", "", "nodes"));
        assert_eq!(
            of("kube-system/replication-controllers.yaml"),
            Role::dump(Some("kube-system"), "", "", "replicationcontrollers")
        );
        assert_eq!(of("demo/pods.json"), Role::dump(Some("demo"), "", "", "pods"));
        assert_eq!(of("demo/web-0/logs.txt"), Role::LogSections { documents: false });
        assert_eq!(of("demo/secrets.json"), Role::Unplaced);
        assert_eq!(of("nodes/nodes.json"), Role::Unplaced);
    }
}
