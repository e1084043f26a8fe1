//! Types as a user of kubectl names them: plural, singular, kind, short name, with or without group, or the category `all`.
//!
//! Known are the types of the products, of the objects of the bundle, and of the definitions in it.

use std::collections::BTreeMap;

use crate::expr::nearest;
use crate::resource::types::{built_in, definitions, known_types, short_names};
use crate::resource::{ResourceIndex, TypeName};
use crate::yaml::Node;

/// All types that a bundle can be asked for.
pub struct TypeCatalogue {
    types: BTreeMap<TypeName, Names>,
}

/// Other names of a type.
#[derive(Debug, Default)]
struct Names {
    kind: String,
    /// Short names, and a singular that is not the kind.
    short: Vec<String>,
    /// True if `all` includes it.
    in_all: bool,
    /// True if the bundle has objects of it.
    has_objects: bool,
}

/// A type with its other names.
#[cfg(feature = "serve")]
#[derive(Clone, Copy, Debug)]
pub struct CataloguedType<'c> {
    pub type_: &'c TypeName,
    /// Empty if nothing tells it.
    pub kind: &'c str,
    /// Short names, and a singular that is not the kind.
    pub short: &'c [String],
    /// True if `all` includes it.
    pub in_all: bool,
    /// True if the bundle has objects of it.
    pub has_objects: bool,
}

/// Why a name is no type.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum TypeError {
    #[error("no type `{asked}` is known, and no object of it is in the bundle{hint}")]
    Unknown { asked: String, hint: String },
    #[error("`{asked}` is the name of several types; name its group: {}", .types.join(", "))]
    Ambiguous { asked: String, types: Vec<String> },
}

impl TypeCatalogue {
    /// Collects the types of the tables and of a bundle.
    pub fn of(index: &ResourceIndex) -> Self {
        let mut catalogue = Self { types: BTreeMap::new() };
        for known in known_types() {
            catalogue.names(&TypeName::new(known.plural, known.group)).kind = known.kind.to_owned();
        }
        for row in short_names() {
            let names = catalogue.names(&row.type_);
            names.short.extend(row.names().map(str::to_owned));
            names.in_all = row.in_all;
        }
        for definition in index.all(&definitions().to_string()) {
            catalogue.define(definition.body());
        }
        for type_ in index.types() {
            let first = index.of_type(type_).first().map(|id| index.resource(*id));
            let names = catalogue.names(type_);
            names.has_objects = true;
            if names.kind.is_empty() {
                names.kind = first.map_or_else(String::new, |first| first.kind.to_string());
            }
        }
        catalogue
    }

