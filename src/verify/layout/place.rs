//! Places of objects in dumps, and lists of objects as clients write them.

use serde_json::{Value, json};

use crate::resource::types::{self, TypeName};
use crate::verify::case::object_name;

/// The files of a bundle by path.
pub type Files = Vec<(String, Vec<u8>)>;

/// An object of a case with the place where it was collected.
pub type Placed = (Place, Value);

/// Writes objects like `kubectl get -o yaml`.
pub(super) fn list(items: &[&Value]) -> Result<String, serde_yaml::Error> {
    serde_yaml::to_string(&json!({"apiVersion": "v1", "items": items, "kind": "List", "metadata": {}}))
}

/// Returns a list like that of a typed client: its items have no kind and version.
pub(super) fn typed_list(items: &[&Value]) -> Value {
    let first = items.first().copied().unwrap_or(&Value::Null);
    let kind = format!("{}List", first.get("kind").and_then(Value::as_str).unwrap_or_default());
    let bare = |item: &&Value| {
        let mut item = (*item).clone();
        if let Value::Object(fields) = &mut item {
            fields.remove("kind");
            fields.remove("apiVersion");
        }
        item
    };
    let items: Vec<Value> = items.iter().map(bare).collect();
    json!({"kind": kind, "apiVersion": first.get("apiVersion"), "metadata": {"resourceVersion": "1"}, "items": items})
}

/// Returns the error for an object that the collector of a layout does not take.
pub(super) fn unasked(layout: &str, object: &Value) -> String {
    format!("{}: the collector of layout {layout} does not collect such objects", object_name(object))
}

/// Place of an object in the dumps.
pub struct Place {
    pub name: TypeName,
    /// `group/version`, or only the version in the core group.
    pub version: String,
    /// Empty for cluster-scoped objects.
    pub namespace: String,
}

impl Place {
    /// Determines the place of an object.
    ///
    /// # Errors
    ///
    /// If it has no kind or name, or needs a namespace.
    pub fn of(object: &Value) -> Result<Self, String> {
        let text = |path: &str| object.pointer(path).and_then(Value::as_str).unwrap_or_default();
        let (kind, name) = (text("/kind"), text("/metadata/name"));
        if kind.is_empty() || name.is_empty() {
            return Err(format!("an object has no kind or no metadata.name: {object}"));
        }
        let version = text("/apiVersion");
        let group = version.split_once('/').map_or("", |(group, _)| group);
        let known = types::known_kind(group, kind);
        let plural = known.map_or_else(|| types::guess_plural(kind), |known| known.plural.to_owned());
        let namespace = text("/metadata/namespace");
        if namespace.is_empty() && known.is_some_and(|known| known.namespaced) {
            return Err(format!("{kind}/{name} needs metadata.namespace"));
        }
        Ok(Self { name: TypeName::new(&plural, group), version: version.to_owned(), namespace: namespace.to_owned() })
    }

    /// Returns true if it is in the dump of a type, in a namespace or in any.
    pub fn is_of(&self, name: &TypeName, namespace: Option<&str>) -> bool {
        self.name == *name && namespace.is_none_or(|namespace| namespace == self.namespace)
    }
}
