//! Names of dumps and logs that support-bundle-kit and Longhorn's manager share.

use super::document_name::document_stem;
use crate::bundle::collectors::role::Role;

/// Returns true for the folder that has nothing but dumps.
pub(super) fn is_below_yamls(segments: &[&str]) -> bool {
    segments.len() > 1 && segments.first() == Some(&"yamls")
}

/// Returns the role of a dump of Harvester 0.1 to 0.3, which sorted types by project.
pub(super) fn dump_of_family(namespace: Option<&str>, family: &str, file: &str) -> Option<Role> {
    let group = match family {
        "kubernetes" if matches!(document_stem(file), Some("nodemetrics" | "podmetrics")) => {
            return dump(namespace, "metrics.k8s.io", "", &file.replace("metrics", "s"));
        }
        "kubernetes" => "",
        "harvester" => "harvesterhci.io",
        "kubevirt" => "kubevirt.io",
        "cdi" => "cdi.kubevirt.io",
        "longhorn" => "longhorn.io",
        _ => return None,
    };
    dump(namespace, group, "", file)
}

/// Returns the role of a dump in a file named after its type.
pub(super) fn dump(namespace: Option<&str>, group: &str, version: &str, file: &str) -> Option<Role> {
    document_stem(file).map(|plural| Role::dump(namespace, group, version, plural))
}

/// Returns the role of `CONTAINER.log`, or of `CONTAINER.log.1` from the previous container instance. No container has an underscore in its
/// name.
pub(super) fn pod_log(namespace: &str, pod: &str, file: &str) -> Option<Role> {
    let (container, previous) = match file.strip_suffix(".log") {
        Some(container) => (container, false),
        None => (file.strip_suffix(".log.1")?, true),
    };
    (!container.contains('_')).then(|| Role::pod_log(namespace, pod, container, previous))
}
