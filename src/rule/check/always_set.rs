//! Fields that every object of a type has, so that `x.field != 'value'` cannot hold because the field is absent.

use crate::resource::types::TypeName;

/// Fields of every object.
const OF_ALL: [&str; 5] = ["apiVersion", "kind", "metadata.name", "metadata.uid", "metadata.creationTimestamp"];

/// Types with fields that the API server sets in every object, by default or when it is created; sorted.
const OF_TYPES: [(&str, &str); 18] = [
    ("cronjobs.batch", "spec.concurrencyPolicy"),
    ("cronjobs.batch", "spec.schedule"),
    ("daemonsets.apps", "spec.updateStrategy.type"),
    ("deployments.apps", "spec.replicas"),
    ("deployments.apps", "spec.strategy.type"),
    ("namespaces", "status.phase"),
    ("persistentvolumeclaims", "spec.volumeMode"),
    ("persistentvolumeclaims", "status.phase"),
    ("persistentvolumes", "spec.persistentVolumeReclaimPolicy"),
    ("persistentvolumes", "spec.volumeMode"),
    ("persistentvolumes", "status.phase"),
    ("pods", "spec.dnsPolicy"),
    ("pods", "spec.restartPolicy"),
    ("pods", "status.phase"),
    ("pods", "status.qosClass"),
    ("replicasets.apps", "spec.replicas"),
    ("services", "spec.type"),
    ("statefulsets.apps", "spec.replicas"),
];

/// Returns whether every object of the type has the field.
pub fn is_always_set(name: &TypeName, field: &str) -> bool {
    let name = name.canonical().to_string();
    OF_ALL.contains(&field) || OF_TYPES.binary_search(&(name.as_str(), field)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_of_the_api_server_are_always_set() {
        assert!(OF_TYPES.is_sorted());
        let pods = TypeName::new("pods", "");
        assert!(is_always_set(&pods, "status.phase") && is_always_set(&pods, "metadata.name"));
        assert!(!is_always_set(&pods, "status.reason"));
    }
}
