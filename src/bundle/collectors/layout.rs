//! Layouts of bundles: how each collector arranges what it collects, and the [`Role`] of each entry therein.
//!
//! A [`Layout`] is told by markers. Each has a module of its own, which gives an entry its role by its place in the tree.

use super::{
    cluster_info, generic, kit, longhorn, must_gather, node, rancher, scripts, sosreport, supportability,
    supportconfig, troubleshoot, windows,
};
use crate::bundle::collectors::kind::Kind;
use crate::bundle::collectors::markers::*;
use crate::bundle::path::without_ending;

/// What markers say: the layout, and the program that writes it. Order is precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layout {
    Troubleshoot,
    /// Longhorn before 1.4: Go structs as YAML.
    LonghornLegacy,
    /// The script that collects Longhorn where there is nothing else.
    LonghornScript,
    /// support-bundle-kit, of Harvester or of Longhorn.
    Kit,
    MustGather,
    Supportconfig,
    Node,
    SupportabilityNode,
    Rancher,
    SupportabilityCluster,
    RancherWindows,
    RancherPods,
    Scc,
    Profiles,
    ClusterInfo,
    Sosreport,
    /// Nothing else and some files that a kit bundle could have.
    TrimmedKit,
}

impl Layout {
    pub(crate) fn of(marks: u64) -> Option<Self> {
        let any = |bits: u64| marks & bits != 0;
        let all = |bits: u64| marks & bits == bits;
        if any(CLUSTER_RESOURCES | HOST_COLLECTORS) && any(ANALYSIS | CLUSTER_INFO | VERSION | CLUSTER_RESOURCES) {
            Some(Self::Troubleshoot)
        } else if any(YAMLS_LONGHORN) {
            Some(Self::LonghornLegacy)
        } else if any(NODE_DESCRIPTION) && any(YAMLS_CLUSTER | YAMLS_NAMESPACED | KIT_LOG) {
            Some(Self::LonghornScript)
        } else if any(YAMLS_CLUSTER | YAMLS_NAMESPACED | YAMLS_FAMILY) || all(GENERATION_ERROR | METADATA) {
            Some(Self::Kit)
        } else if any(CLUSTER_SCOPED | NAMESPACE_LOGS) {
            Some(Self::MustGather)
        } else if any(BASIC_ENVIRONMENT) {
            Some(Self::Supportconfig)
        } else if any(OEM | HOSTINFO) {
            Some(Self::Node)
        } else {
            Self::of_hosts(marks)
        }
    }

    fn of_hosts(marks: u64) -> Option<Self> {
        let any = |bits: u64| marks & bits != 0;
        let all = |bits: u64| marks & bits == bits;
        if all(SYSTEMINFO | NETWORKING) && any(KUBELET_CONFIG | HOST_LISTING) && !any(COLLECTOR_OUTPUT) {
            Some(Self::SupportabilityNode)
        } else if any(COLLECTOR_OUTPUT) || all(SYSTEMINFO | NETWORKING) {
            Some(Self::Rancher)
        } else if all(CRDS | NODES | API_VERSION) || any(PLUGINS) {
            Some(Self::SupportabilityCluster)
        } else if all(EVENT_LOGS | HNS) {
            Some(Self::RancherWindows)
        } else if any(NODE_WIDE) {
            Some(Self::RancherPods)
        } else if any(METADATA_TEXT) && any(OPERATOR_PODS) {
            Some(Self::Scc)
        } else if any(TIMESTAMPS) && any(TOP_PODS) {
            Some(Self::Profiles)
        } else if any(CONTROLLERS) || any(NODES | NODES_YAML) && any(POD_LOGS) || all(NODES | PODS) {
            Some(Self::ClusterInfo)
        } else if any(SOS) {
            Some(Self::Sosreport)
        } else if any(NODE_ARCHIVE | KIT_LOG) {
            Some(Self::TrimmedKit)
        } else if any(NODE_LOG) {
            Some(Self::Node)
        } else {
            any(CLUSTER_DUMP).then_some(Self::ClusterInfo)
        }
    }

