//! Collector of profiles of Rancher's pods, which also collects their logs.

use crate::bundle::collectors::marker::Marker;
use crate::bundle::collectors::role::Role;
use crate::bundle::collectors::spec::{CollectorSpec, Description, EmptyLists};

pub static COLLECTOR: CollectorSpec = CollectorSpec {
    program: "rancher profile collector",
    markers: &[&TIMESTAMPS, &TOP_PODS],
    recognises: |marks| marks.all(&[&TIMESTAMPS, &TOP_PODS]),
    role: |segments, _| role(segments),
    empty_lists: EmptyLists::Written,
    description: Description::KubectlScript,
    ..CollectorSpec::DEFAULT
};

static TIMESTAMPS: Marker = Marker::at_root("timestamps.txt", |path| matches!(path, ["timestamps.txt"]));
static TOP_PODS: Marker = Marker::at_root("top-pods.txt", |path| matches!(path, ["top-pods.txt"]));

/// Pods with profiles, by name prefix, with their namespaces.
const PROFILED: [(&str, &str); 4] = [
    ("cattle-cluster-agent-", "cattle-system"),
    ("fleet-agent-", "cattle-fleet-local-system"),
    ("fleet-controller-", "cattle-fleet-system"),
    ("rancher-", "cattle-system"),
];

/// Returns the role of an entry. The profiles are not read.
fn role(segments: &[&str]) -> Role {
    match segments {
        ["timestamps.txt"] => Role::Metadata,
        [file] => file.strip_suffix(".log").map_or(Role::Other, |name| {
            let (pod, previous) = name.strip_suffix("-previous").map_or((name, false), |pod| (pod, true));
            let pod = pod.trim_end_matches("-audit");
            let namespace = PROFILED.iter().find(|(begin, _)| pod.starts_with(begin)).map_or("", |(_, of)| of);
            Role::pod_log(namespace, pod, "", previous)
        }),
        _ => Role::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str) -> Role {
        role(&path.split('/').collect::<Vec<_>>())
    }

    #[test]
    fn logs_and_profiles() {
        assert_eq!(of("rancher-1-previous.log"), Role::pod_log("cattle-system", "rancher-1", "", true));
        assert_eq!(of("rancher-1-audit.log"), Role::pod_log("cattle-system", "rancher-1", "", false));
        assert_eq!(of("other-1.log"), Role::pod_log("", "other-1", "", false));
        assert_eq!(of("rancher-1-heap-2024-03-06T10_00_00"), Role::Other);
        assert_eq!(of("timestamps.txt"), Role::Metadata);
    }
}
