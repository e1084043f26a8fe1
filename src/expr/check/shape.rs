//! What is known of values before any bundle is read: kinds, fields, elements.
//!
//! Some of it follows from the language (a group's `.count` is a number), the rest was learned from
//! objects: those of rule tests and of the synthetic bundles. What follows from the language is
//! certain; what was learned is a reason to ask the author.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use serde_json::Value;

/// What a value may be.
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

/// What is known of a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// What it may be; nothing known: anything.
    kinds: BTreeSet<Kind>,
    fields: BTreeMap<String, Arc<Shape>>,
    items: Option<Arc<Shape>>,
    /// The names of the map are free, such as those of labels.
    free: bool,
    /// Learned from objects: others may differ.
    learned: bool,
    /// In how many whole objects it was met.
    met: u32,
}

/// Fields whose names are the user's, in whatever object.
const FREE: [&str; 22] = [
    "allocatable",
    "annotations",
    "binaryData",
    "capacity",
    "data",
    "defaultRequest",
    "diskStatus",
    "disks",
    "hard",
    "labels",
    "limits",
    "matchLabels",
    "nodeSelector",
    "options",
    "parameters",
    "requests",
    "selector",
    "storage",
    "stringData",
    "used",
    "values",
    "volumeAttributes",
];

/// `metadata` of every object, as the API defines it.
const METADATA: [(&str, Option<Kind>); 15] = [
    ("annotations", None),
    ("creationTimestamp", Some(Kind::Text)),
    ("deletionGracePeriodSeconds", Some(Kind::Number)),
    ("deletionTimestamp", Some(Kind::Text)),
    ("finalizers", None),
    ("generateName", Some(Kind::Text)),
    ("generation", Some(Kind::Number)),
    ("labels", None),
    ("managedFields", None),
    ("name", Some(Kind::Text)),
    ("namespace", Some(Kind::Text)),
    ("ownerReferences", None),
    ("resourceVersion", Some(Kind::Text)),
    ("selfLink", Some(Kind::Text)),
    ("uid", Some(Kind::Text)),
];

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

/// Fields of every object.
static OBJECT: LazyLock<Arc<Shape>> = LazyLock::new(|| {
    let metadata = METADATA.map(|(name, kind)| (name, kind.map_or_else(Shape::anything, Shape::of)));
    Arc::new(Shape::map([
        ("apiVersion", Shape::of(Kind::Text)),
        ("kind", Shape::of(Kind::Text)),
        ("metadata", Arc::new(Shape::map(metadata))),
    ]))
});

static ANYTHING: LazyLock<Arc<Shape>> = LazyLock::new(Arc::default);

impl Shape {
    /// Of which nothing is known.
    pub fn anything() -> Arc<Self> {
        Arc::clone(&ANYTHING)
    }

    /// A value of one kind.
    pub fn of(kind: Kind) -> Arc<Self> {
        Arc::new(Self { kinds: BTreeSet::from([kind]), ..Self::default() })
    }

    /// A list of such elements.
    pub fn list(items: Arc<Self>) -> Arc<Self> {
        let learned = items.learned;
        Arc::new(Self { kinds: BTreeSet::from([Kind::List]), items: Some(items), learned, ..Self::default() })
    }

