//! Finds the type of a table by its columns and the name of its file.

use super::shipped;
use super::writer::NAMESPACE;
use crate::resource::types::{self, TypeName};
use crate::yaml::grid::Header;

/// Column combinations that identify a type (`pkg/printers/internalversion` of Kubernetes).
const SIGNATURES: [(&str, &[&str]); 26] = [
    ("pods", &["READY", "STATUS", "RESTARTS"]),
    ("nodes", &["STATUS", "ROLES", "VERSION"]),
    ("daemonsets.apps", &["DESIRED", "CURRENT", "READY", "UP-TO-DATE", "AVAILABLE"]),
    ("deployments.apps", &["READY", "UP-TO-DATE", "AVAILABLE"]),
    // As kubectl printed them until Kubernetes 1.14.
    ("deployments.apps", &["DESIRED", "CURRENT", "UP-TO-DATE", "AVAILABLE"]),
    ("replicasets.apps", &["DESIRED", "CURRENT", "READY"]),
    ("jobs.batch", &["COMPLETIONS", "DURATION"]),
    ("cronjobs.batch", &["SCHEDULE", "SUSPEND", "ACTIVE"]),
    ("services", &["TYPE", "CLUSTER-IP", "EXTERNAL-IP", "PORT(S)"]),
    ("endpoints", &["ENDPOINTS"]),
    ("persistentvolumeclaims", &["STATUS", "VOLUME", "CAPACITY", "ACCESS MODES"]),
    ("persistentvolumes", &["CAPACITY", "ACCESS MODES", "RECLAIM POLICY", "CLAIM"]),
    ("volumeattachments.storage.k8s.io", &["ATTACHER", "PV", "NODE", "ATTACHED"]),
    ("storageclasses.storage.k8s.io", &["PROVISIONER", "RECLAIMPOLICY", "VOLUMEBINDINGMODE"]),
    ("ingresses.networking.k8s.io", &["CLASS", "HOSTS", "ADDRESS", "PORTS"]),
    ("horizontalpodautoscalers.autoscaling", &["REFERENCE", "TARGETS", "MINPODS", "MAXPODS"]),
    ("apiservices.apiregistration.k8s.io", &["SERVICE", "AVAILABLE"]),
    ("events", &["LAST SEEN", "TYPE", "REASON", "OBJECT"]),
    ("volumes.longhorn.io", &["STATE", "ROBUSTNESS"]),
    ("replicas.longhorn.io", &["STATE", "NODE", "DISK", "INSTANCEMANAGER"]),
    ("engines.longhorn.io", &["STATE", "NODE", "INSTANCEMANAGER"]),
    ("nodes.longhorn.io", &["READY", "ALLOWSCHEDULING", "SCHEDULABLE"]),
    ("virtualmachineinstances.kubevirt.io", &["PHASE", "IP", "NODENAME"]),
    ("gitrepos.fleet.cattle.io", &["REPO", "COMMIT", "BUNDLEDEPLOYMENTS-READY"]),
    ("helmops.fleet.cattle.io", &["REPO", "CHART", "BUNDLEDEPLOYMENTS-READY"]),
    ("bundles.fleet.cattle.io", &["BUNDLEDEPLOYMENTS-READY", "STATUS"]),
];

/// Returns true if a header is one of kubectl's own.
pub fn is_kubectl(text: &str, header: &Header) -> bool {
    let first = header.names().next().and_then(|name| text.get(name));
    first.is_some_and(|name| matches!(name, "NAME" | NAMESPACE | "LAST SEEN"))
}

/// Returns the names of the columns of a header in the text.
pub fn columns<'t>(text: &'t str, header: &Header) -> Vec<&'t str> {
    header.names().map(|name| text.get(name).unwrap_or_default()).collect()
}

/// Returns the type for a word of kubectl: plural names with or without group, and short names of collectors.
pub fn type_of(word: &str) -> TypeName {
    const SHORT: [(&str, &str); 6] = [
        ("crds", "customresourcedefinitions.apiextensions.k8s.io"),
        ("hpa", "horizontalpodautoscalers.autoscaling"),
        ("ingress", "ingresses.networking.k8s.io"),
        ("networkpolicies", "networkpolicies.networking.k8s.io"),
        ("pv", "persistentvolumes"),
        ("pvc", "persistentvolumeclaims"),
    ];
    match SHORT.iter().find(|(short, _)| *short == word) {
        Some((_, name)) => TypeName::parse(name),
        None if word == "apps" => TypeName::parse("apps.catalog.cattle.io"),
        None => types::resolve(word).name,
    }
}

