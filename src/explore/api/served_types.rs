//! The types that are served: with version, names and scope, as discovery tells them.

use std::collections::{BTreeMap, BTreeSet};

use crate::explore::types::{CataloguedType, TypeCatalogue};
use crate::resource::types::{TypeName, built_in, definitions, helm_releases, known};
use crate::resource::{Resource, ResourceIndex};
use crate::yaml::Node;

pub const METRICS: &str = "metrics.k8s.io";
/// Versions of groups that Kubernetes serves otherwise than as `v1`, for types without objects.
const VERSIONS: [(&str, &str); 2] = [("autoscaling", "v2"), (METRICS, "v1beta1")];
/// Groups of which no object is ever kept.
const REVIEWS: [&str; 2] = ["authentication.k8s.io", "authorization.k8s.io"];

/// A type that clients can list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServedType {
    pub name: TypeName,
    pub version: String,
    pub kind: String,
    pub is_namespaced: bool,
    pub short: Vec<String>,
    /// True if `all` includes it; only types with objects are worth a request.
    pub in_all: bool,
}

impl ServedType {
    /// Returns `v1` or `apps/v1`.
    pub fn api_version(&self) -> String {
        let slash = if self.name.group.is_empty() { "" } else { "/" };
        format!("{}{slash}{}", self.name.group, self.version)
    }
}

/// All served types, sorted by group and plural.
#[derive(Clone, Debug, Default)]
pub struct ServedTypes(Vec<ServedType>);

impl ServedTypes {
    /// Chooses the types that the cluster is known to have: Kubernetes' own, those of groups that the bundle shows, and those of the
    /// definitions in it. Types without objects are among them, so that a client learns that they were not collected.
    pub fn of(index: &ResourceIndex, catalogue: &TypeCatalogue) -> Self {
        let versions = Versions::of(index, catalogue);
        let is_served = |type_: &CataloguedType<'_>| {
            let (name, group) = (type_.type_, type_.type_.group.as_str());
            *name != helm_releases()
                && name.plural != "bindings"
                && !REVIEWS.contains(&group)
                && !type_.kind.is_empty()
                && (built_in(group) || group == METRICS || index.has_group(group) || versions.groups.contains(group))
        };
        let mut types: Vec<ServedType> =
            catalogue.all().filter(is_served).map(|type_| served(index, &versions, type_)).collect();
        types.sort_by(|a, b| (&a.name.group, &a.name.plural).cmp(&(&b.name.group, &b.name.plural)));
        Self(types)
    }

    pub fn all(&self) -> &[ServedType] {
        &self.0
    }

    pub fn find(&self, group: &str, version: &str, plural: &str) -> Option<&ServedType> {
        let found = self.0.iter().find(|type_| type_.name.group == group && type_.name.plural == plural);
        found.filter(|type_| type_.version == version)
    }

    /// Returns the versions of a group with their types, the preferred one first: that of most types.
    pub fn versions(&self, group: &str) -> Vec<(&str, Vec<&ServedType>)> {
        let mut by_version: BTreeMap<&str, Vec<&ServedType>> = BTreeMap::new();
        for type_ in self.0.iter().filter(|type_| type_.name.group == group) {
            by_version.entry(&type_.version).or_default().push(type_);
        }
        let mut versions: Vec<_> = by_version.into_iter().collect();
        versions.sort_by_key(|(_, types)| std::cmp::Reverse(types.len()));
        versions
    }

    /// Returns the groups but the core one, those of Kubernetes itself first: of types with one plural, kubectl takes the first.
    pub fn groups(&self) -> Vec<&str> {
        let mut groups: Vec<&str> = self.0.iter().map(|type_| type_.name.group.as_str()).collect();
        groups.dedup();
        groups.retain(|group| !group.is_empty());
        groups.sort_by_key(|group| !built_in(group));
        groups
    }
}

fn served(index: &ResourceIndex, versions: &Versions, type_: CataloguedType<'_>) -> ServedType {
    let name = type_.type_;
    let has_namespace = || index.each(index.of_type(name)).any(|object| object.namespace.is_some());
    let is_namespaced = index.is_namespaced(name).or_else(|| known(name).map(|known| known.namespaced));
    ServedType {
        version: versions.version(name),
        kind: type_.kind.to_owned(),
        is_namespaced: is_namespaced.unwrap_or_else(has_namespace),
        short: type_.short.to_vec(),
        in_all: type_.in_all && type_.has_objects,
        name: name.clone(),
    }
}

/// Versions of types and of groups.
struct Versions {
    of_types: BTreeMap<TypeName, String>,
    of_groups: BTreeMap<String, String>,
    /// Stored versions of the definitions in the bundle.
    defined: BTreeMap<TypeName, String>,
    /// Groups of the definitions, of which a row is only the name.
    groups: BTreeSet<String>,
}

impl Versions {
    fn of(index: &ResourceIndex, catalogue: &TypeCatalogue) -> Self {
        let mut of_types = BTreeMap::new();
        for type_ in catalogue.all().filter(|type_| type_.has_objects).map(|type_| type_.type_) {
            let is_plain = |object: &&Resource| !object.version.is_empty() && *object.group == *type_.group;
            if let Some(object) = index.each(index.of_type(type_)).find(is_plain) {
                of_types.insert(type_.clone(), object.version.to_string());
            }
        }
        let defined =
            index.all(&definitions().to_string()).filter_map(|definition| stored(definition.body())).collect();
        let names = index.all(&definitions().to_string()).filter_map(|definition| definition.name.split_once('.'));
        let groups = names.map(|(_, group)| group.to_owned()).collect();
        let by_group = of_types.iter().chain(&defined).map(|(type_, version)| (type_.group.clone(), version.clone()));
        Self { of_groups: by_group.collect(), of_types, defined, groups }
    }

    /// Returns the version of the objects, else the stored one, else that of other types of the group.
    fn version(&self, type_: &TypeName) -> String {
        let own = self.of_types.get(type_).or_else(|| self.defined.get(type_));
        let of_group = || self.of_groups.get(&type_.group).filter(|_| !built_in(&type_.group)).map(String::as_str);
        let usual = || VERSIONS.iter().find(|(group, _)| *group == type_.group).map(|(_, version)| *version);
        own.map(String::as_str).or_else(of_group).or_else(usual).unwrap_or("v1").to_owned()
    }
}

/// Returns the type of a definition and the version in which its objects are stored.
fn stored(definition: Node<'_>) -> Option<(TypeName, String)> {
    let name = TypeName::new(definition.str_at(&["spec", "names", "plural"])?, definition.str_at(&["spec", "group"])?);
    let versions = definition.path(&["spec", "versions"])?;
    let version = versions.items().find(|version| version.get("storage").and_then(Node::as_bool) == Some(true))?;
    Some((name, version.str_at(&["name"])?.to_owned()))
}
