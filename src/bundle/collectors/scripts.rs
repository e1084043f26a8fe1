//! The [`Role`] of each entry of what small collectors write with kubectl: rancher-pod-collector, the collector of the SCC
//! operator, and the collector of profiles of Rancher's pods.

use super::layout::Role;

/// Pods that profiles are taken of, by the beginning of their names, with their namespaces.
const PROFILED: [(&str, &str); 4] = [
    ("cattle-cluster-agent-", "cattle-system"),
    ("fleet-agent-", "cattle-fleet-local-system"),
    ("fleet-controller-", "cattle-fleet-system"),
    ("rancher-", "cattle-system"),
];

/// rancher-pod-collector: what `kubectl cluster-info dump` gives in YAML, some lists, and what Rancher's pods said.
pub(crate) fn rancher_pods(segments: &[&str]) -> Role {
    let found = match segments {
        ["clusterinfo", "get-node-wide"] => Some(Role::Table { word: "nodes".to_owned() }),
        ["clusterinfo", "cluster-info-dump", file] => stem(file).map(|plural| dumped(None, plural)),
        ["clusterinfo", "cluster-info-dump", namespace, file] => {
            stem(file).map(|plural| dumped(Some(namespace), plural))
        }
        ["clusterinfo", "cluster-info-dump", namespace, pod, "logs.txt"] => Some(log(namespace, pod, false)),
        // Several pods at once, none of them named.
        ["rancher-logs", "live-logs"] => Some(log("", "live-logs", false)),
        ["cattle-system" | "kube-system" | "clusters", file] => stem(file).map(|_| Role::Objects),
        _ => None,
    };
    found.unwrap_or(Role::Other)
}

/// Objects one by one in YAML, described beside it, and the logs of the operator's pods.
pub(crate) fn scc(segments: &[&str]) -> Role {
    let found = match segments {
        ["metadata.txt"] | ["cluster-info", "version.yaml"] => Some(Role::Metadata),
        ["operator-pods", file] if file.ends_with("-logs.txt") || file.ends_with("-logs-previous.txt") => {
            let (name, previous) = match file.strip_suffix("-logs-previous.txt") {
                Some(name) => (name, true),
                None => (file.trim_end_matches("-logs.txt"), false),
            };
            Some(log("", name.trim_start_matches("pod-"), previous))
        }
        [_, file] => stem(file).map(|_| Role::Objects),
        _ => None,
    };
    found.unwrap_or(Role::Other)
}

/// Profiles, which nothing is read of, and the logs of the pods that they are of.
pub(crate) fn profiles(segments: &[&str]) -> Role {
    match segments {
        ["timestamps.txt"] => Role::Metadata,
        [file] => file.strip_suffix(".log").map_or(Role::Other, |name| {
            let (pod, previous) = name.strip_suffix("-previous").map_or((name, false), |pod| (pod, true));
            let pod = pod.trim_end_matches("-audit");
            let namespace = PROFILED.iter().find(|(begin, _)| pod.starts_with(begin)).map_or("", |(_, of)| of);
            log(namespace, pod, previous)
        }),
        _ => Role::Other,
    }
}

fn stem(file: &str) -> Option<&str> {
    file.strip_suffix(".yaml").filter(|stem| !stem.is_empty())
}

/// A list of the dump: `replication-controllers`, `daemonsets`.
fn dumped(namespace: Option<&str>, name: &str) -> Role {
    let plural = name.replace('-', "");
    let group = if matches!(plural.as_str(), "daemonsets" | "deployments" | "replicasets") { "apps" } else { "" };
    Role::Dump { namespace: namespace.map(str::to_owned), group: group.to_owned(), version: String::new(), plural }
}

/// All containers of a pod in one.
fn log(namespace: &str, pod: &str, previous: bool) -> Role {
    Role::PodLog { namespace: namespace.to_owned(), pod: pod.to_owned(), container: String::new(), previous }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(role: fn(&[&str]) -> Role, path: &str) -> Role {
        role(&path.split('/').collect::<Vec<_>>())
    }

    #[test]
    fn rancher_pod_collector() {
        let dump = "clusterinfo/cluster-info-dump";
        assert_eq!(of(rancher_pods, &format!("{dump}/nodes.yaml")), dumped(None, "nodes"));
        let controllers = dumped(Some("cattle-system"), "replicationcontrollers");
        assert_eq!(of(rancher_pods, &format!("{dump}/cattle-system/replication-controllers.yaml")), controllers);
        let pod = log("cattle-system", "rancher-1", false);
        assert_eq!(of(rancher_pods, &format!("{dump}/cattle-system/rancher-1/logs.txt")), pod);
        assert_eq!(of(rancher_pods, "cattle-system/get-svc.yaml"), Role::Objects);
        assert_eq!(of(rancher_pods, "clusterinfo/cluster-info"), Role::Other);
    }

    #[test]
    fn scc_operator() {
        assert_eq!(of(scc, "operator-pods/pod-scc-1-logs-previous.txt"), log("", "scc-1", true));
        assert_eq!(of(scc, "operator-pods/pod-scc-1-logs.txt"), log("", "scc-1", false));
        assert_eq!(of(scc, "registrations/registration-1.yaml"), Role::Objects);
        assert_eq!(of(scc, "cluster-info/version.yaml"), Role::Metadata);
        assert_eq!(of(scc, "operator-pods/pod-scc-1-describe.txt"), Role::Other);
    }

    #[test]
    fn profile_collector() {
        assert_eq!(of(profiles, "rancher-1-previous.log"), log("cattle-system", "rancher-1", true));
        assert_eq!(of(profiles, "rancher-1-audit.log"), log("cattle-system", "rancher-1", false));
        assert_eq!(of(profiles, "other-1.log"), log("", "other-1", false));
        assert_eq!(of(profiles, "rancher-1-heap-2024-03-06T10_00_00"), Role::Other);
        assert_eq!(of(profiles, "timestamps.txt"), Role::Metadata);
    }
}
