//! Shapes of objects by their type, from the API fields of the products.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, OnceLock};

use crate::api_fields::{self, BaseType, Field, Values};
use crate::expr::Shape;
use crate::expr::shape::Kind;
use crate::resource::types::TypeName;
use crate::rule::check::crds;

/// The type that is made of the records of Helm releases.
const RELEASES: &str = "helmreleases";

/// The shapes of objects by their type.
#[derive(Debug, Default)]
pub struct Knowledge {
    types: BTreeMap<TypeName, KnownKind>,
    /// Custom resources of the author; they replace types of the same name.
    own: BTreeMap<TypeName, Arc<Shape>>,
}

/// A kind, and its shape once a rule has asked for it.
#[derive(Debug)]
struct KnownKind {
    kind: &'static api_fields::Kind,
    shape: OnceLock<Arc<Shape>>,
}

/// The shape of the objects that `resource::helm` makes.
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

/// `metadata` of every object.
static METADATA: LazyLock<Arc<Shape>> = LazyLock::new(|| map_of(api_fields::object_meta()));

impl Knowledge {
    /// Everything that the embedded table of API fields has.
    pub fn of_api() -> Self {
        let name = |kind: &api_fields::Kind| TypeName::new(kind.plural, kind.group).canonical();
        let known = |kind| KnownKind { kind, shape: OnceLock::new() };
        let types = api_fields::kinds().map(|kind| (name(kind), known(kind))).collect();
        Self { types, own: BTreeMap::new() }
    }

    /// Adds the custom resources that a file of CustomResourceDefinitions defines.
    ///
    /// # Errors
    ///
    /// Returns what is wrong with the file.
    pub fn add_crds(&mut self, text: &str) -> Result<(), String> {
        self.own.extend(crds::shapes(text, &METADATA)?);
        Ok(())
    }

    /// Returns whether nothing is known, so that nothing can be missed.
    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }

    /// The shape of the objects of a type; anything when the table does not have it.
    pub fn objects(&self, name: &TypeName) -> Arc<Shape> {
        if name.group.is_empty() && name.plural == RELEASES {
            return Arc::clone(&RELEASE);
        }
        if let Some(own) = self.own.get(&name.canonical()) {
            return Arc::clone(own);
        }
        let known = self.types.get(&name.canonical());
        known.map_or_else(Shape::anything, |known| Arc::clone(known.shape.get_or_init(|| object(known.kind))))
    }
}

/// Fields for which the source defines values, but any text is allowed.
const OPEN_VALUES: [(&str, &str, &str); 1] = [("", "Secret", "type")];

/// An object of a kind; every object has `apiVersion` and `kind`, too.
fn object(kind: &api_fields::Kind) -> Arc<Shape> {
    let names = ["apiVersion", "kind"].map(|name| (name, Shape::of(Kind::Text)));
    let is_open = |field: &Field| OPEN_VALUES.contains(&(kind.group, kind.name, field.name));
    let own = |field: &Field| if is_open(field) { Shape::of(Kind::Text) } else { shape(field) };
    let fields = kind.fields().iter().map(|field| (field.name, own(field)));
    Arc::new(Shape::sampled([Kind::Map], names.into_iter().chain(fields)))
}

fn map_of(fields: &[Field]) -> Arc<Shape> {
    Arc::new(Shape::sampled([Kind::Map], fields.iter().map(|field| (field.name, shape(field)))))
}

/// The shape of a field. The data nests at most some thirty levels deep.
fn shape(field: &Field) -> Arc<Shape> {
    if field.is(BaseType::Any) {
        return Shape::anything();
    }
    if field.is(BaseType::ObjectMeta) {
        return Arc::clone(&METADATA);
    }
    let items = ["[]", "{}"].map(|name| field.part(name).map(shape));
    let both = items.iter().all(Option::is_some);
    // Longhorn's first API had conditions as maps; they are read as lists.
    let as_list = both && field.name == "conditions";
    let kinds = field.value_type.bases.iter().filter_map(|base| kind_of(*base));
    let kinds = kinds.filter(|kind| !(as_list && *kind == Kind::Map));
    let fields = field.fields.iter().filter(|part| !matches!(part.name, "[]" | "{}"));
    let own = Shape::sampled(kinds, fields.map(|field| (field.name, shape(field))));
    let own = own.with_values(values(field)).with_versions(field.versions);
    let items = items.into_iter().flatten().reduce(|all, one| all.or(&one));
    Arc::new(items.into_iter().fold(own, Shape::with_items))
}

/// The texts that a field takes.
fn values(field: &Field) -> impl Iterator<Item = Cow<'static, str>> {
    let known = match &field.value_type.values {
        Some(Values::Enforced(values) | Values::Defined(values)) => values.as_slice(),
        None => &[],
    };
    known.iter().copied().map(Cow::Borrowed)
}

fn kind_of(base: BaseType) -> Option<Kind> {
    match base {
        BaseType::String | BaseType::Time | BaseType::Quantity | BaseType::Duration => Some(Kind::Text),
        BaseType::Integer | BaseType::Number => Some(Kind::Number),
        BaseType::Boolean => Some(Kind::Bool),
        BaseType::List => Some(Kind::List),
        BaseType::Map | BaseType::Object | BaseType::Open | BaseType::ObjectMeta => Some(Kind::Map),
        BaseType::Any | BaseType::Null => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(name: &str, group: &str, path: &[&str]) -> Option<Arc<Shape>> {
        let object = Knowledge::of_api().objects(&TypeName::new(name, group));
        path.iter()
            .try_fold(object, |shape, name| if *name == "[]" { Some(shape.element()) } else { shape.field(name) })
    }

    #[test]
    fn objects_are_known_by_type() {
        assert!(at("volumes", "longhorn.io", &["status", "robustness"]).unwrap().is(Kind::Text));
        assert!(at("volumes", "longhorn.io", &["status", "robustnes"]).is_none());
        assert!(at("volumes", "longhorn.io", &["status", "conditions", "[]", "tipe"]).is_none());
        assert!(at("volumes", "longhorn.io", &["metadata", "nmae"]).is_none());
        assert!(at("volumes", "longhorn.io", &["kind"]).is_some());
        assert!(at("pods", "", &["metadata", "labels", "app"]).unwrap().is(Kind::Text));
        assert!(at("pods", "", &["spec", "template"]).is_none());
        assert!(at("daemonsets", "apps", &["spec", "template", "metadata", "deletionTimestamp"]).is_some());
    }

    #[test]
    fn free_and_unknown_shapes_have_any_field() {
        assert!(at("configmaps", "", &["data", "any"]).unwrap().is(Kind::Text));
        assert!(at("widgets", "example.org", &["spec", "any"]).is_some_and(|shape| !shape.is_known()));
        assert!(Knowledge::default().is_empty() && !Knowledge::of_api().is_empty());
    }

    #[test]
    fn releases_of_helm_are_known() {
        assert!(at("helmreleases", "", &["chart", "home"]).is_none());
        assert!(at("helmreleases", "", &["chart", "name"]).unwrap().is(Kind::Text));
    }
}