/// Returns the type with these columns; if the columns of one type include those of another, the larger set is tested
/// first.
pub fn type_of_columns(columns: &[&str]) -> Option<TypeName> {
    let fits = |wanted: &[&str]| wanted.iter().all(|column| columns.contains(column));
    let known = SIGNATURES.iter().find(|(_, wanted)| fits(wanted)).map(|(name, _)| TypeName::parse(name));
    known.or_else(|| shipped::type_of_shipped_columns(columns))
}

/// Returns the type for a word of a file's name, or of the command that printed it: `kubectl-get-configmaps.txt`, `crds`, `kubectl get bundle -A`.
pub fn type_of_file(file: &str) -> Option<TypeName> {
    let file = file.to_ascii_lowercase();
    let stem = file.split('.').next().unwrap_or_default();
    let words = || stem.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let of_plural = words().find_map(|word| Some(type_of(word)).filter(|name| types::known(name).is_some()));
    // Elsewhere a kind or a short name may be any word: `bundle.txt`.
    let asked = || words().skip_while(|word| *word != "get").nth(1);
    let of_kind = |word: &str| types::kind_anywhere(word).map(|known| TypeName::new(known.plural, known.group));
    of_plural.or_else(|| asked().and_then(|word| of_kind(word).or_else(|| types::of_short_name(word))))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::resource::table::columns_of_type;

    fn of(columns: &str) -> Option<String> {
        type_of_columns(&columns.split(", ").collect::<Vec<_>>()).map(|name| name.to_string())
    }

    #[test]
    fn columns_tell_the_type() {
        assert_eq!(of("NAMESPACE, NAME, READY, STATUS, RESTARTS, AGE").as_deref(), Some("pods"));
        assert_eq!(of("NAME, READY, UP-TO-DATE, AVAILABLE, AGE").as_deref(), Some("deployments.apps"));
        let daemons = "NAME, DESIRED, CURRENT, READY, UP-TO-DATE, AVAILABLE, NODE SELECTOR, AGE";
        assert_eq!(of(daemons).as_deref(), Some("daemonsets.apps"));
        assert_eq!(of("NAME, DESIRED, CURRENT, UP-TO-DATE, AVAILABLE, AGE").as_deref(), Some("deployments.apps"));
        assert_eq!(of("NAME, DESIRED, CURRENT, READY, AGE").as_deref(), Some("replicasets.apps"));
        let replica = "NAME, DATA ENGINE, STATE, NODE, DISK, INSTANCEMANAGER, IMAGE, AGE";
        assert_eq!(of(replica).as_deref(), Some("replicas.longhorn.io"));
        assert_eq!(of(&replica.replace("DISK, ", "")).as_deref(), Some("engines.longhorn.io"));
        assert_eq!(of("NAME, STATUS, AGE"), None);
    }

    #[test]
    fn commands_and_files_tell_the_type() {
        let of = |file: &str| type_of_file(file).map(|name| name.to_string());
        assert_eq!(of("kubectl-get-configmaps.txt").as_deref(), Some("configmaps"));
        assert_eq!(of("kubectl get bundle -A").as_deref(), Some("bundles.fleet.cattle.io"));
        assert_eq!(of("kubectl get persistentvolumeclaim -n shop").as_deref(), Some("persistentvolumeclaims"));
        assert_eq!(of("kubectl get dv -A").as_deref(), Some("datavolumes.cdi.kubevirt.io"));
        assert_eq!(of("bundle.txt"), None);
        assert_eq!(of("vm-notes.txt"), None);
    }

    #[test]
    fn signatures_are_printed_columns() {
        // A type may have another signature, of older releases.
        let newest: BTreeMap<&str, &[&str]> = SIGNATURES.into_iter().rev().collect();
        for (name, signature) in newest {
            let (plural, group) = name.split_once('.').unwrap_or((name, ""));
            let Some(known) = columns_of_type(plural, group).filter(|known| known.is_complete) else { continue };
            for column in signature {
                assert!(known.columns.iter().any(|(header, _)| header == column), "{name} {column}");
            }
        }
    }

    #[test]
    fn names_tell_the_type() {
        let shown = |file: &str| type_of_file(file).map(|name| name.to_string());
        assert_eq!(shown("kubectl-get-configmaps.txt").as_deref(), Some("configmaps"));
        assert_eq!(shown("CRDS").as_deref(), Some("customresourcedefinitions.apiextensions.k8s.io"));
        assert_eq!(shown("volumes.txt").as_deref(), Some("volumes.longhorn.io"));
        assert_eq!(shown("notes.txt"), None);
    }
}
