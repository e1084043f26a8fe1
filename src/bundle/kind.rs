//! Which kind of bundle it is and where its root lies, told by marker entries at any depth up to three.

use std::collections::BTreeMap;

use crate::model::Collector;

/// Which program's layout a bundle has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    Harvester,
    Longhorn,
    Rancher,
    Troubleshoot,
    ClusterInfo,
    MustGather,
    Supportconfig,
    Supportability,
    /// The zip of one node, given alone.
    Node,
    Sosreport,
    Generic,
}

impl Kind {
    /// The name used in JSON and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Harvester => "harvester",
            Self::Longhorn => "longhorn",
            Self::Rancher => "rancher",
            Self::Troubleshoot => "troubleshoot",
            Self::ClusterInfo => "cluster-info",
            Self::MustGather => "must-gather",
            Self::Supportconfig => "supportconfig",
            Self::Supportability => "supportability",
            Self::Node => "node",
            Self::Sosreport => "sosreport",
            Self::Generic => "generic",
        }
    }
}

/// Folders that may stand around the markers.
const DEEPEST: usize = 3;

/// Declares a set of markers as bits, each with the text that shows it to people.
macro_rules! markers {
    ($($name:ident = $bit:expr, $text:expr;)*) => {
        $(const $name: u64 = 1 << $bit;)*
        const SHOWN: &[(u64, &str)] = &[$(($name, $text)),*];
    };
}

markers! {
    YAMLS_CLUSTER = 0, "yamls/cluster/";
    YAMLS_NAMESPACED = 1, "yamls/namespaced/";
    YAMLS_LONGHORN = 2, "yamls/longhorn/";
    GENERATION_ERROR = 3, "bundleGenerationError.log";
    METADATA = 4, "metadata.yaml";
    NODE_ARCHIVE = 5, "nodes/*.zip";
    KIT_LOG = 6, "logs/<namespace>/<pod>/<container>.log";
    CLUSTER_RESOURCES = 7, "cluster-resources/";
    CLUSTER_INFO = 8, "cluster-info/";
    ANALYSIS = 9, "analysis.json";
    VERSION = 10, "version.yaml";
    HOST_COLLECTORS = 11, "host-collectors/";
    CLUSTER_SCOPED = 12, "cluster-scoped-resources/";
    NAMESPACE_LOGS = 13, "namespaces/<ns>/pods/*/*/*/logs/";
    BASIC_ENVIRONMENT = 14, "basic-environment.txt";
    OEM = 15, "configs/oem/";
    HOSTINFO = 16, "hostinfos/hostinfo";
    COLLECTOR_OUTPUT = 17, "collector-output.log";
    SYSTEMINFO = 18, "systeminfo/";
    NETWORKING = 19, "networking/";
    KUBELET_CONFIG = 20, "kubeletconfig.json";
    HOST_LISTING = 21, "ls-l-host.log";
    CRDS = 22, "crds.json";
    NODES = 23, "nodes.json";
    API_VERSION = 24, "api_version/";
    PLUGINS = 25, "plugins/*/results/";
    EVENT_LOGS = 26, "eventlogs/*.json";
    HNS = 27, "network/hns/";
    NODE_WIDE = 28, "clusterinfo/get-node-wide";
    PODS = 29, "<namespace>/pods.json";
    POD_LOGS = 30, "<namespace>/<pod>/logs.txt";
    SOS = 31, "sos_commands/";
    NODE_LOG = 32, "<node>/logs/kernel.log";
}

/// The marker that a path is, seen from a possible root.
fn marker(path: &str) -> u64 {
    let mut segments = path.split('/');
    let mut next = || segments.next().unwrap_or_default();
    let (first, second, third, fourth, fifth) = (next(), next(), next(), next(), next());
    match first {
        "yamls" if !third.is_empty() => match second {
            "cluster" => YAMLS_CLUSTER,
            "namespaced" => YAMLS_NAMESPACED,
            "longhorn" => YAMLS_LONGHORN,
            _ => 0,
        },
        "nodes" if second.ends_with(".zip") && third.is_empty() => NODE_ARCHIVE,
        "logs" if fifth.is_empty() && fourth.ends_with(".log") => KIT_LOG,
        "cluster-info" => CLUSTER_INFO,
        "cluster-resources" => CLUSTER_RESOURCES,
        "host-collectors" => HOST_COLLECTORS,
        "cluster-scoped-resources" => CLUSTER_SCOPED,
        "namespaces" if third == "pods" && path.contains("/logs/") => NAMESPACE_LOGS,
        "configs" if second == "oem" => OEM,
        "hostinfos" if second == "hostinfo" => HOSTINFO,
        "systeminfo" | "networking" if second == "kubeletconfig.json" => KUBELET_CONFIG,
        "systeminfo" => SYSTEMINFO,
        "networking" => NETWORKING,
        "api_version" => API_VERSION,
        "plugins" if third == "results" => PLUGINS,
        "eventlogs" if second.ends_with(".json") => EVENT_LOGS,
        "network" if second == "hns" => HNS,
        "clusterinfo" if second == "get-node-wide" => NODE_WIDE,
        "sos_commands" => SOS,
        _ if second.is_empty() => root_file(first),
        _ => below_any_folder(second, third, fourth),
    }
}

