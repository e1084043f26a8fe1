//! A case as the files of `kubectl cluster-info dump --output-directory`.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::place::{Files, Place, Placed, typed_list, unasked};
use crate::resource::types::TypeName;

/// The name of the layout in tests.
const NAME: &str = "cluster-info";
/// The namespace that every dump has.
const HOME: &str = "kube-system";
/// Types that have a file in each namespace, with file name and kind.
const TYPES: [(&str, &str, &str, &str); 7] = [
    ("daemonsets.apps", "daemonsets", "apps/v1", "DaemonSet"),
    ("deployments.apps", "deployments", "apps/v1", "Deployment"),
    ("events", "events", "v1", "Event"),
    ("pods", "pods", "v1", "Pod"),
    ("replicasets.apps", "replicasets", "apps/v1", "ReplicaSet"),
    ("replicationcontrollers", "replication-controllers", "v1", "ReplicationController"),
    ("services", "services", "v1", "Service"),
];

/// Writes the files of the dump: each namespace has a file for each type, even without objects.
///
/// # Errors
///
/// If the command does not collect an object.
pub(super) fn files(objects: &[Placed]) -> Result<Files, String> {
    let mut lists: BTreeMap<String, Vec<&Value>> = BTreeMap::new();
    for (place, object) in objects {
        let path = path(place).ok_or_else(|| unasked(NAME, object))?;
        lists.entry(path).or_default().push(object);
    }
    let namespaces =
        objects.iter().map(|(place, _)| place.namespace.as_str()).filter(|namespace| !namespace.is_empty());
    let mut files: BTreeMap<String, Value> = BTreeMap::from([("nodes.json".to_owned(), empty("v1", "Node"))]);
    for namespace in namespaces.chain([HOME]) {
        let of_type = |(_, stem, version, kind): &(&str, &str, &str, &str)| {
            (format!("{namespace}/{stem}.json"), empty(version, kind))
        };
        files.extend(TYPES.iter().map(of_type));
    }
    files.extend(lists.into_iter().map(|(path, items)| (path, typed_list(&items))));
    Ok(files.into_iter().map(|(path, list)| (path, list.to_string().into_bytes())).collect())
}

/// Returns whether the command takes objects of a type.
pub(super) fn takes(name: &TypeName) -> bool {
    let name = name.to_string();
    name == "nodes" || TYPES.iter().any(|(known, ..)| *known == name)
}

fn path(place: &Place) -> Option<String> {
    let name = place.name.to_string();
    match place.namespace.as_str() {
        "" => (name == "nodes").then(|| "nodes.json".to_owned()),
        namespace => {
            let (_, stem, ..) = TYPES.iter().find(|(known, ..)| *known == name)?;
            Some(format!("{namespace}/{stem}.json"))
        }
    }
}

fn empty(version: &str, kind: &str) -> Value {
    json!({"kind": format!("{kind}List"), "apiVersion": version, "metadata": {"resourceVersion": "1"}, "items": []})
}
