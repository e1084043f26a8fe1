//! Names that tell what a pod belongs to: rows of `kubectl get` have neither owners nor labels.

use crate::resource::{Resource, is_generated};

/// Returns whether a controller of this kind and name names its pods like this one.
pub fn is_pod_of(kind: &str, controller: &str, pod: &str) -> bool {
    let Some(rest) = pod.strip_prefix(controller).and_then(|rest| rest.strip_prefix('-')) else { return false };
    match kind {
        "DaemonSet" | "Job" | "ReplicaSet" => is_suffix(rest),
        "Deployment" => rest
            .split_once('-')
            .is_some_and(|(hash, end)| (5..=10).contains(&hash.len()) && is_generated(hash) && is_suffix(end)),
        "StatefulSet" => !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()),
        _ => false,
    }
}

/// Returns whether a pod is a row whose name is one that a controller of this kind and name gives.
pub fn is_row_of(pod: &Resource, kind: &str, controller: &str) -> bool {
    pod.cells().is_some() && is_pod_of(kind, controller, &pod.name)
}

/// Returns whether a pod is a row of the static pod of that name on its node: `etcd-NODE`.
pub fn is_row_of_static(pod: &Resource, name: &str, node: &str) -> bool {
    let rest = pod.name.strip_prefix(name).and_then(|rest| rest.strip_prefix('-'));
    pod.cells().is_some() && rest == Some(node)
}

fn is_suffix(text: &str) -> bool {
    text.len() == 5 && is_generated(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pod_is_named_after_its_controller() {
        for (kind, controller, pod, want) in [
            ("Deployment", "web", "web-b95b8bcb8-pbc9f", true),
            ("Deployment", "api", "api-6f87cd9-96l64", true),
            ("Deployment", "web", "web-api-6f87cd9-96l64", false),
            ("Deployment", "rke2-coredns-rke2-coredns", "rke2-coredns-rke2-coredns-autoscaler-5b8b7f9f6d-x7k2p", false),
            ("Deployment", "web", "web-b95b8bcb8", false),
            ("Deployment", "web", "web-b95b8bcb8-aaaaa", false),
            ("DaemonSet", "calico-node", "calico-node-4lj7x", true),
            ("DaemonSet", "calico-node", "calico-node-windows", false),
            ("ReplicaSet", "web-b95b8bcb8", "web-b95b8bcb8-pbc9f", true),
            ("Job", "helm-install-rke2-calico", "helm-install-rke2-calico-crd-jw7s5", false),
            ("StatefulSet", "db", "db-0", true),
            ("StatefulSet", "db", "db-x", false),
            ("StatefulSet", "db", "db", false),
            ("CronJob", "db", "db-4lj7x", false),
        ] {
            assert_eq!(is_pod_of(kind, controller, pod), want, "{kind} {controller}: {pod}");
        }
    }
}
