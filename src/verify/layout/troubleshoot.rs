//! A case as the files of a support bundle of troubleshoot.sh.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::place::{Files, Place, Placed, typed_list, unasked};
use crate::bundle::troubleshoot_name;
use crate::resource::types::{self, TypeName};

/// Writes the files of the bundle.
///
/// # Errors
///
/// If the collector does not collect an object.
pub(super) fn files(objects: &[Placed]) -> Result<Files, String> {
    // Identifies the layout even if a case has no objects.
    let version = "apiVersion: troubleshoot.sh/v1beta2\nkind: SupportBundle\n";
    let mut files: Files = vec![("version.yaml".to_owned(), version.as_bytes().to_vec())];
    files.push(("cluster-info/cluster_version.json".to_owned(), b"{}".to_vec()));
    files.push(("cluster-resources/groups.json".to_owned(), b"[]".to_vec()));
    let mut lists: BTreeMap<String, Vec<&Value>> = BTreeMap::new();
    for (place, object) in objects {
        lists.entry(path(place).ok_or_else(|| unasked("troubleshoot", object))?).or_default().push(object);
    }
    files.extend(lists.into_iter().map(|(path, items)| {
        let text = if path.contains("/custom-resources/") { json!(items) } else { typed_list(&items) };
        (path, text.to_string().into_bytes())
    }));
    Ok(files)
}

/// Returns whether the collector takes objects of a type: some built-in ones, and all custom resources.
pub(super) fn takes(name: &TypeName) -> bool {
    troubleshoot_name(&name.plural, &name.group).is_some() || !types::built_in(&name.group)
}

fn path(place: &Place) -> Option<String> {
    let name = match troubleshoot_name(&place.name.plural, &place.name.group) {
        Some(name) => name.to_owned(),
        None if takes(&place.name) => format!("custom-resources/{}", place.name),
        None => return None,
    };
    Some(match place.namespace.as_str() {
        "" => format!("cluster-resources/{name}.json"),
        namespace => format!("cluster-resources/{name}/{namespace}.json"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::{Bundle, Limits};

    fn written(object: Value) -> Result<Files, String> {
        files(&[(Place::of(&object)?, object)])
    }

    #[test]
    fn objects_stand_in_the_lists_of_the_collector() {
        let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "shop"}});
        let written_pod = written(pod).unwrap();
        let (path, text) = written_pod.last().unwrap();
        assert_eq!(path, "cluster-resources/pods/shop.json");
        let text: Value = serde_json::from_slice(text).unwrap();
        assert_eq!((&text["kind"], &text["items"][0]["kind"]), (&json!("PodList"), &Value::Null));
        let bundle = Bundle::from_memory("case", written_pod, Limits::default());
        assert_eq!((bundle.kind().as_str(), bundle.issues()), ("troubleshoot", &[][..]));
        let volume = json!({"apiVersion": "longhorn.io/v1beta2", "kind": "Volume",
            "metadata": {"name": "v", "namespace": "longhorn-system"}});
        let path = written(volume).unwrap().last().unwrap().0.clone();
        assert_eq!(path, "cluster-resources/custom-resources/volumes.longhorn.io/longhorn-system.json");
    }

    #[test]
    fn types_that_the_collector_does_not_take_are_reported() {
        let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "shop"}});
        assert!(written(secret).unwrap_err().contains("Secret/shop/s: the collector of layout troubleshoot"));
    }
}
