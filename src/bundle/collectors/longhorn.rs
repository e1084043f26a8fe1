//! The trees of Longhorn's own collectors: the bundle of its manager before 1.4, and that of the script for the field.

use super::kit::{dumped, of_family, pod_log};
use super::layout::Role;
use super::node;

/// Everything that Longhorn's manager collects with a namespace is in this one.
const HOME: &str = "longhorn-system";

/// Types without a namespace among those that the manager collects.
const CLUSTER_WIDE: [&str; 5] =
    ["nodes.yaml", "persistentvolumes.yaml", "priorityclasses.yaml", "storageclasses.yaml", "volumeattachments.yaml"];

/// The role of an entry in a bundle of Longhorn before 1.4.
pub(crate) fn legacy(segments: &[&str]) -> Role {
    let found = match segments {
        ["metadata.yaml"] => Some(Role::Metadata),
        ["bundleGenerationError.log"] => Some(Role::CollectorErrors),
        ["yamls", "kubernetes", file] if CLUSTER_WIDE.contains(file) => dumped(None, "", "", file),
        ["yamls", family @ ("kubernetes" | "longhorn"), file] => of_family(Some(HOME), family, file),
        ["logs", pod, file] => pod_log(HOME, pod, file),
        _ => None,
    };
    found.unwrap_or(Role::Other)
}

/// The role of an entry of such a bundle that lies below other folders.
pub(crate) fn below(segments: &[&str]) -> Role {
    let is_top = |name: &&str| matches!(*name, "yamls" | "logs" | "metadata.yaml" | "bundleGenerationError.log");
    let start = segments.iter().take(4).position(is_top);
    start.and_then(|at| segments.get(at..)).map_or(Role::Other, legacy)
}

/// The role of an entry in a bundle of the script.
pub(crate) fn script(segments: &[&str]) -> Role {
    let found = match segments {
        ["yamls", "cluster", "kubernetes", "version.yaml"] => Some(Role::Metadata),
        ["yamls", "cluster", family, file] => of_family(None, family, file),
        ["yamls", "namespaced", namespace, family, file] => of_family(Some(namespace), family, file),
        ["logs", namespace, pod, file] => match file.strip_suffix("-previous.log") {
            Some(container) => pod_log(namespace, pod, &format!("{container}.log.1")),
            None => pod_log(namespace, pod, file),
        },
        ["nodes", node, rest @ ..] if !rest.is_empty() => Some(node::role(node, rest)),
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

    fn dump(namespace: Option<&str>, group: &str, plural: &str) -> Role {
        let namespace = namespace.map(str::to_owned);
        Role::Dump { namespace, group: group.into(), version: String::new(), plural: plural.into() }
    }

    fn log(pod: &str, container: &str, previous: bool) -> Role {
        Role::PodLog { namespace: HOME.into(), pod: pod.into(), container: container.into(), previous }
    }

    #[test]
    fn bundles_of_the_manager() {
        let role = |path| legacy(&split(path));
        assert_eq!(role("yamls/kubernetes/pods.yaml"), dump(Some(HOME), "", "pods"));
        assert_eq!(role("yamls/kubernetes/nodes.yaml"), dump(None, "", "nodes"));
        assert_eq!(role("yamls/longhorn/nodes.yaml"), dump(Some(HOME), "longhorn.io", "nodes"));
        assert_eq!(role("logs/manager-x/longhorn-manager.log"), log("manager-x", "longhorn-manager", false));
        assert_eq!(role("metadata.yaml"), Role::Metadata);
        assert_eq!(role("yamls/other/pods.yaml"), Role::Other);
    }

    #[test]
    fn one_inside_a_bundle_of_harvester() {
        let role = |path| below(&split(path));
        assert_eq!(role("lh_1/yamls/longhorn/volumes.yaml"), dump(Some(HOME), "longhorn.io", "volumes"));
        assert_eq!(role("lh_1/lh_1/logs/p/c.log"), log("p", "c", false));
        assert_eq!(role("notes.txt"), Role::Other);
    }

    #[test]
    fn bundles_of_the_script() {
        let role = |path| script(&split(path));
        assert_eq!(role("yamls/cluster/kubernetes/version.yaml"), Role::Metadata);
        assert_eq!(role("yamls/cluster/kubernetes/nodes.yaml"), dump(None, "", "nodes"));
        let volumes = "yamls/namespaced/longhorn-system/longhorn/volumes.yaml";
        assert_eq!(role(volumes), dump(Some(HOME), "longhorn.io", "volumes"));
        assert_eq!(role("logs/longhorn-system/p/c.log"), log("p", "c", false));
        assert_eq!(role("logs/longhorn-system/p/c-previous.log"), log("p", "c", true));
        assert_eq!(role("nodes/n1/description.txt"), Role::NodeFile { node: "n1".into() });
    }
}
