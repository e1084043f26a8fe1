//! A case as the files of `oc adm must-gather`.

use std::collections::BTreeMap;

use serde_json::Value;

use super::place::{Files, Place, Placed, list};
use crate::resource::types;

/// Writes the files of the bundle: lists for built-in types of a namespace, one file per object for all others.
///
/// # Errors
///
/// If an object cannot be written as YAML.
pub(super) fn files(objects: &[Placed]) -> Result<Files, String> {
    // Identifies the layout even if a case has no objects.
    let mut files: Files = vec![("version".to_owned(), b"openshift/must-gather\n4.16.0\n".to_vec())];
    files.push((
        "cluster-scoped-resources/core/nodes.yaml".to_owned(),
        document(&list(&[]).map_err(|e| e.to_string())?),
    ));
    let mut lists: BTreeMap<String, Vec<&Value>> = BTreeMap::new();
    for (place, object) in objects {
        let folder = folder(place);
        if place.namespace.is_empty() || !types::built_in(&place.name.group) {
            let name = object.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
            let text = serde_yaml::to_string(object).map_err(|e| format!("{folder}/{name}: {e}"))?;
            files.push((format!("{folder}/{name}.yaml"), document(&text)));
        } else {
            lists.entry(format!("{folder}.yaml")).or_default().push(object);
        }
    }
    for (path, items) in lists {
        let text = list(&items).map_err(|e| format!("{path}: {e}"))?;
        files.push((path, document(&text)));
    }
    Ok(files)
}

fn document(text: &str) -> Vec<u8> {
    format!("---\n{text}").into_bytes()
}

fn folder(place: &Place) -> String {
    let group = if place.name.group.is_empty() { "core" } else { place.name.group.as_str() };
    match place.namespace.as_str() {
        "" => format!("cluster-scoped-resources/{group}/{}", place.name.plural),
        namespace => format!("namespaces/{namespace}/{group}/{}", place.name.plural),
    }
}