fn root_file(name: &str) -> u64 {
    match name {
        "bundleGenerationError.log" => GENERATION_ERROR,
        "metadata.yaml" => METADATA,
        "analysis.json" => ANALYSIS,
        "version.yaml" => VERSION,
        "basic-environment.txt" => BASIC_ENVIRONMENT,
        "collector-output.log" => COLLECTOR_OUTPUT,
        "ls-l-host.log" => HOST_LISTING,
        "crds.json" => CRDS,
        "nodes.json" => NODES,
        _ => 0,
    }
}

fn below_any_folder(second: &str, third: &str, fourth: &str) -> u64 {
    match (second, third, fourth) {
        ("configs", "oem", _) => OEM,
        ("hostinfos", "hostinfo", "") => HOSTINFO,
        ("logs", "kernel.log", "") => NODE_LOG,
        ("pods.json", "", "") => PODS,
        (_, "logs.txt", "") => POD_LOGS,
        _ => 0,
    }
}

/// What markers say: the layout, and the program that writes it. Order is precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Layout {
    Troubleshoot,
    LonghornLegacy,
    Kit,
    MustGather,
    Supportconfig,
    Node,
    SupportabilityNode,
    Rancher,
    SupportabilityCluster,
    RancherWindows,
    RancherPods,
    ClusterInfo,
    Sosreport,
    /// Nothing else and some files that a kit bundle could have.
    TrimmedKit,
}

impl Layout {
    fn of(marks: u64) -> Option<Self> {
        let any = |bits: u64| marks & bits != 0;
        let all = |bits: u64| marks & bits == bits;
        if any(CLUSTER_RESOURCES | HOST_COLLECTORS) && any(ANALYSIS | CLUSTER_INFO | VERSION | CLUSTER_RESOURCES) {
            Some(Self::Troubleshoot)
        } else if all(METADATA | YAMLS_LONGHORN) {
            Some(Self::LonghornLegacy)
        } else if any(YAMLS_CLUSTER | YAMLS_NAMESPACED) || all(GENERATION_ERROR | METADATA) {
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
        } else if all(NODES | PODS) || all(NODES | POD_LOGS) {
            Some(Self::ClusterInfo)
        } else if any(SOS) {
            Some(Self::Sosreport)
        } else if any(NODE_ARCHIVE | KIT_LOG) {
            Some(Self::TrimmedKit)
        } else {
            any(NODE_LOG).then_some(Self::Node)
        }
    }

    /// The program, by the name of its project.
    fn collector(self) -> &'static str {
        match self {
            Self::Troubleshoot => "troubleshoot",
            Self::LonghornLegacy => "longhorn-manager",
            Self::Kit | Self::TrimmedKit | Self::Node => "support-bundle-kit",
            Self::MustGather => "must-gather",
            Self::Supportconfig => "supportconfig",
            Self::SupportabilityNode | Self::SupportabilityCluster => "supportability-review",
            Self::Rancher => "rancher2_logs_collector",
            Self::RancherWindows => "rancher windows log collector",
            Self::RancherPods => "rancher-pod-collector",
            Self::ClusterInfo => "kubectl cluster-info dump",
            Self::Sosreport => "sosreport",
        }
    }

    fn kind(self) -> Kind {
        match self {
            Self::Troubleshoot => Kind::Troubleshoot,
            Self::LonghornLegacy => Kind::Longhorn,
            Self::Kit | Self::TrimmedKit => Kind::Generic,
            Self::MustGather => Kind::MustGather,
            Self::Supportconfig => Kind::Supportconfig,
            Self::Node => Kind::Node,
            Self::SupportabilityNode | Self::SupportabilityCluster => Kind::Supportability,
            Self::Rancher | Self::RancherWindows | Self::RancherPods => Kind::Rancher,
            Self::ClusterInfo => Kind::ClusterInfo,
            Self::Sosreport => Kind::Sosreport,
        }
    }
}