    /// A map that has these fields and no others.
    pub fn map<'n>(fields: impl IntoIterator<Item = (&'n str, Arc<Self>)>) -> Self {
        let fields = fields.into_iter().map(|(name, shape)| (name.to_owned(), shape)).collect();
        Self { kinds: BTreeSet::from([Kind::Map]), fields, ..Self::default() }
    }

    /// An object of whose type nothing was met yet.
    pub fn object() -> Self {
        Self { learned: true, ..Self::clone(&OBJECT) }
    }

    /// A condition as it stands in `status.conditions`.
    pub fn condition() -> Arc<Self> {
        let fields = CONDITION.map(|name| (name, Self::anything()));
        Arc::new(Self { learned: true, ..Self::map(fields) })
    }

    /// Adds what an object shows. Only `whole` objects tell what is always there; those of tests are cut short.
    pub fn learn(&mut self, value: &Value, whole: bool) {
        self.learn_as("", value, whole);
    }

    fn learn_as(&mut self, name: &str, value: &Value, whole: bool) {
        self.learned = true;
        // Null and the empty text are absence.
        let absent = value.is_null() || value.as_str() == Some("");
        self.met += u32::from(whole && !absent);
        let kind = match value {
            Value::Null => return,
            Value::Bool(_) => Kind::Bool,
            Value::Number(_) => Kind::Number,
            Value::String(_) => Kind::Text,
            Value::Array(items) => {
                let known = self.items.get_or_insert_with(Self::anything);
                items.iter().for_each(|item| Arc::make_mut(known).learn_as("", item, whole));
                if name == "conditions" {
                    let known = Arc::make_mut(known);
                    CONDITION.iter().for_each(|field| {
                        known.fields.entry((*field).to_owned()).or_default();
                    });
                }
                Kind::List
            }
            Value::Object(fields) => {
                self.free |= FREE.contains(&name) || fields.keys().any(|field| !is_plain(field));
                for (field, value) in fields {
                    Arc::make_mut(self.fields.entry(field.clone()).or_default()).learn_as(field, value, whole);
                }
                Kind::Map
            }
        };
        self.kinds.insert(kind);
    }

    /// What either may be.
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
            learned: self.learned || other.learned,
            met: 0,
        })
    }

    pub fn kinds(&self) -> impl Iterator<Item = Kind> {
        self.kinds.iter().copied()
    }

    /// Whether it may be of that kind, as far as is known.
    pub fn may_be(&self, kind: Kind) -> bool {
        self.kinds.is_empty() || self.kinds.contains(&kind)
    }

    /// Whether it is of that kind and no other.
    pub fn is(&self, kind: Kind) -> bool {
        self.kinds.iter().eq([&kind])
    }

    /// Whether something is known of what it is.
    pub fn is_known(&self) -> bool {
        !self.kinds.is_empty()
    }

    /// Whether it was learned from objects, so that it is not certain.
    pub fn is_learned(&self) -> bool {
        self.learned
    }

    /// Whether a field was in every whole object that could have it.
    pub fn always_has(&self, name: &str) -> bool {
        self.met > 0 && self.fields.get(name).is_some_and(|field| field.met >= self.met)
    }

    /// A field; none when it cannot have one of that name.
    pub fn field(&self, name: &str) -> Option<Arc<Self>> {
        if !self.may_be(Kind::Map) {
            return None;
        }
        match self.fields.get(name) {
            Some(field) => Some(Arc::clone(field)),
            None if self.is_open() => Some(Self::anything()),
            None => None,
        }
    }

    /// The names of its fields.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.fields.keys().map(String::as_str)
    }

    /// Whether it may have fields of any name; an empty map tells nothing.
    fn is_open(&self) -> bool {
        self.free || self.kinds.is_empty() || self.fields.is_empty()
    }

    /// An element of the list or a value of the map.
    pub fn element(&self) -> Arc<Self> {
        match (self.may_be(Kind::List), self.may_be(Kind::Map)) {
            (true, false) => self.items.clone().unwrap_or_else(Self::anything),
            (false, true) => {
                let mut values = self.fields.values();
                let Some(first) = values.next() else { return Self::anything() };
                values.fold(Arc::clone(first), |all, one| all.or(one))
            }
            _ => Self::anything(),
        }
    }
}

/// Whether a key looks like the name of a field rather than like something's name.
fn is_plain(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
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
    use serde_json::json;

    use super::*;

    fn learned(objects: &[Value]) -> Shape {
        let mut shape = Shape::object();
        objects.iter().for_each(|object| shape.learn(object, true));
        shape
    }

    #[test]
    fn fields_that_some_object_has_are_known() {
        let shape = learned(&[json!({"spec": {"size": 1}}), json!({"spec": {"nodes": [{"name": "n"}]}})]);
        let spec = shape.field("spec").unwrap();
        assert!(spec.field("size").unwrap().is(Kind::Number) && spec.field("sise").is_none());
        assert!(spec.field("nodes").unwrap().element().field("name").unwrap().is(Kind::Text));
        assert!(spec.field("size").unwrap().field("x").is_none(), "a number has no fields");
        assert!(shape.field("metadata").unwrap().field("deletionTimestamp").is_some());
        assert!(shape.always_has("spec") && !spec.always_has("size"));
    }

    #[test]
    fn names_that_users_choose_are_free() {
        let shape = learned(&[json!({
            "metadata": {"labels": {"app": "x"}},
            "spec": {"modes": {"v1-r-a": "RW"}, "empty": {}, "none": null},
            "status": {"conditions": [{"type": "Ready"}]},
        })]);
        for path in
            [["metadata", "labels", "other"], ["spec", "modes", "v2"], ["spec", "empty", "x"], ["spec", "none", "x"]]
        {
            let found = path.iter().try_fold(Arc::new(shape.clone()), |at, name| at.field(name));
            assert!(found.is_some(), "{path:?}");
        }
        assert!(shape.field("spec").unwrap().field("modes").unwrap().element().is(Kind::Text));
        let condition = shape.field("status").unwrap().field("conditions").unwrap().element();
        assert!(condition.field("lastTransitionTime").is_some() && condition.field("reeson").is_none());
    }

    #[test]
    fn what_either_may_be_has_the_fields_of_both() {
        let one = learned(&[json!({"a": 1})]).or(&learned(&[json!({"a": "x", "b": true})]));
        let a = one.field("a").unwrap();
        assert!(a.may_be(Kind::Number) && a.may_be(Kind::Text) && !a.may_be(Kind::Bool));
        assert!(one.field("b").is_some() && one.field("c").is_none());
        assert!(!one.or(&Shape::default()).is_known());
    }
}
