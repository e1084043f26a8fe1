//! The [`Role`] of each entry by its place in the tree of the support-bundle-kit (Harvester, Longhorn); that of other
//! collectors is told in modules of their own.

use crate::bundle::kind::Kind;
use crate::bundle::path::without_ending;
use crate::bundle::rancher;

/// What an entry is good for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// A list of Kubernetes objects of one type.
    Dump {
        /// None for cluster-scoped types.
        namespace: Option<String>,
        /// Empty for the core group.
        group: String,
        /// Empty in the layouts before 2021-09, which state neither group nor version: the objects do.
        version: String,
        /// The resource as the API names it, e.g. `virtualmachineinstances`.
        plural: String,
    },
    /// Objects of one type as a table that kubectl printed.
    Table {
        /// What kubectl was asked for: a plural with or without group, or a short name such as `pvc`.
        word: String,
    },
    /// The logs of all containers of a pod, one behind the other.
    PodLogs {
        /// Namespace and pod with a dash between them; both may hold dashes, too.
        name: String,
        /// Of the container instances before the current ones.
        previous: bool,
    },
    /// The log of one container.
    PodLog {
        namespace: String,
        pod: String,
        container: String,
        /// Of the container instance before the current one.
        previous: bool,
    },
    /// A log of the host.
    NodeLog {
        node: String,
        /// `kernel` for `kernel.log` and `kernel.log.1`.
        unit: String,
        /// 0 is the current one, 1 the one before.
        generation: u32,
    },
    /// Any other file of the host.
    NodeFile {
        node: String,
    },
    /// The bundle's own description.
    Metadata,
    /// What the collector could not collect.
    CollectorErrors,
    /// An archive or a compressed file; its members are entries of their own where it can be read.
    Archive,
    Other,
}

/// The role of an entry in a bundle of this kind.
///
/// `logical` has no archive layers, `bundle` is the name of the container and stands for the node when a node's files
/// are given without the folder that names it; of a collection of one node it is the name of that node.
pub(crate) fn role(kind: Kind, logical: &str, archive: bool, bundle: &str) -> Role {
    if archive {
        return Role::Archive;
    }
    let segments: Vec<&str> = logical.split('/').collect();
    match kind {
        Kind::Harvester | Kind::Longhorn | Kind::Generic => kit_role(&segments),
        Kind::Node => match segments.as_slice() {
            ["configs" | "logs" | "hostinfos" | "scc", ..] => node_role(without_ending(bundle), &segments),
            [node, rest @ ..] if !rest.is_empty() => node_role(node, rest),
            _ => Role::Other,
        },
        Kind::Rancher => rancher::role(&segments, bundle),
        _ => Role::Other,
    }
}

fn kit_role(segments: &[&str]) -> Role {
    match segments {
        ["metadata.yaml"] => Role::Metadata,
        ["bundleGenerationError.log"] => Role::CollectorErrors,
        ["yamls", "cluster", rest @ ..] => dump(None, rest).unwrap_or(Role::Other),
        ["yamls", "namespaced", namespace, rest @ ..] => dump(Some(namespace), rest).unwrap_or(Role::Other),
        ["logs", namespace, pod, file] => pod_log(namespace, pod, file).unwrap_or(Role::Other),
        // The archive was renamed: the folder in it still names the node.
        ["nodes", _, node, rest @ ..] if is_node_tree(rest) => node_role(node, rest),
        ["nodes", node, rest @ ..] if !rest.is_empty() => node_role(node, rest),
        _ => Role::Other,
    }
}

fn is_node_tree(rest: &[&str]) -> bool {
    matches!(rest, ["logs" | "configs" | "hostinfos" | "scc", _, ..])
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

/// `v1`, `v1beta1`, `v2alpha3`.
fn is_version(text: &str) -> bool {
    let digits = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let Some(rest) = text.strip_prefix('v') else { return false };
    let (major, rest) = rest.split_at(digits(rest));
    let tail = rest.strip_prefix("alpha").or_else(|| rest.strip_prefix("beta"));
    !major.is_empty() && (rest.is_empty() || tail.is_some_and(|tail| !tail.is_empty() && digits(tail) == tail.len()))
}

fn pod_log(namespace: &str, pod: &str, file: &str) -> Option<Role> {
    let (container, previous) = match file.strip_suffix(".log") {
        Some(container) => (container, false),
        None => (file.strip_suffix(".log.1")?, true),
    };
    let owned = str::to_owned;
    Some(Role::PodLog { namespace: owned(namespace), pod: owned(pod), container: owned(container), previous })
}

fn node_role(node: &str, rest: &[&str]) -> Role {
    let log = match rest {
        ["logs", file] => node_log(file),
        _ => None,
    };
    let node = node.to_owned();
    match log {
        Some((unit, generation)) => Role::NodeLog { node, unit: unit.to_owned(), generation },
        None => Role::NodeFile { node },
    }
}

/// Unit and generation of `kernel.log`, `kernel.log.1`, `syslog`, `messages.2`.
pub(super) fn node_log(file: &str) -> Option<(&str, u32)> {
    let (name, generation) = match file.rsplit_once('.').map(|(name, number)| (name, number.parse())) {
        Some((name, Ok(generation))) => (name, generation),
        _ => (file, 0),
    };
    match name.strip_suffix(".log") {
        Some(unit) if !unit.is_empty() => Some((unit, generation)),
        _ if name.starts_with("syslog") || name.starts_with("messages") => {
            (without_ending(name) == name).then_some((name, generation))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kit(path: &str) -> Role {
        role(Kind::Harvester, path, false, "")
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
        assert_eq!(role(Kind::Troubleshoot, "yamls/cluster/v1/nodes.yaml", false, ""), Role::Other);
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
        assert_eq!(role(Kind::Harvester, "nodes/n1.zip", true, ""), Role::Archive);
    }

    #[test]
    fn a_node_given_alone() {
        assert_eq!(role(Kind::Node, "n1/logs/kernel.log.1", false, "x.zip"), node_logged("kernel", 1));
        assert_eq!(role(Kind::Node, "logs/kernel.log", false, "n1.zip"), node_logged("kernel", 0));
    }

    #[test]
    fn versions() {
        assert!(["v1", "v1beta1", "v2alpha3", "v10"].iter().all(|text| is_version(text)));
        assert!(
            ["", "v", "vbeta1", "1", "v1x", "kubernetes", "v1gamma1", "v1beta"].iter().all(|text| !is_version(text))
        );
    }
}