/// Where the bundle begins, and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Root {
    /// The folders around it, with a slash at the end; empty when there are none.
    pub prefix: String,
    /// Other places that look like a bundle's root just as much.
    pub others: Vec<String>,
    layout: Option<Layout>,
    marks: u64,
}

impl Root {
    /// Finds it among the paths of the outermost container. Without any marker, folders around everything are the
    /// wrapping.
    pub fn find<'p>(paths: impl Iterator<Item = &'p str> + Clone) -> Self {
        let mut marks: BTreeMap<&str, u64> = BTreeMap::new();
        for path in paths.clone() {
            for start in roots(path) {
                let found = marker(path.get(start..).unwrap_or_default());
                if found != 0 {
                    *marks.entry(path.get(..start).unwrap_or_default()).or_insert(0) |= found;
                }
            }
        }
        let layouts =
            marks.iter().filter_map(|(prefix, marks)| Layout::of(*marks).map(|layout| (*prefix, layout, *marks)));
        // A weak layout may show inside a strong one, so strength comes before depth.
        let rank = |(prefix, layout, _): &(&str, Layout, u64)| {
            (*layout == Layout::TrimmedKit, prefix.matches('/').count(), *layout)
        };
        let mut layouts: Vec<_> = layouts.collect();
        layouts.sort_by_key(|candidate| (rank(candidate), candidate.0));
        let Some(&(prefix, layout, marks)) = layouts.first() else {
            return Self { prefix: wrapping(paths), ..Self::here() };
        };
        let best = rank(&(prefix, layout, marks));
        let others = layouts.iter().skip(1).take_while(|other| rank(other) == best).map(|other| other.0.to_owned());
        Self { prefix: prefix.to_owned(), others: others.collect(), layout: Some(layout), marks }
    }

    /// No wrapping, nothing known.
    pub fn here() -> Self {
        Self { prefix: String::new(), others: Vec::new(), layout: None, marks: 0 }
    }

    /// The layout of paths that are relative to the root already.
    pub fn find_here<'p>(paths: impl Iterator<Item = &'p str>) -> Self {
        let marks = paths.fold(0, |marks, path| marks | marker(path));
        Self { layout: Layout::of(marks), marks, ..Self::here() }
    }

    /// The kind of bundle, with the paths of all entries, nested ones included, to tell the kit's users apart.
    pub fn kind<'p>(&self, mut paths: impl Iterator<Item = &'p str> + Clone) -> Kind {
        match self.layout {
            Some(Layout::Kit | Layout::TrimmedKit) if paths.clone().any(is_harvester) => Kind::Harvester,
            Some(Layout::Kit | Layout::TrimmedKit) if paths.any(is_longhorn) => Kind::Longhorn,
            Some(layout) => layout.kind(),
            None => Kind::Generic,
        }
    }

    /// Whether the markers are those of a collector's whole output, not of a part such as one node.
    pub fn is_whole_bundle(&self) -> bool {
        !matches!(self.layout, None | Some(Layout::Node | Layout::TrimmedKit | Layout::Supportconfig))
    }

    /// The program that made the bundle, with the marker entries that tell.
    pub fn collector(&self) -> Option<Collector> {
        let layout = self.layout?;
        let seen: Vec<&str> = SHOWN.iter().filter(|(bit, _)| self.marks & bit != 0).map(|(_, text)| *text).collect();
        Some(Collector { name: layout.collector().into(), version: None, why: format!("has {}", seen.join(", ")) })
    }
}

/// Where a root may begin in a path: at its start and after each of the first folders.
fn roots(path: &str) -> impl Iterator<Item = usize> {
    std::iter::once(0).chain(path.match_indices('/').take(DEEPEST).map(|(slash, _)| slash + 1))
}

/// The folders, at most three, that hold everything.
fn wrapping<'p>(mut paths: impl Iterator<Item = &'p str>) -> String {
    let Some(first) = paths.next() else { return String::new() };
    let end = roots(first).last().unwrap_or(0);
    let mut common = first.get(..end).unwrap_or_default();
    for path in paths {
        while !path.starts_with(common) {
            let parent = common.trim_end_matches('/').rfind('/').map_or(0, |slash| slash + 1);
            common = common.get(..parent).unwrap_or_default();
        }
    }
    common.to_owned()
}

