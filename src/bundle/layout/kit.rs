//! The tree of the support-bundle-kit, which Harvester and Longhorn use.

use super::{Role, node};

/// Whether an entry is only in bundles of Harvester.
pub(super) fn is_harvester(path: &str) -> bool {
    path.starts_with("yamls/cluster/harvesterhci.io/")
        || path.starts_with("yamls/namespaced/harvester-system/")
        || path.starts_with("yamls/namespaced/") && path.contains("/harvesterhci.io/")
        || path.starts_with("logs/harvester-system/")
        || path.starts_with("yamls/cluster/harvester/")
        || path.starts_with("nodes/") && path.ends_with("/configs/etc/harvester-release.yaml")
}

/// Whether an entry is only in bundles of clusters with Longhorn.
pub(super) fn is_longhorn(path: &str) -> bool {
    path.starts_with("yamls/namespaced/longhorn-system/")
        || path.starts_with("logs/longhorn-system/")
        || path.starts_with("nodes/") && path.contains("/hostinfos/")
}

/// The role of an entry.
pub(super) fn role(segments: &[&str]) -> Role {
    match segments {
        ["metadata.yaml"] => Role::Metadata,
        ["bundleGenerationError.log"] => Role::CollectorErrors,
        ["yamls", "cluster", rest @ ..] => dump(None, rest).unwrap_or(Role::Other),
        ["yamls", "namespaced", namespace, rest @ ..] => dump(Some(namespace), rest).unwrap_or(Role::Other),
        ["logs", namespace, pod, file] => pod_log(namespace, pod, file).unwrap_or(Role::Other),
        // The archive was renamed: the folder in it still names the node.
        ["nodes", _, node, rest @ ..] if node::is_tree(rest) => node::role(node, rest),
        ["nodes", node, rest @ ..] if !rest.is_empty() => node::role(node, rest),
        _ => Role::Other,
    }
}

fn dump(namespace: Option<&str>, rest: &[&str]) -> Option<Role> {
    let (group, version, file) = match rest {
        [group, version, file] => (*group, *version, *file),
        [version, file] if is_version(version) => ("", *version, *file),
        // Before 2021-09: `kubernetes/nodes.yaml`, `harvester/settings.yaml`, or just `nodes.yaml`.
        [_, file] | [file] => ("", "", *file),
        _ => return None,
    };
    let plural = file.strip_suffix(".yaml").filter(|plural| !plural.is_empty())?;
    Some(Role::Dump {
        namespace: namespace.map(str::to_owned),
        group: group.to_owned(),
        version: version.to_owned(),
        plural: plural.to_owned(),
    })
}

fn pod_log(namespace: &str, pod: &str, file: &str) -> Option<Role> {
    let (container, previous) = match file.strip_suffix(".log") {
        Some(container) => (container, false),
        None => (file.strip_suffix(".log.1")?, true),
    };
    let owned = str::to_owned;
    Some(Role::PodLog { namespace: owned(namespace), pod: owned(pod), container: owned(container), previous })
}