    /// The program, by the name of its project.
    pub(crate) fn collector(self) -> &'static str {
        match self {
            Self::Troubleshoot => "troubleshoot",
            Self::LonghornLegacy => "longhorn-manager",
            Self::LonghornScript => "longhorn collection script",
            Self::Kit | Self::TrimmedKit | Self::Node => "support-bundle-kit",
            Self::MustGather => "must-gather",
            Self::Supportconfig => "supportconfig",
            Self::SupportabilityNode | Self::SupportabilityCluster => "supportability-review",
            Self::Rancher => "rancher2_logs_collector",
            Self::RancherWindows => "rancher windows log collector",
            Self::RancherPods => "rancher-pod-collector",
            Self::Scc => "SCC operator collector",
            Self::Profiles => "rancher profile collector",
            Self::ClusterInfo => "kubectl cluster-info dump",
            Self::Sosreport => "sosreport",
        }
    }

    /// The kind of bundle, with the paths of all entries, nested ones included, to tell the kit's users apart.
    pub(crate) fn kind<'p>(self, mut paths: impl Iterator<Item = &'p str> + Clone) -> Kind {
        match self {
            Self::Kit | Self::TrimmedKit if paths.clone().any(kit::is_harvester) => Kind::Harvester,
            Self::Kit | Self::TrimmedKit if paths.any(kit::is_longhorn) => Kind::Longhorn,
            Self::Kit | Self::TrimmedKit => Kind::Generic,
            Self::Troubleshoot => Kind::Troubleshoot,
            Self::LonghornLegacy | Self::LonghornScript => Kind::Longhorn,
            Self::MustGather => Kind::MustGather,
            Self::Supportconfig => Kind::Supportconfig,
            Self::Node => Kind::Node,
            Self::SupportabilityNode | Self::SupportabilityCluster => Kind::Supportability,
            Self::Rancher | Self::RancherWindows | Self::RancherPods => Kind::Rancher,
            Self::Scc | Self::Profiles => Kind::Generic,
            Self::ClusterInfo => Kind::ClusterInfo,
            Self::Sosreport => Kind::Sosreport,
        }
    }
}

/// What an entry is good for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// A list of Kubernetes objects of one type.
    Dump {
        /// None for cluster-scoped types.
        namespace: Option<String>,
        /// Empty for the core group, `*` where the path does not tell it: the objects do.
        group: String,
        /// Empty where the path does not tell it; with an empty group it is then any of Kubernetes' own.
        version: String,
        /// The resource as the API names it, e.g. `virtualmachineinstances`.
        plural: String,
    },
    /// Documents whose path does not tell of what type their objects are, if they are objects at all; which others there
    /// are it does not say.
    Objects,
    /// Objects of one type as a table that kubectl printed.
    Table {
        /// What kubectl was asked for: a plural with or without group, or a short name such as `pvc`.
        word: String,
    },
    /// Objects of one type as `kubectl describe` printed them, one behind the other.
    Described {
        /// A plural, as in [`Role::Table`].
        word: String,
        /// None for cluster-scoped types.
        namespace: Option<String>,
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
        /// Empty where the path does not name it.
        namespace: String,
        pod: String,
        container: String,
        /// Of the container instance before the current one.
        previous: bool,
    },
    /// Logs of containers between headings, as `kubectl cluster-info dump` writes them.
    LogSections {
        /// Between the sections stand documents of objects, each of which is the list of a type in a namespace.
        documents: bool,
    },
    /// A file that no collector placed: whether it holds objects or a table of kubectl is told by its content. What it
    /// does not hold proves nothing.
    Unplaced,
    /// A log of the host.
    NodeLog {
        /// Empty where nobody says of which.
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
    /// A text of supportconfig: what commands printed, files and logs of the host, each below a heading.
    Supportconfig {
        node: String,
    },
    /// Objects in a form of the collector's own, which tells a part of them.
    Summary(Summary),
    /// The bundle's own description.
    Metadata,
    /// What the collector could not collect.
    CollectorErrors,
    /// An archive or a compressed file; its members are entries of their own where it can be read.
    Archive,
    Other,
}

