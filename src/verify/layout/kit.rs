//! A case as a bundle of the support-bundle-kit.

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::case::Case;
use super::place::{Files, Place, Placed, list, unasked};
use crate::resource::types::TypeName;

/// Writes the files of the support-bundle-kit.
///
/// # Errors
///
/// If an object cannot be written as YAML.
pub(super) fn files(case: &Case, objects: &[Placed]) -> Result<Files, String> {
    let mut dumps: BTreeMap<String, Vec<&Value>> = BTreeMap::new();
    // Identifies the layout even if a case has no objects.
    dumps.entry("yamls/cluster/v1/namespaces.yaml".to_owned()).or_default();
    for (place, object) in objects {
        dumps.entry(path(place)).or_default().push(object);
    }
    let mut files: Files = vec![("metadata.yaml".to_owned(), metadata(case).into_bytes())];
    files.push(("bundleGenerationError.log".to_owned(), Vec::new()));
    for (path, items) in dumps {
        let text = list(&items).map_err(|e| format!("{path}: {e}"))?;
        files.push((path, text.into_bytes()));
    }
    Ok(files)
}

/// Writes the files of a Longhorn bundle, which has nothing of Harvester.
///
/// # Errors
///
/// Like [`files`], and for objects of Harvester.
pub(super) fn of_longhorn(case: &Case, objects: &[Placed]) -> Result<Files, String> {
    if let Some((_, object)) = objects.iter().find(|(place, _)| is_of_harvester(&place.name)) {
        return Err(unasked("longhorn", object));
    }
    let mut files = files(case, objects)?;
    // Identifies the kind of bundle even if a case has no Longhorn objects.
    let mark = "yamls/namespaced/longhorn-system/v1/serviceaccounts.yaml";
    if files.iter().all(|(path, _)| path != mark) {
        files.push((mark.to_owned(), list(&[]).map_err(|e| e.to_string())?.into_bytes()));
    }
    Ok(files)
}

/// Returns whether a type is one of Harvester's own, which a Longhorn bundle does not have.
pub(super) fn is_of_harvester(name: &TypeName) -> bool {
    name.group.ends_with("harvesterhci.io")
}

fn metadata(case: &Case) -> String {
    let now = case.now.map(|now| now.to_string()).unwrap_or_default();
    let kubernetes = case.versions.get("kubernetes").cloned().unwrap_or_default();
    format!("bundlename: test\nbundleversion: 0.1.0\nkubernetesversion: {kubernetes:?}\nbundlecreatedat: {now:?}\n")
}

fn path(place: &Place) -> String {
    let (version, plural) = (&place.version, &place.name.plural);
    match place.namespace.as_str() {
        "" => format!("yamls/cluster/{version}/{plural}.yaml"),
        namespace => format!("yamls/namespaced/{namespace}/{version}/{plural}.yaml"),
    }
}