    /// Returns all types, sorted by plural and group.
    #[cfg(feature = "serve")]
    pub fn all(&self) -> impl Iterator<Item = CataloguedType<'_>> {
        self.types.iter().map(|(type_, names)| CataloguedType {
            type_,
            kind: &names.kind,
            short: &names.short,
            in_all: names.in_all,
            has_objects: names.has_objects,
        })
    }

    fn names(&mut self, type_: &TypeName) -> &mut Names {
        self.types.entry(type_.canonical()).or_default()
    }

    /// Adds a CustomResourceDefinition.
    fn define(&mut self, body: Node<'_>) {
        let Some(names) = body.path(&["spec", "names"]) else { return };
        let (Some(plural), Some(group)) = (names.str_at(&["plural"]), body.str_at(&["spec", "group"])) else { return };
        let texts = |key: &str| names.get(key).into_iter().flat_map(Node::items).filter_map(Node::as_str);
        let known = self.names(&TypeName::new(plural, group));
        known.kind = names.str_at(&["kind"]).unwrap_or_default().to_owned();
        known.short.extend(texts("shortNames").chain(names.str_at(&["singular"])).map(str::to_lowercase));
        known.in_all |= texts("categories").any(|category| category == "all");
    }

    /// Finds the types that a user means: one, or several for `all`.
    ///
    /// # Errors
    /// No type has the name, or several that kubectl could not tell apart either.
    pub fn find(&self, asked: &str) -> Result<Vec<TypeName>, TypeError> {
        if asked == "all" {
            let mut all: Vec<_> = self.types.iter().filter(|(_, names)| names.in_all).map(|(type_, _)| type_).collect();
            all.sort_by(|a, b| (&a.group, &a.plural).cmp(&(&b.group, &b.plural)));
            return Ok(all.into_iter().cloned().collect());
        }
        let lower = asked.to_ascii_lowercase();
        let (name, group) = lower.split_once('.').unwrap_or((&lower, ""));
        let by_name = self.named(name, group);
        // `deployments.v1.apps`
        let by_version = || group.split_once('.').map_or(Vec::new(), |(_, group)| self.named(name, group));
        let core_version = |group: &str| group.starts_with('v') && group[1..].starts_with(|c: char| c.is_ascii_digit());
        let found = match by_name.is_empty() {
            true if core_version(group) && !group.contains('.') => self.exact(name, |type_| type_.group.is_empty()),
            true if core_version(group) => by_version(),
            _ => by_name,
        };
        self.preferred(asked, found).map(|type_| vec![type_])
    }

    /// Returns the types of a name in a group, or in all groups that begin so.
    fn named(&self, name: &str, group: &str) -> Vec<&TypeName> {
        let canonical = TypeName::new(name, group).canonical();
        let exact = self.exact(name, |type_| type_.group == canonical.group && !group.is_empty());
        if exact.is_empty() { self.exact(name, |type_| type_.group.starts_with(group)) } else { exact }
    }

    /// Returns the types of a name: plurals and kinds before short names.
    fn exact(&self, name: &str, in_group: impl Fn(&TypeName) -> bool) -> Vec<&TypeName> {
        let of = |is_named: &dyn Fn(&TypeName, &Names) -> bool| -> Vec<&TypeName> {
            let found = self.types.iter().filter(|(type_, names)| in_group(type_) && is_named(type_, names));
            found.map(|(type_, _)| type_).collect()
        };
        let whole = of(&|type_, names| type_.plural == name || names.kind.eq_ignore_ascii_case(name));
        if whole.is_empty() { of(&|_, names| names.short.iter().any(|short| short == name)) } else { whole }
    }

    /// Prefers the core group, then Kubernetes' own groups as kubectl does, then the only type with objects.
    fn preferred(&self, asked: &str, found: Vec<&TypeName>) -> Result<TypeName, TypeError> {
        let core = found.iter().find(|type_| type_.group.is_empty());
        let own = core.or_else(|| found.iter().find(|type_| built_in(&type_.group)));
        let has_objects = |type_: &&&TypeName| self.types.get(**type_).is_some_and(|names| names.has_objects);
        let mut filled = found.iter().filter(has_objects);
        let filled = filled.next().filter(|_| filled.next().is_none());
        match (own.or(filled), found.as_slice()) {
            (Some(type_), _) => Ok((*type_).clone()),
            (None, [only]) => Ok((*only).clone()),
            (None, []) => Err(TypeError::Unknown { asked: asked.to_owned(), hint: self.hint(asked) }),
            (None, several) => {
                let types = several.iter().map(ToString::to_string).collect();
                Err(TypeError::Ambiguous { asked: asked.to_owned(), types })
            }
        }
    }

    fn hint(&self, asked: &str) -> String {
        let name = asked.split('.').next().unwrap_or_default();
        let singular = |kind: &str| kind.to_ascii_lowercase();
        let kinds: Vec<String> = self.types.values().map(|names| singular(&names.kind)).collect();
        let plurals = self.types.keys().map(|type_| type_.plural.as_str());
        let near = nearest(name, plurals.chain(kinds.iter().map(String::as_str)));
        near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource::{DumpPlace, IndexBuilder, dump};
    use crate::yaml;
    use std::sync::Arc;

    fn catalogue(objects: &str) -> TypeCatalogue {
        let mut builder = IndexBuilder::default();
        let (document, problems) = yaml::parse(objects.as_bytes().to_vec());
        let document = Arc::new(document);
        builder.add(dump::read_objects("a.yaml".into(), None::<&DumpPlace>, &document).with_problems(&problems));
        TypeCatalogue::of(&builder.finish().0)
    }

    const OBJECTS: &str = "apiVersion: example.org/v1\nkind: Gadget\nmetadata: {name: a}\n---\n\
        apiVersion: longhorn.io/v1beta2\nkind: Setting\nmetadata: {name: a}\n---\n\
        apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: things.example.org}\n\
        spec: {group: example.org, names: {plural: things, kind: Thing, singular: thingy, shortNames: [tg], categories: [all]}}\n";

    #[test]
    fn types_are_named_as_in_kubectl() {
        let catalogue = catalogue(OBJECTS);
        for (asked, wanted) in [
            ("po", "pods"),
            ("Pod", "pods"),
            ("nodes", "nodes"),
            ("deploy", "deployments.apps"),
            ("deployments.v1.apps", "deployments.apps"),
            ("pods.v1", "pods"),
            ("ingresses.extensions", "ingresses.networking.k8s.io"),
            ("events.events.k8s.io", "events"),
            ("vmi", "virtualmachineinstances.kubevirt.io"),
            ("lhv", "volumes.longhorn.io"),
            ("volumes.longhorn", "volumes.longhorn.io"),
            ("nodes.longhorn.io", "nodes.longhorn.io"),
            ("nodes.metrics.k8s.io", "nodes.metrics.k8s.io"),
            ("gadgets", "gadgets.example.org"),
            ("tg", "things.example.org"),
            ("thingy", "things.example.org"),
            // The only one of three with objects.
            ("settings", "settings.longhorn.io"),
        ] {
            let found = catalogue.find(asked).map(|types| types.iter().map(ToString::to_string).collect::<Vec<_>>());
            assert_eq!(found, Ok(vec![wanted.to_owned()]), "{asked}");
        }
        let all = catalogue.find("all").unwrap();
        assert!(all.contains(&TypeName::parse("things.example.org")) && all.contains(&TypeName::parse("pods")));
        assert_eq!(all.first(), Some(&TypeName::parse("pods")));
    }

    #[test]
    fn wrong_names_get_a_hint() {
        let catalogue = catalogue("");
        assert_eq!(
            catalogue.find("pdos").unwrap_err().to_string(),
            "no type `pdos` is known, and no object of it is in the bundle; did you mean `pods`?"
        );
        let error = catalogue.find("settings").unwrap_err().to_string();
        assert!(error.contains("settings.harvesterhci.io, settings.longhorn.io"), "{error}");
    }
}
