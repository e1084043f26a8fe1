//! Shapes of values before a bundle is read: kinds, fields, elements.
//!
//! Some shapes follow from the language (a group's `.count` is a number) and are certain. The others come from the API
//! fields of sampled product versions, so a contradiction is only a question to the author.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

/// Kind of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    Bool,
    Number,
    Text,
    /// Text that a pattern captured.
    Captured,
    Time,
    Duration,
    List,
    Map,
}

/// Known properties of a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Possible kinds; any kind if empty.
    kinds: BTreeSet<Kind>,
    fields: BTreeMap<String, Arc<Shape>>,
    items: Option<Arc<Shape>>,
    /// True if the map has free keys, such as labels.
    free: bool,
    /// True if it comes from API fields of sampled versions: other versions may differ.
    sampled: bool,
    /// Texts that the value takes in sampled versions; empty if they are not known.
    values: BTreeSet<Cow<'static, str>>,
    /// Versions of the products that have the field, as the API fields write them; empty if they are not known.
    versions: &'static str,
}

/// Fields of a condition in `status.conditions`: those of the API conventions and the additions of older objects.
const CONDITION: [&str; 10] = [
    "type",
    "status",
    "reason",
    "message",
    "severity",
    "lastTransitionTime",
    "lastUpdateTime",
    "lastHeartbeatTime",
    "lastProbeTime",
    "observedGeneration",
];

static ANYTHING: LazyLock<Arc<Shape>> = LazyLock::new(Arc::default);

impl Shape {
    /// Returns the shape of any value.
    pub fn anything() -> Arc<Self> {
        Arc::clone(&ANYTHING)
    }

    /// Returns the shape of a value of one kind.
    pub fn of(kind: Kind) -> Arc<Self> {
        Arc::new(Self { kinds: BTreeSet::from([kind]), ..Self::default() })
    }

    /// Returns the shape of a list of such elements.
    pub fn list(items: Arc<Self>) -> Arc<Self> {
        let sampled = items.sampled;
        Arc::new(Self { kinds: BTreeSet::from([Kind::List]), items: Some(items), sampled, ..Self::default() })
    }