/// What the collectors `helm`, `configMap` and `secret` of troubleshoot.sh write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Summary {
    /// `[{releaseName, chart, chartVersion, namespace, releaseHistory: [{revision, date, status}]}]`
    HelmReleases,
    /// `{namespace, name, configMapExists, key, keyExists, value, data}`
    ConfigMap,
    /// `{namespace, name, secretExists, key, keyExists, value}`
    Secret,
}

/// Whether objects of an entry are printed from Go structs: those that Longhorn before 1.4 wrote, also inside of a bundle
/// of Harvester.
pub(crate) fn holds_go_structs(layout: Option<Layout>, logical: &str) -> bool {
    layout == Some(Layout::LonghornLegacy) || layout == Some(Layout::Kit) && logical.starts_with("external/")
}

impl Role {
    /// The node that it is of, where the place in the tree says so.
    pub fn node(&self) -> Option<&str> {
        match self {
            Self::NodeLog { node, .. } | Self::NodeFile { node } | Self::Supportconfig { node } => {
                Some(node.as_str()).filter(|node| !node.is_empty())
            }
            _ => None,
        }
    }
}

/// Whose log a container's is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PodPlace<'p> {
    pub namespace: &'p str,
    pub pod: &'p str,
    pub container: &'p str,
}

impl PodPlace<'_> {
    pub fn log(self, previous: bool) -> Role {
        Role::PodLog {
            namespace: self.namespace.to_owned(),
            pod: self.pod.to_owned(),
            container: self.container.to_owned(),
            previous,
        }
    }
}

/// The path by which globs and roles know an entry, from the one without archive layers.
pub(crate) fn placed(layout: Option<Layout>, logical: String, bundle: &str) -> String {
    if layout == Some(Layout::Node) { node::placed(&logical, bundle) } else { logical }
}

/// The role of an entry in a bundle of this layout; none is a folder that no collector arranged.
///
/// `logical` has no archive layers, `bundle` is the name of the container and stands for the node when a node's files
/// are given without the folder that names it; of a collection of one node it is the name of that node.
pub(crate) fn role(layout: Option<Layout>, logical: &str, archive: bool, bundle: &str) -> Role {
    if archive {
        return Role::Archive;
    }
    let segments: Vec<&str> = logical.split('/').collect();
    match layout {
        None => match kit::role(&segments) {
            Role::Other => generic::role(&segments),
            role => role,
        },
        Some(Layout::Kit | Layout::TrimmedKit | Layout::Node) => kit::role(&segments),
        Some(Layout::LonghornLegacy) => longhorn::legacy(&segments),
        Some(Layout::LonghornScript) => longhorn::script(&segments),
        Some(Layout::ClusterInfo) => cluster_info::role(&segments),
        Some(Layout::MustGather) => must_gather::role(&segments),
        Some(Layout::Sosreport) => sosreport::role(&segments, bundle),
        Some(Layout::Supportconfig) => supportconfig::role(&segments, bundle),
        Some(Layout::Rancher) => rancher::role(&segments, bundle),
        Some(Layout::RancherWindows) => windows::role(&segments, bundle),
        Some(Layout::RancherPods) => scripts::rancher_pods(&segments),
        Some(Layout::Scc) => scripts::scc(&segments),
        Some(Layout::Profiles) => scripts::profiles(&segments),
        Some(Layout::SupportabilityCluster) => supportability::cluster(&segments),
        Some(Layout::SupportabilityNode) => supportability::node(&segments, without_ending(bundle)),
        Some(Layout::Troubleshoot) => troubleshoot::role(&segments),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_layout_has_its_own_tree() {
        let dump = "yamls/cluster/v1/nodes.yaml";
        assert!(matches!(role(Some(Layout::Kit), dump, false, ""), Role::Dump { .. }));
        assert!(matches!(role(None, dump, false, ""), Role::Dump { .. }));
        assert_eq!(role(Some(Layout::Troubleshoot), dump, false, ""), Role::Other);
        assert!(matches!(
            role(Some(Layout::Troubleshoot), "cluster-resources/nodes.json", false, ""),
            Role::Dump { .. }
        ));
        assert_eq!(role(Some(Layout::Kit), "nodes/n1.zip", true, ""), Role::Archive);
    }
}
