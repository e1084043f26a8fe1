//! Shapes of values before any bundle is read: kinds, fields, elements.
//!
//! Some of it follows from the language (a group's `.count` is a number) and is certain. The rest comes from the API fields of
//! the versions of the products that were sampled: a reason to ask the author.

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

/// Knowledge of a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Possible kinds; none: anything is possible.
    kinds: BTreeSet<Kind>,
    fields: BTreeMap<String, Arc<Shape>>,
    items: Option<Arc<Shape>>,
    /// The names of the map are free, such as those of labels.
    free: bool,
    /// From the API fields of sampled versions: other versions may differ.
    sampled: bool,
}

/// One of `status.conditions`, as the API conventions define it and older objects extend it.
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
    /// Shape of a value that may be anything.
    pub fn anything() -> Arc<Self> {
        Arc::clone(&ANYTHING)
    }

    /// A value of one kind.
    pub fn of(kind: Kind) -> Arc<Self> {
        Arc::new(Self { kinds: BTreeSet::from([kind]), ..Self::default() })
    }

    /// A list of such elements.
    pub fn list(items: Arc<Self>) -> Arc<Self> {
        let sampled = items.sampled;
        Arc::new(Self { kinds: BTreeSet::from([Kind::List]), items: Some(items), sampled, ..Self::default() })
    }

    /// A map that has these fields and no others.
    pub fn map<'n>(fields: impl IntoIterator<Item = (&'n str, Arc<Self>)>) -> Self {
        let fields = fields.into_iter().map(|(name, shape)| (name.to_owned(), shape)).collect();
        Self { kinds: BTreeSet::from([Kind::Map]), fields, ..Self::default() }
    }

    /// A condition as it stands in `status.conditions`.
    pub fn condition() -> Arc<Self> {
        let fields = CONDITION.map(|name| (name, Self::anything()));
        Arc::new(Self { sampled: true, ..Self::map(fields) })
    }

    /// A value as the API fields of sampled versions have it: of these kinds, with these fields.
    pub fn sampled<'n>(
        kinds: impl IntoIterator<Item = Kind>,
        fields: impl IntoIterator<Item = (&'n str, Arc<Self>)>,
    ) -> Self {
        Self { kinds: kinds.into_iter().collect(), sampled: true, ..Self::map(fields) }
    }

    /// The same with elements of a list, or with values of a map whose keys are free.
    #[must_use]
    pub fn with_items(self, items: Arc<Self>) -> Self {
        Self { free: self.kinds.contains(&Kind::Map), items: Some(items), ..self }
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
        Arc::new(Self {
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

    /// Returns whether it may be of that kind, as far as is known.
    pub fn may_be(&self, kind: Kind) -> bool {
        self.kinds.is_empty() || self.kinds.contains(&kind)
    }

    /// Returns whether it is of that kind and no other.
    pub fn is(&self, kind: Kind) -> bool {
        self.kinds.iter().eq([&kind])
    }

    /// Returns whether something is known of what it is.
    pub fn is_known(&self) -> bool {
        !self.kinds.is_empty()
    }

    /// Returns whether it comes from sampled versions, so that it is not certain.
    pub fn is_sampled(&self) -> bool {
        self.sampled
    }

    /// A field; none when it cannot have one of that name.
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

    /// The names of its fields.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.fields.keys().map(String::as_str)
    }

    /// Returns whether it may have fields of any name; an empty map shows none.
    fn is_open(&self) -> bool {
        self.free || self.kinds.is_empty() || self.fields.is_empty()
    }

    /// An element of the list or a value of the map.
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
    fn what_either_may_be_has_the_fields_of_both() {
        let one = map(&[("a", Shape::of(Kind::Number))]);
        let both = one.or(&map(&[("a", Shape::of(Kind::Text)), ("b", Shape::of(Kind::Bool))]));
        let a = both.field("a").unwrap();
        assert!(a.may_be(Kind::Number) && a.may_be(Kind::Text) && !a.may_be(Kind::Bool));
        assert!(both.field("b").is_some() && both.field("c").is_none());
        assert!(!both.or(&Shape::default()).is_known());
    }
}
