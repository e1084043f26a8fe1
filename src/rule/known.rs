//! What is known of objects by their type: learned from rule tests and synthetic bundles.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use serde_json::Value;

use crate::expr::Shape;
use crate::expr::shape::Kind;
use crate::resource::types::{self, TypeName};

/// The type that is made of the records of Helm releases.
const RELEASES: &str = "helmreleases";

/// The fields of objects by their type.
#[derive(Clone, Debug, Default)]
pub struct Knowledge {
    types: BTreeMap<TypeName, Arc<Shape>>,
}

/// As `resource::helm` makes them.
static RELEASE: LazyLock<Arc<Shape>> = LazyLock::new(|| {
    let text = || Shape::of(Kind::Text);
    let texts = |names: &[&'static str]| names.iter().map(|name| (*name, text())).collect::<Vec<_>>();
    let mut fields = texts(&["apiVersion", "kind", "name", "namespace", "status", "updated", "description", "source"]);
    fields.extend([
        ("metadata", Arc::new(Shape::map(texts(&["name", "namespace", "uid"])))),
        ("revision", Shape::of(Kind::Number)),
        ("latest", Shape::of(Kind::Bool)),
        ("partial", Shape::of(Kind::Bool)),
        ("chart", Arc::new(Shape::map(texts(&["name", "version", "appVersion"])))),
        ("manifest", Shape::list(Shape::anything())),
        ("hooks", Shape::list(Shape::anything())),
    ]);
    Arc::new(Shape::map(fields))
});

impl Knowledge {
    /// Whether nothing was learned, so that nothing learned can be missed.
    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }

    /// Adds what an object shows; one without kind shows nothing. Objects of tests are not `whole`: they are cut short.
    pub fn learn(&mut self, object: &Value, whole: bool) {
        let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default();
        let (group, kind) = (types::split_api_version(text("apiVersion")).0, text("kind"));
        if kind.is_empty() {
            return;
        }
        let known = types::known_kind(group, kind);
        let plural = known.map_or_else(|| types::guess_plural(kind), |known| known.plural.to_owned());
        let name = TypeName::new(&plural, group).canonical();
        let shape = self.types.entry(name).or_insert_with(|| Arc::new(Shape::object()));
        Arc::make_mut(shape).learn(object, whole);
    }

    /// What is known of the objects of a type.
    pub fn objects(&self, name: &TypeName) -> Arc<Shape> {
        if name.group.is_empty() && name.plural == RELEASES {
            return Arc::clone(&RELEASE);
        }
        self.types.get(&name.canonical()).cloned().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn objects_are_known_by_type() {
        let mut known = Knowledge::default();
        known.learn(
            &json!({"apiVersion": "longhorn.io/v1beta2", "kind": "Volume", "status": {"state": "attached"}}),
            true,
        );
        known.learn(&json!({"status": {"no": "kind"}}), true);
        let volume = known.objects(&TypeName::new("volumes", "longhorn.io"));
        assert!(volume.field("status").unwrap().field("stat").is_none() && volume.field("metadata").is_some());
        assert!(!known.objects(&TypeName::new("pods", "")).is_known());
        assert!(known.objects(&TypeName::new("helmreleases", "")).field("chart").unwrap().field("home").is_none());
    }
}