fn is_harvester(path: &str) -> bool {
    path.starts_with("yamls/cluster/harvesterhci.io/")
        || path.starts_with("yamls/namespaced/harvester-system/")
        || path.starts_with("yamls/namespaced/") && path.contains("/harvesterhci.io/")
        || path.starts_with("logs/harvester-system/")
        || path.starts_with("yamls/cluster/harvester/")
        || path.starts_with("nodes/") && path.ends_with("/configs/etc/harvester-release.yaml")
}

fn is_longhorn(path: &str) -> bool {
    path.starts_with("yamls/namespaced/longhorn-system/")
        || path.starts_with("logs/longhorn-system/")
        || path.starts_with("nodes/") && path.contains("/hostinfos/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(paths: &[&str]) -> (String, Kind) {
        let root = Root::find(paths.iter().copied());
        let cut: Vec<&str> = paths.iter().map(|path| path.strip_prefix(root.prefix.as_str()).unwrap_or(path)).collect();
        (root.prefix.clone(), root.kind(cut.iter().copied()))
    }

    #[test]
    fn kit_bundles_are_found_below_folders() {
        let harvester = ["w/sb/metadata.yaml", "w/sb/yamls/cluster/harvesterhci.io/v1beta1/settings.yaml"];
        assert_eq!(root(&harvester), ("w/sb/".into(), Kind::Harvester));
        let longhorn = ["yamls/namespaced/longhorn-system/v1/pods.yaml", "nodes/n1.zip"];
        assert_eq!(root(&longhorn), (String::new(), Kind::Longhorn));
        assert_eq!(root(&["x/yamls/cluster/v1/nodes.yaml"]), ("x/".into(), Kind::Generic));
        assert_eq!(root(&["logs/harvester-system/p/c.log"]), (String::new(), Kind::Harvester));
        assert_eq!(root(&["x/metadata.yaml", "x/yamls/longhorn/volumes.yaml"]), ("x/".into(), Kind::Longhorn));
    }

    #[test]
    fn other_kinds_are_told_by_their_markers() {
        let cases: [(&[&str], Kind); 12] = [
            (&["b/version.yaml", "b/cluster-resources/nodes.json"], Kind::Troubleshoot),
            (&["b/analysis.json", "b/host-collectors/system/time.json"], Kind::Troubleshoot),
            (&["m/q/cluster-scoped-resources/core/nodes/n.yaml"], Kind::MustGather),
            (&["scc_x/basic-environment.txt", "scc_x/messages.txt"], Kind::Supportconfig),
            (&["n1/configs/oem/90_custom.yaml", "n1/logs/kernel.log"], Kind::Node),
            (&["n1/logs/kernel.log"], Kind::Node),
            (&["h-2025/collector-output.log", "h-2025/systeminfo/uname"], Kind::Rancher),
            (&["systeminfo/uname", "networking/ss", "ls-l-host.log"], Kind::Supportability),
            (&["crds.json", "nodes.json", "api_version/Pod.json"], Kind::Supportability),
            (&["d/nodes.json", "d/kube-system/pods.json", "d/kube-system/dns/logs.txt"], Kind::ClusterInfo),
            (&["s/sos_commands/kubernetes/x", "s/etc/hosts"], Kind::Sosreport),
            (&["s/some.yaml", "t/other.log"], Kind::Generic),
        ];
        for (paths, kind) in cases {
            assert_eq!(root(paths).1, kind, "{paths:?}");
        }
        assert_eq!(root(cases[4].0).0, "", "the folder names the node");
    }

    #[test]
    fn without_markers_the_wrapping_is_what_holds_everything() {
        assert_eq!(root(&["a/b/c.yaml", "a/b/d/e.log"]).0, "a/b/");
        assert_eq!(root(&["a/b/c.yaml", "a/bb/e.log"]).0, "a/");
        assert_eq!(root(&["a/b/c/d/e.log"]).0, "a/b/c/");
        assert_eq!(root(&["a.log"]).0, "");
    }

    #[test]
    fn several_bundles_in_one_archive_are_noticed() {
        let found = Root::find(["b/yamls/cluster/v1/nodes.yaml", "a/yamls/cluster/v1/nodes.yaml"].into_iter());
        assert_eq!((found.prefix.as_str(), found.others), ("a/", vec!["b/".to_owned()]));
    }

    #[test]
    fn the_collector_says_why() {
        let found = Root::find(["metadata.yaml", "yamls/cluster/v1/nodes.yaml"].into_iter());
        let collector = found.collector().unwrap();
        assert_eq!(
            (collector.name.as_str(), collector.why.as_str()),
            ("support-bundle-kit", "has yamls/cluster/, metadata.yaml")
        );
    }
}
