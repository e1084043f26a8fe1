//! Names of objects in tests: `Kind[.group]/[namespace/]name`.

use serde_json::Value;

/// Returns the name of an object in a test: `Kind.group/namespace/name`.
pub fn object_name(object: &Value) -> String {
    let text = |path: &str| object.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let group = text("/apiVersion").split_once('/').map_or("", |(group, _)| group);
    let mut name = text("/kind").to_owned();
    if !group.is_empty() {
        name = format!("{name}.{group}");
    }
    for part in [text("/metadata/namespace"), text("/metadata/name")] {
        if !part.is_empty() {
            name = format!("{name}/{part}");
        }
    }
    name
}

/// Returns true if the object has that name, in which group and namespace are optional.
pub(super) fn is_named(object: &Value, name: &str) -> bool {
    same_object(&object_name(object), name)
}

/// Returns true if a possibly shorter name refers to the full one.
pub fn same_object(full: &str, short: &str) -> bool {
    let (full_kind, full_rest) = full.split_once('/').unwrap_or((full, ""));
    let (short_kind, short_rest) = short.split_once('/').unwrap_or((short, ""));
    let kind = full_kind == short_kind || full_kind.split_once('.').is_some_and(|(kind, _)| kind == short_kind);
    kind && (full_rest == short_rest || full_rest.split_once('/').is_some_and(|(_, name)| name == short_rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_mean_the_same_object() {
        let full = "Volume.longhorn.io/longhorn-system/v1";
        for short in [full, "Volume/longhorn-system/v1", "Volume.longhorn.io/v1", "Volume/v1"] {
            assert!(same_object(full, short), "{short}");
        }
        for other in ["Volume/v2", "Volume.other.io/v1", "Engine/v1", "Volume/other/v1"] {
            assert!(!same_object(full, other), "{other}");
        }
    }
}