    /// Returns the shape of a map with exactly these fields.
    pub fn map<'n>(fields: impl IntoIterator<Item = (&'n str, Arc<Self>)>) -> Self {
        let fields = fields.into_iter().map(|(name, shape)| (name.to_owned(), shape)).collect();
        Self { kinds: BTreeSet::from([Kind::Map]), fields, ..Self::default() }
    }

    /// Returns the shape of a condition in `status.conditions`.
    pub fn condition() -> Arc<Self> {
        let fields = CONDITION.map(|name| (name, Self::anything()));
        Arc::new(Self { sampled: true, ..Self::map(fields) })
    }

    /// Returns a shape with the kinds and fields of sampled versions.
    pub fn sampled<'n>(
        kinds: impl IntoIterator<Item = Kind>,
        fields: impl IntoIterator<Item = (&'n str, Arc<Self>)>,
    ) -> Self {
        Self { kinds: kinds.into_iter().collect(), sampled: true, ..Self::map(fields) }
    }

    /// Adds the shape of list elements, or of values of a map with free keys.
    #[must_use]
    pub fn with_items(self, items: Arc<Self>) -> Self {
        Self { free: self.kinds.contains(&Kind::Map), items: Some(items), ..self }
    }

    /// Adds the texts that the value takes.
    #[must_use]
    pub fn with_values(self, values: impl IntoIterator<Item = Cow<'static, str>>) -> Self {
        Self { values: values.into_iter().collect(), ..self }
    }

    /// Adds the versions that have the field.
    #[must_use]
    pub fn with_versions(self, versions: &'static str) -> Self {
        Self { versions, ..self }
    }

    /// Returns the texts that the value takes in sampled versions; none if they are not known.
    pub fn values(&self) -> impl Iterator<Item = &str> {
        self.values.iter().map(AsRef::as_ref)
    }

    /// Returns the versions that have the field, such as `longhorn 1.5.5..1.12.1; harvester 1.3..1.8`.
    pub fn versions(&self) -> &'static str {
        self.versions
    }

    /// Merges two shapes: a value that has either.
    pub fn or(&self, other: &Self) -> Arc<Self> {
        if self.kinds.is_empty() || other.kinds.is_empty() {
            return Self::anything();
        }
        let mut fields = self.fields.clone();
        for (name, shape) in &other.fields {
            let merged = fields.get(name).map_or_else(|| Arc::clone(shape), |own| own.or(shape));
            fields.insert(name.clone(), merged);
        }
        let items = match (&self.items, &other.items) {
            (Some(a), Some(b)) => Some(a.or(b)),
            (a, b) => a.clone().or_else(|| b.clone()),
        };
        let both_known = !self.values.is_empty() && !other.values.is_empty();
        Arc::new(Self {
            values: self.values.union(&other.values).filter(|_| both_known).cloned().collect(),
            versions: if self.versions == other.versions { self.versions } else { "" },
            kinds: self.kinds.union(&other.kinds).copied().collect(),
            fields,
            items,
            free: self.free || other.free,
            sampled: self.sampled || other.sampled,
        })
    }

    pub fn kinds(&self) -> impl Iterator<Item = Kind> {
        self.kinds.iter().copied()
    }

    /// Returns true if the value may be of that kind, as far as known.
    pub fn may_be(&self, kind: Kind) -> bool {
        self.kinds.is_empty() || self.kinds.contains(&kind)
    }

    /// Returns true if the value is of that kind and no other.
    pub fn is(&self, kind: Kind) -> bool {
        self.kinds.iter().eq([&kind])
    }

    /// Returns true if its kinds are known.
    pub fn is_known(&self) -> bool {
        !self.kinds.is_empty()
    }

    /// Returns true if it comes from sampled versions and is not certain.
    pub fn is_sampled(&self) -> bool {
        self.sampled
    }

    /// Returns the shape of a field; none if no field can have that name.
    pub fn field(&self, name: &str) -> Option<Arc<Self>> {
        if !self.may_be(Kind::Map) {
            return None;
        }
        match self.fields.get(name) {
            Some(field) => Some(Arc::clone(field)),
            None if self.is_open() => Some(self.items.clone().unwrap_or_default()),
            None => None,
        }
    }

    /// Returns the names of its fields.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.fields.keys().map(String::as_str)
    }

    /// Returns true if it may have fields of any name; an empty map has no known names.
    fn is_open(&self) -> bool {
        self.free || self.kinds.is_empty() || self.fields.is_empty()
    }

    /// Returns the shape of a list element or of a map value.
    pub fn element(&self) -> Arc<Self> {
        match (self.may_be(Kind::List), self.may_be(Kind::Map)) {
            (true, false) => self.items.clone().unwrap_or_else(Self::anything),
            (false, true) => {
                let mut values = self.fields.values().chain(&self.items);
                let Some(first) = values.next() else { return Self::anything() };
                values.fold(Arc::clone(first), |all, one| all.or(one))
            }
            _ => Self::anything(),
        }
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Bool => "true or false",
            Self::Number => "a number",
            Self::Text | Self::Captured => "a text",
            Self::Time => "a time",
            Self::Duration => "a duration",
            Self::List => "a list",
            Self::Map => "a map",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(fields: &[(&'static str, Arc<Shape>)]) -> Arc<Shape> {
        Arc::new(Shape::sampled([Kind::Map], fields.iter().cloned()))
    }

    #[test]
    fn a_map_has_its_fields_and_no_others() {
        let spec =
            map(&[("size", Shape::of(Kind::Number)), ("nodes", Shape::list(map(&[("name", Shape::of(Kind::Text))])))]);
        assert!(spec.field("size").unwrap().is(Kind::Number) && spec.field("sise").is_none());
        assert!(spec.field("nodes").unwrap().element().field("name").unwrap().is(Kind::Text));
        assert!(spec.field("size").unwrap().field("x").is_none(), "a number has no fields");
        assert!(map(&[]).field("x").is_some(), "a map without declared fields takes any");
    }

    #[test]
    fn a_map_with_free_keys_has_values_of_one_shape() {
        let labels = Shape::sampled([Kind::Map], []).with_items(Shape::of(Kind::Text));
        assert!(labels.field("app").unwrap().is(Kind::Text) && labels.element().is(Kind::Text));
        let list = Shape::sampled([Kind::List], []).with_items(Shape::of(Kind::Text));
        assert!(list.field("app").is_none() && list.element().is(Kind::Text));
    }

    #[test]
    fn a_union_of_shapes_has_the_fields_of_both() {
        let one = map(&[("a", Shape::of(Kind::Number))]);
        let both = one.or(&map(&[("a", Shape::of(Kind::Text)), ("b", Shape::of(Kind::Bool))]));
        let a = both.field("a").unwrap();
        assert!(a.may_be(Kind::Number) && a.may_be(Kind::Text) && !a.may_be(Kind::Bool));
        assert!(both.field("b").is_some() && both.field("c").is_none());
        assert!(!both.or(&Shape::default()).is_known());
    }
}
