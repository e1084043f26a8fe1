//! API groups: which ones Kubernetes serves itself, and which are older names of others.

/// Returns true if Kubernetes itself serves the group, so that its types need no CRD.
pub fn built_in(group: &str) -> bool {
    const PLAIN: [&str; 6] = ["", "apps", "autoscaling", "batch", "extensions", "policy"];
    const OWN: [&str; 16] = [
        "admissionregistration.k8s.io",
        "apiextensions.k8s.io",
        "apiregistration.k8s.io",
        "authentication.k8s.io",
        "authorization.k8s.io",
        "certificates.k8s.io",
        "coordination.k8s.io",
        "discovery.k8s.io",
        "events.k8s.io",
        "flowcontrol.apiserver.k8s.io",
        "networking.k8s.io",
        "node.k8s.io",
        "rbac.authorization.k8s.io",
        "resource.k8s.io",
        "scheduling.k8s.io",
        "storage.k8s.io",
    ];
    PLAIN.contains(&group) || OWN.contains(&group)
}

/// Returns the group under which objects of a type are kept if an older group serves them, too; else the group itself.
pub fn canonical_group<'a>(plural: &str, group: &'a str) -> &'a str {
    match (group, plural) {
        ("events.k8s.io", "events") => "",
        ("extensions", "ingresses" | "networkpolicies") => "networking.k8s.io",
        ("extensions", "podsecuritypolicies") => "policy",
        ("extensions", "daemonsets" | "deployments" | "replicasets") => "apps",
        _ => group,
    }
}

/// Splits an `apiVersion` into group and version; the core group is empty.
pub fn split_api_version(text: &str) -> (&str, &str) {
    text.split_once('/').unwrap_or(("", text))
}
