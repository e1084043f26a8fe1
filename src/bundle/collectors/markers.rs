//! Entries that tell whose bundle it is: each is a bit of a set.

use crate::bundle::collectors::cluster_info::is_stream;

/// Declares a set of markers as bits, each with the text that shows it to people.
macro_rules! markers {
    ($($name:ident = $bit:expr, $text:expr;)*) => {
        $(pub(crate) const $name: u64 = 1 << $bit;)*
        pub(crate) const SHOWN: &[(u64, &str)] = &[$(($name, $text)),*];
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
    YAMLS_FAMILY = 33, "yamls/{kubernetes,harvester}/";
    NODE_DESCRIPTION = 34, "nodes/<node>/{description.txt,node.yaml}";
    NODES_YAML = 50, "nodes.yaml";
    CONTROLLERS = 51, "<namespace>/replication-controllers";
    CLUSTER_DUMP = 52, "cluster-info dump";
    METADATA_TEXT = 53, "metadata.txt";
    OPERATOR_PODS = 54, "operator-pods/";
    TIMESTAMPS = 55, "timestamps.txt";
    TOP_PODS = 56, "top-pods.txt";
}

/// The marker that a path is, seen from a possible root.
pub(crate) fn marker(path: &str) -> u64 {
    let mut segments = path.split('/');
    let mut next = || segments.next().unwrap_or_default();
    let (first, second, third, fourth, fifth) = (next(), next(), next(), next(), next());
    match first {
        "yamls" if !third.is_empty() => match second {
            "cluster" => YAMLS_CLUSTER,
            "namespaced" => YAMLS_NAMESPACED,
            "longhorn" => YAMLS_LONGHORN,
            "kubernetes" | "harvester" => YAMLS_FAMILY,
            _ => 0,
        },
        "nodes" if second.ends_with(".zip") && third.is_empty() => NODE_ARCHIVE,
        "nodes" if matches!(third, "description.txt" | "node.yaml") && fourth.is_empty() => NODE_DESCRIPTION,
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
        "operator-pods" | "registrations" if !second.is_empty() => OPERATOR_PODS,
        _ if second.is_empty() => root_file(first),
        _ => below_any_folder(second, third, fourth),
    }
}

fn root_file(name: &str) -> u64 {
    match name {
        "bundleGenerationError.log" => GENERATION_ERROR,
        "metadata.txt" => METADATA_TEXT,
        "metadata.yaml" => METADATA,
        "analysis.json" => ANALYSIS,
        "timestamps.txt" => TIMESTAMPS,
        "top-pods.txt" => TOP_PODS,
        "version.yaml" => VERSION,
        "basic-environment.txt" => BASIC_ENVIRONMENT,
        "collector-output.log" => COLLECTOR_OUTPUT,
        "ls-l-host.log" => HOST_LISTING,
        "crds.json" => CRDS,
        "nodes.json" => NODES,
        "nodes.yaml" => NODES_YAML,
        _ if is_stream(name) => CLUSTER_DUMP,
        _ => 0,
    }
}

fn below_any_folder(second: &str, third: &str, fourth: &str) -> u64 {
    match (second, third, fourth) {
        ("configs", "oem", _) => OEM,
        ("hostinfos", "hostinfo", "") => HOSTINFO,
        ("logs", "kernel.log", "") => NODE_LOG,
        ("pods.json", "", "") => PODS,
        ("replication-controllers.json" | "replication-controllers.yaml", "", "") => CONTROLLERS,
        (_, "logs.txt", "") => POD_LOGS,
        _ => 0,
    }
}
