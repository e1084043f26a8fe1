//! Shapes of custom resources from CustomResourceDefinitions that an author names (`rules check --crds`).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::expr::Shape;
use crate::expr::shape::Kind;
use crate::resource::types::TypeName;
use crate::yaml::{self, Node};

/// Deepest nesting of a schema that is read; below it anything is allowed.
const MAX_DEPTH: usize = 64;

/// Returns the shapes of the custom resources that a file defines: documents or lists of CustomResourceDefinitions
/// (apiextensions.k8s.io/v1), as `kubectl get crds -o yaml` prints them.
///
/// # Errors
///
/// Returns what is wrong with the file: its line and problem, or that it defines nothing.
pub fn shapes(text: &str, metadata: &Arc<Shape>) -> Result<BTreeMap<TypeName, Arc<Shape>>, String> {
    let (document, problems) = yaml::parse(text.as_bytes().to_vec());
    if let Some(problem) = problems.iter().find(|problem| !problem.is_repetition()) {
        return Err(format!("line {}: {}", problem.line, problem.message));
    }
    let mut found: BTreeMap<TypeName, Arc<Shape>> = BTreeMap::new();
    let definitions = document.roots().flat_map(|root| match root.get("items") {
        Some(items) => items.items().collect(),
        None => vec![root],
    });
    for (name, shape) in definitions.flat_map(|one| definition(one, metadata)) {
        let known = found.get(&name).map_or_else(|| Arc::clone(&shape), |known| known.or(&shape));
        found.insert(name, known);
    }
    if found.is_empty() {
        return Err("the file has no CustomResourceDefinition with a schema (spec.versions[].schema.openAPIV3Schema)"
            .to_owned());
    }
    Ok(found)
}

/// The shapes of all versions of one definition.
fn definition(definition: Node<'_>, metadata: &Arc<Shape>) -> Vec<(TypeName, Arc<Shape>)> {
    if definition.str_at(&["kind"]) != Some("CustomResourceDefinition") {
        return Vec::new();
    }
    let names = definition.str_at(&["spec", "names", "plural"]).zip(definition.str_at(&["spec", "group"]));
    let Some((plural, group)) = names else { return Vec::new() };
    let versions = definition.path(&["spec", "versions"]).into_iter().flat_map(|versions| versions.items());
    let schemas = versions.filter_map(|version| version.path(&["schema", "openAPIV3Schema"]));
    schemas.map(|schema| (TypeName::new(plural, group).canonical(), object(schema, metadata))).collect()
}

/// An object; every object has `apiVersion`, `kind` and `metadata`.
fn object(schema: Node<'_>, metadata: &Arc<Shape>) -> Arc<Shape> {
    let own = schema.get("properties").into_iter().flat_map(|properties| properties.entry_nodes());
    let own = own.filter(|(name, _)| name.text() != "metadata").map(|(name, field)| (name.text(), shape(field, 0)));
    let common = [("apiVersion", Shape::of(Kind::Text)), ("kind", Shape::of(Kind::Text))];
    let fields: Vec<_> = common.into_iter().chain([("metadata", Arc::clone(metadata))]).chain(own).collect();
    Arc::new(Shape::sampled([Kind::Map], fields))
}

/// The shape of what a schema describes.
fn shape(schema: Node<'_>, depth: usize) -> Arc<Shape> {
    let flag = |name: &str| schema.get(name).and_then(|flag| flag.as_bool()) == Some(true);
    if depth > MAX_DEPTH || flag("x-kubernetes-preserve-unknown-fields") || flag("x-kubernetes-int-or-string") {
        return Shape::anything();
    }
    let fields = || {
        let properties = schema.get("properties").into_iter().flat_map(|properties| properties.entry_nodes());
        properties.map(|(name, field)| (name.text(), shape(field, depth + 1))).collect::<Vec<_>>()
    };
    let inner = |name: &str| schema.get(name).filter(|inner| inner.kind() == yaml::Kind::Mapping);
    match schema.str_at(&["type"]) {
        Some("string") => {
            let values = schema.get("enum").into_iter().flat_map(|values| values.items());
            let values = values.map(|value| Cow::Owned(value.text().to_owned()));
            Arc::new(Shape::sampled([Kind::Text], []).with_values(values))
        }
        Some("integer" | "number") => Arc::new(Shape::sampled([Kind::Number], [])),
        Some("boolean") => Arc::new(Shape::sampled([Kind::Bool], [])),
        Some("array") => Shape::list(inner("items").map_or_else(Shape::anything, |items| shape(items, depth + 1))),
        Some("object") => {
            let own = Shape::sampled([Kind::Map], fields());
            let values = inner("additionalProperties").map(|values| shape(values, depth + 1));
            Arc::new(values.into_iter().fold(own, Shape::with_items))
        }
        _ => Shape::anything(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CRD: &str = "
apiVersion: v1
kind: List
items:
- apiVersion: apiextensions.k8s.io/v1
  kind: CustomResourceDefinition
  spec:
    group: example.org
    names: {plural: widgets, kind: Widget}
    versions:
    - name: v1
      schema:
        openAPIV3Schema:
          type: object
          properties:
            metadata: {type: object}
            status:
              type: object
              properties:
                phase: {type: string, enum: [Ready, Broken]}
                sizes: {type: array, items: {type: integer}}
                free: {type: object, additionalProperties: {type: string}}
                any: {x-kubernetes-preserve-unknown-fields: true}
";

    #[test]
    fn schemas_of_definitions_become_shapes() {
        let shapes = shapes(CRD, &Arc::new(Shape::map([("name", Shape::of(Kind::Text))]))).unwrap();
        let widget = &shapes[&TypeName::new("widgets", "example.org")];
        let status = widget.field("status").unwrap();
        assert_eq!(status.field("phase").unwrap().values().collect::<Vec<_>>(), ["Broken", "Ready"]);
        assert!(status.field("phse").is_none() && widget.field("spec").is_none());
        assert!(status.field("sizes").unwrap().element().is(Kind::Number));
        assert!(status.field("free").unwrap().field("x").unwrap().is(Kind::Text));
        assert!(status.field("any").unwrap().field("x").is_some());
        assert!(widget.field("metadata").unwrap().field("nmae").is_none());
    }

    #[test]
    fn a_file_without_definitions_is_an_error() {
        assert!(shapes("kind: Pod\n", &Shape::anything()).unwrap_err().contains("no CustomResourceDefinition"));
        assert!(shapes("a: [\n", &Shape::anything()).unwrap_err().starts_with("line "));
    }
}