/// `v1`, `v1beta1`, `v2alpha3`.
fn is_version(text: &str) -> bool {
    let digits = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let Some(rest) = text.strip_prefix('v') else { return false };
    let (major, rest) = rest.split_at(digits(rest));
    let tail = rest.strip_prefix("alpha").or_else(|| rest.strip_prefix("beta"));
    !major.is_empty() && (rest.is_empty() || tail.is_some_and(|tail| !tail.is_empty() && digits(tail) == tail.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kit(path: &str) -> Role {
        role(&path.split('/').collect::<Vec<_>>())
    }

    fn dumped(namespace: Option<&str>, group: &str, version: &str, plural: &str) -> Role {
        let owned = str::to_owned;
        Role::Dump {
            namespace: namespace.map(owned),
            group: owned(group),
            version: owned(version),
            plural: owned(plural),
        }
    }

    fn node_logged(unit: &str, generation: u32) -> Role {
        Role::NodeLog { node: "n1".into(), unit: unit.into(), generation }
    }

    #[test]
    fn dumps() {
        assert_eq!(kit("yamls/cluster/v1/nodes.yaml"), dumped(None, "", "v1", "nodes"));
        assert_eq!(kit("yamls/cluster/longhorn.io/v1beta2/x.yaml"), dumped(None, "longhorn.io", "v1beta2", "x"));
        assert_eq!(kit("yamls/namespaced/local/v1/pods.yaml"), dumped(Some("local"), "", "v1", "pods"));
        assert_eq!(
            kit("yamls/namespaced/v1/apps/v1/deployments.yaml"),
            dumped(Some("v1"), "apps", "v1", "deployments")
        );
        assert_eq!(kit("yamls/namespaced/v1/v1/pods.yaml"), dumped(Some("v1"), "", "v1", "pods"));
        let plural = "network-attachment-definitions";
        assert_eq!(
            kit(&format!("yamls/namespaced/a/k8s.cni.cncf.io/v1/{plural}.yaml")),
            dumped(Some("a"), "k8s.cni.cncf.io", "v1", plural)
        );
    }

    #[test]
    fn dumps_before_the_current_layout() {
        assert_eq!(kit("yamls/cluster/kubernetes/nodes.yaml"), dumped(None, "", "", "nodes"));
        assert_eq!(kit("yamls/cluster/nodes.yaml"), dumped(None, "", "", "nodes"));
        assert_eq!(kit("yamls/namespaced/a/harvester/settings.yaml"), dumped(Some("a"), "", "", "settings"));
    }

    #[test]
    fn no_dumps() {
        for path in
            ["yamls/cluster/v1/notes.txt", "yamls/cluster/v1/.yaml", "yamls/cluster/a/b/c/d.yaml", "yamls/x.yaml"]
        {
            assert_eq!(kit(path), Role::Other, "{path}");
        }
    }

    #[test]
    fn logs() {
        let log = |previous| Role::PodLog { namespace: "a".into(), pod: "p-0".into(), container: "c".into(), previous };
        assert_eq!(kit("logs/a/p-0/c.log"), log(false));
        assert_eq!(kit("logs/a/p-0/c.log.1"), log(true));
        assert_eq!(kit("logs/a/p-0/c.txt"), Role::Other);
        assert_eq!(kit("nodes/n1/logs/kernel.log"), node_logged("kernel", 0));
        assert_eq!(kit("nodes/n1/logs/kernel.log.2"), node_logged("kernel", 2));
        assert_eq!(kit("nodes/n1/logs/syslog"), node_logged("syslog", 0));
        assert_eq!(kit("nodes/n1/logs/syslog.1"), node_logged("syslog", 1));
        assert_eq!(kit("nodes/n1 (1)/n1/logs/rke2-server.log"), node_logged("rke2-server", 0));
    }

    #[test]
    fn files_of_nodes_and_of_the_bundle() {
        let file = Role::NodeFile { node: "n1".into() };
        assert_eq!(kit("nodes/n1/configs/etc/harvester-release.yaml"), file);
        assert_eq!(kit("nodes/n1/logs/syslog.2.gz"), file);
        assert_eq!(kit("nodes/n1/hostname"), file);
        assert_eq!(kit("metadata.yaml"), Role::Metadata);
        assert_eq!(kit("bundleGenerationError.log"), Role::CollectorErrors);
        assert_eq!(kit("x/metadata.yaml"), Role::Other);
    }

    #[test]
    fn versions() {
        assert!(["v1", "v1beta1", "v2alpha3", "v10"].iter().all(|text| is_version(text)));
        assert!(
            ["", "v", "vbeta1", "1", "v1x", "kubernetes", "v1gamma1", "v1beta"].iter().all(|text| !is_version(text))
        );
    }
}
