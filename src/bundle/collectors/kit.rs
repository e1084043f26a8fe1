//! The tree of the support-bundle-kit, which Harvester and Longhorn use.

use super::layout::Role;
use super::{longhorn, node};

/// Whether an entry is only in bundles of Harvester.
pub(crate) fn is_harvester(path: &str) -> bool {
    path.starts_with("yamls/cluster/harvesterhci.io/")
        || path.starts_with("yamls/namespaced/harvester-system/")
        || path.starts_with("yamls/namespaced/") && path.contains("/harvesterhci.io/")
        || path.starts_with("logs/harvester-system/")
        || path.starts_with("yamls/cluster/harvester/")
        || path.starts_with("yamls/namespaced/") && path.contains("/harvester/")
        || path.starts_with("yamls/harvester/")
        || path.starts_with("nodes/") && path.ends_with("/configs/etc/harvester-release.yaml")
}

/// Whether an entry is only in bundles of clusters with Longhorn.
pub(crate) fn is_longhorn(path: &str) -> bool {
    path.starts_with("yamls/namespaced/longhorn-system/")
        || path.starts_with("logs/longhorn-system/")
        || path.starts_with("nodes/") && path.contains("/hostinfos/")
}

/// The role of an entry.
pub(crate) fn role(segments: &[&str]) -> Role {
    match segments {
        ["metadata.yaml"] => Role::Metadata,
        ["bundleGenerationError.log"] => Role::CollectorErrors,
        // Harvester 0.1 to 0.3 asked Longhorn for a bundle of its own.
        ["external", rest @ ..] => longhorn::below(rest),
        ["yamls", "cluster", rest @ ..] => dump(None, rest).unwrap_or(Role::Other),
        ["yamls", "namespaced", namespace, rest @ ..] => dump(Some(namespace), rest).unwrap_or(Role::Other),
        // Before 2021-05 the family came first.
        ["yamls", family, file] => of_family(None, family, file).unwrap_or(Role::Other),
        ["yamls", family, namespace, file] => of_family(Some(namespace), family, file).unwrap_or(Role::Other),
        ["logs", namespace, pod, file] => pod_log(namespace, pod, file).unwrap_or(Role::Other),
        // The archive was renamed: the folder in it still names the node.
        ["nodes", _, node, rest @ ..] if node::is_tree(rest) => node::role(node, rest),
        ["nodes", node, rest @ ..] if !rest.is_empty() => node::role(node, rest),
        _ => Role::Other,
    }
}

fn dump(namespace: Option<&str>, rest: &[&str]) -> Option<Role> {
    match rest {
        [group, version, file] => dumped(namespace, group, version, file),
        [version, file] if is_version(version) => dumped(namespace, "", version, file),
        [family, file] => of_family(namespace, family, file),
        // support-bundle-kit 0.0.1 and 0.0.2.
        [file] => dumped(namespace, "*", "", file),
        _ => None,
    }
}

/// A dump of Harvester 0.1 to 0.3, which sorted types by the project that they come from.
pub(crate) fn of_family(namespace: Option<&str>, family: &str, file: &str) -> Option<Role> {
    let group = match family {
        "kubernetes" if matches!(file, "nodemetrics.yaml" | "podmetrics.yaml") => {
            return dumped(namespace, "metrics.k8s.io", "", &file.replace("metrics", "s"));
        }
        "kubernetes" => "",
        "harvester" => "harvesterhci.io",
        "kubevirt" => "kubevirt.io",
        "cdi" => "cdi.kubevirt.io",
        "longhorn" => "longhorn.io",
        _ => return None,
    };
    dumped(namespace, group, "", file)
}

pub(crate) fn dumped(namespace: Option<&str>, group: &str, version: &str, file: &str) -> Option<Role> {
    let plural = file.strip_suffix(".yaml").filter(|plural| !plural.is_empty())?;
    Some(Role::Dump {
        namespace: namespace.map(str::to_owned),
        group: group.to_owned(),
        version: version.to_owned(),
        plural: plural.to_owned(),
    })
}

pub(crate) fn pod_log(namespace: &str, pod: &str, file: &str) -> Option<Role> {
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

    fn dump_of(namespace: Option<&str>, group: &str, version: &str, plural: &str) -> Role {
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
        assert_eq!(kit("yamls/cluster/v1/nodes.yaml"), dump_of(None, "", "v1", "nodes"));
        assert_eq!(kit("yamls/cluster/longhorn.io/v1beta2/x.yaml"), dump_of(None, "longhorn.io", "v1beta2", "x"));
        assert_eq!(kit("yamls/namespaced/local/v1/pods.yaml"), dump_of(Some("local"), "", "v1", "pods"));
        assert_eq!(
            kit("yamls/namespaced/v1/apps/v1/deployments.yaml"),
            dump_of(Some("v1"), "apps", "v1", "deployments")
        );
        assert_eq!(kit("yamls/namespaced/v1/v1/pods.yaml"), dump_of(Some("v1"), "", "v1", "pods"));
        let plural = "network-attachment-definitions";
        assert_eq!(
            kit(&format!("yamls/namespaced/a/k8s.cni.cncf.io/v1/{plural}.yaml")),
            dump_of(Some("a"), "k8s.cni.cncf.io", "v1", plural)
        );
    }

    #[test]
    fn dumps_before_the_current_layout() {
        assert_eq!(kit("yamls/cluster/kubernetes/nodes.yaml"), dump_of(None, "", "", "nodes"));
        assert_eq!(kit("yamls/cluster/nodes.yaml"), dump_of(None, "*", "", "nodes"));
        assert_eq!(kit("yamls/namespaced/a/settings.yaml"), dump_of(Some("a"), "*", "", "settings"));
        let settings = |namespace| dump_of(namespace, "harvesterhci.io", "", "settings");
        assert_eq!(kit("yamls/cluster/harvester/settings.yaml"), settings(None));
        assert_eq!(kit("yamls/namespaced/a/harvester/settings.yaml"), settings(Some("a")));
        assert_eq!(kit("yamls/harvester/a/settings.yaml"), settings(Some("a")));
        assert_eq!(kit("yamls/kubernetes/nodes.yaml"), dump_of(None, "", "", "nodes"));
        assert_eq!(kit("yamls/cluster/kubernetes/nodemetrics.yaml"), dump_of(None, "metrics.k8s.io", "", "nodes"));
        let volumes = dump_of(Some("a"), "cdi.kubevirt.io", "", "datavolumes");
        assert_eq!(kit("yamls/namespaced/a/cdi/datavolumes.yaml"), volumes);
    }

    #[test]
    fn no_dumps() {
        for path in
            ["yamls/cluster/v1/.DS_Store", "yamls/cluster/v1/.yaml", "yamls/cluster/a/b/c/d.yaml", "yamls/x.yaml"]
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
