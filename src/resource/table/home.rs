//! Namespace of a table without that column: `kubectl get pods -n longhorn-system > longhorn-system-pods.txt`.

/// Namespaces of the products, each of which the name of a file or folder may tell.
const KNOWN: [&str; 26] = [
    "calico-system",
    "cattle-fleet-local-system",
    "cattle-fleet-system",
    "cattle-logging-system",
    "cattle-monitoring-system",
    "cattle-neuvector-system",
    "cattle-provisioning-capi-system",
    "cattle-resources-system",
    "cattle-system",
    "cattle-turtles-system",
    "cert-manager",
    "fleet-default",
    "fleet-local",
    "harvester-public",
    "harvester-system",
    "ingress-nginx",
    "istio-system",
    "kube-flannel",
    "kube-public",
    "kube-system",
    "longhorn-system",
    "metallb-system",
    "rook-ceph",
    "system-upgrade",
    "tigera-operator",
    "velero",
];

/// Options of kubectl with which the name of a file, or of an output in a transcript, may repeat its namespace.
const OPTIONS: [&str; 5] = [" -n ", "_-n_", "--namespace ", "--namespace=", "-n="];

/// Pods by which their namespace is known.
const TELLING_PODS: [(&str, &str); 12] = [
    ("cattle-cluster-agent-", "cattle-system"),
    ("coredns-", "kube-system"),
    ("fleet-agent-", "cattle-fleet-system"),
    ("fleet-controller-", "cattle-fleet-system"),
    ("harvester-webhook-", "harvester-system"),
    ("kube-apiserver-", "kube-system"),
    ("kube-proxy-", "kube-system"),
    ("kube-scheduler-", "kube-system"),
    ("longhorn-manager-", "longhorn-system"),
    ("metallb-speaker-", "metallb-system"),
    ("rancher-webhook-", "cattle-system"),
    ("rke2-coredns-", "kube-system"),
];

/// Returns the namespace of pods that are always in the same one; one command prints those of one namespace.
pub fn of_pods<'n>(names: impl Iterator<Item = &'n str>) -> Option<&'static str> {
    let home = |name: &str| TELLING_PODS.iter().find(|(begin, _)| name.starts_with(begin)).map(|(_, home)| *home);
    names.filter_map(home).next()
}

/// Returns the namespace that a path tells: behind an option of kubectl, else the longest known one.
pub fn namespace(path: &str) -> Option<&str> {
    let stem = path.rsplit_once('.').filter(|(_, ending)| !ending.contains('/')).map_or(path, |(stem, _)| stem);
    let behind = OPTIONS.iter().find_map(|option| stem.split_once(option)).map(|(_, rest)| rest);
    let named = behind.map(|rest| rest.split_once(|c: char| !is_letter(c)).map_or(rest, |(name, _)| name));
    let known = || KNOWN.iter().filter(|name| stands_alone(stem, name)).max_by_key(|name| name.len()).copied();
    named.filter(|name| !name.is_empty()).or_else(known)
}

fn is_letter(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'
}

/// Returns true if no letter or digit stands beside a part of a text.
fn stands_alone(text: &str, part: &str) -> bool {
    text.match_indices(part).any(|(at, _)| {
        let (before, behind) = (text.get(..at).unwrap_or_default(), text.get(at + part.len()..).unwrap_or_default());
        !before.ends_with(|c: char| c.is_ascii_alphanumeric())
            && !behind.starts_with(|c: char| c.is_ascii_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pods_tell_namespaces() {
        assert_eq!(of_pods(["web-0", "kube-proxy-x7k2p"].into_iter()), Some("kube-system"));
        assert_eq!(of_pods(["web-0", "proxy"].into_iter()), None);
    }

    #[test]
    fn paths_tell_namespaces() {
        for (path, wanted) in [
            ("longhorn-system-pods.txt", Some("longhorn-system")),
            ("case/cattle-fleet-local-system/pods.txt", Some("cattle-fleet-local-system")),
            ("kubectl_get_pods_-n_shop.txt", Some("shop")),
            ("kubectl get pods -n my-shop -o wide.txt", Some("my-shop")),
            ("pods --namespace=data.out", Some("data")),
            ("pods.txt", None),
            ("mykube-system.txt", None),
            ("v1.2/pods", None),
        ] {
            assert_eq!(namespace(path), wanted, "{path}");
        }
    }
}
