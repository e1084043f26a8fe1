//! Trees of Longhorn's own collectors: the manager's bundle before 1.4, and the support script's bundle.

use super::kit_files::{dump, dump_of_family, is_below_yamls, pod_log};
use super::{kit_markers, node_files};
use crate::bundle::collectors::marker::Marker;
use crate::bundle::collectors::role::Role;
use crate::bundle::collectors::spec::{CollectorSpec, EmptyLists, KindOfBundle};
use crate::model::BundleKind;

/// The manager before 1.4, which prints Go structs as YAML.
pub static MANAGER: CollectorSpec = CollectorSpec {
    program: "longhorn-manager",
    kind: KindOfBundle::Always(BundleKind::LONGHORN),
    markers: &[
        &YAMLS_LONGHORN,
        &kit_markers::GENERATION_ERROR,
        &kit_markers::METADATA,
        &kit_markers::NODE_ARCHIVE,
        &kit_markers::POD_LOG,
    ],
    recognises: |marks| marks.has(&YAMLS_LONGHORN),
    role: |segments, _| legacy(segments),
    empty_lists: EmptyLists::WrittenWithoutVersions,
    is_place_for_dumps: is_below_yamls,
    holds_go_structs: |_| true,
    journal_limit: Some(kit_markers::JOURNAL_LIMIT),
    ..CollectorSpec::DEFAULT
};

/// The script for clusters without another collector.
pub static SCRIPT: CollectorSpec = CollectorSpec {
    program: "longhorn collection script",
    kind: KindOfBundle::Always(BundleKind::LONGHORN),
    markers: &[&kit_markers::YAMLS_CLUSTER, &kit_markers::YAMLS_NAMESPACED, &kit_markers::POD_LOG, &NODE_DESCRIPTION],
    recognises: |marks| {
        marks.has(&NODE_DESCRIPTION) && (kit_markers::has_dumps(marks) || marks.has(&kit_markers::POD_LOG))
    },
    role: |segments, _| script(segments),
    empty_lists: EmptyLists::WrittenWithoutVersions,
    is_place_for_dumps: is_below_yamls,
    journal_limit: Some(kit_markers::JOURNAL_LIMIT),
    ..CollectorSpec::DEFAULT
};

static YAMLS_LONGHORN: Marker = Marker::at_root("yamls/longhorn/", |path| matches!(path, ["yamls", "longhorn", _, ..]));
static NODE_DESCRIPTION: Marker = Marker::at_root("nodes/<node>/{description.txt,node.yaml}", |path| {
    matches!(path, ["nodes", _, "description.txt" | "node.yaml"])
});

/// Namespace of everything namespaced that Longhorn's manager collects.
const HOME: &str = "longhorn-system";

/// Cluster-scoped types that the manager collects.
const CLUSTER_WIDE: [&str; 5] =
    ["nodes.yaml", "persistentvolumes.yaml", "priorityclasses.yaml", "storageclasses.yaml", "volumeattachments.yaml"];

/// Returns the role of an entry in a bundle of Longhorn before 1.4.
fn legacy(segments: &[&str]) -> Role {
    let found = match segments {
        ["metadata.yaml"] => Some(Role::Metadata),
        ["bundleGenerationError.log"] => Some(Role::CollectorErrors),
        ["yamls", "kubernetes", file] if CLUSTER_WIDE.contains(file) => dump(None, "", "", file),
        ["yamls", family @ ("kubernetes" | "longhorn"), file] => dump_of_family(Some(HOME), family, file),
        ["logs", pod, file] => pod_log(HOME, pod, file),
        _ => None,
    };
    found.unwrap_or(Role::Other)
}

/// Returns the role of an entry of such a bundle inside other folders.
pub(super) fn below(segments: &[&str]) -> Role {
    let is_top = |name: &&str| matches!(*name, "yamls" | "logs" | "metadata.yaml" | "bundleGenerationError.log");
    let start = segments.iter().take(4).position(is_top);
    start.and_then(|at| segments.get(at..)).map_or(Role::Other, legacy)
}

/// Returns the role of an entry in a bundle of the script.
fn script(segments: &[&str]) -> Role {
    let found = match segments {
        ["yamls", "cluster", "kubernetes", "version.yaml"] => Some(Role::Metadata),
        ["yamls", "cluster", family, file] => dump_of_family(None, family, file),
        ["yamls", "namespaced", namespace, family, file] => dump_of_family(Some(namespace), family, file),
        ["logs", namespace, pod, file] => match file.strip_suffix("-previous.log") {
            Some(container) => pod_log(namespace, pod, &format!("{container}.log.1")),
            None => pod_log(namespace, pod, file),
        },
        ["nodes", node, rest @ ..] if !rest.is_empty() => Some(node_files::role(node, rest)),
        _ => None,
    };
    found.unwrap_or(Role::Other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(path: &str) -> Vec<&str> {
        path.split('/').collect()
    }

    #[test]
    fn bundles_of_the_manager() {
        let role = |path| legacy(&split(path));
        assert_eq!(role("yamls/kubernetes/pods.yaml"), Role::dump(Some(HOME), "", "", "pods"));
        assert_eq!(role("yamls/kubernetes/nodes.yaml"), Role::dump(None, "", "", "nodes"));
        assert_eq!(role("yamls/longhorn/nodes.yaml"), Role::dump(Some(HOME), "longhorn.io", "", "nodes"));
        assert_eq!(
            role("logs/manager-x/longhorn-manager.log"),
            Role::pod_log(HOME, "manager-x", "longhorn-manager", false)
        );
        assert_eq!(role("metadata.yaml"), Role::Metadata);
        assert_eq!(role("yamls/other/pods.yaml"), Role::Other);
    }

    #[test]
    fn one_inside_a_bundle_of_harvester() {
        let role = |path| below(&split(path));
        assert_eq!(role("lh_1/yamls/longhorn/volumes.yaml"), Role::dump(Some(HOME), "longhorn.io", "", "volumes"));
        assert_eq!(role("lh_1/lh_1/logs/p/c.log"), Role::pod_log(HOME, "p", "c", false));
        assert_eq!(role("notes.txt"), Role::Other);
    }

    #[test]
    fn bundles_of_the_script() {
        let role = |path| script(&split(path));
        assert_eq!(role("yamls/cluster/kubernetes/version.yaml"), Role::Metadata);
        assert_eq!(role("yamls/cluster/kubernetes/nodes.yaml"), Role::dump(None, "", "", "nodes"));
        let volumes = "yamls/namespaced/longhorn-system/longhorn/volumes.yaml";
        assert_eq!(role(volumes), Role::dump(Some(HOME), "longhorn.io", "", "volumes"));
        assert_eq!(role("logs/longhorn-system/p/c.log"), Role::pod_log(HOME, "p", "c", false));
        assert_eq!(role("logs/longhorn-system/p/c-previous.log"), Role::pod_log(HOME, "p", "c", true));
        assert_eq!(role("nodes/n1/description.txt"), Role::NodeFile { node: "n1".into() });
    }
}
