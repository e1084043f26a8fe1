//! Identity of one Kubernetes object.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use super::text_order::{are_equal, compare};

/// Stands for the namespace of an object of which nobody knows it, as a placeholder in commands.
pub const UNKNOWN_NAMESPACE: &str = "<namespace>";

/// `Kind.group/namespace/name`, as findings, fingerprints and rule tests name an object.
#[derive(Clone, Debug, Eq)]
pub struct ObjectRef {
    /// Kind in its usual spelling, e.g. `Volume`.
    pub kind: String,
    /// API group; empty for the core group.
    pub group: String,
    /// Namespace; none for cluster-scoped objects.
    pub namespace: Option<String>,
    pub name: String,
}

impl ObjectRef {
    /// Creates the reference of an object; `group` is empty for the core group.
    pub fn new(group: &str, kind: &str, namespace: Option<&str>, name: &str) -> Self {
        Self {
            kind: kind.to_owned(),
            group: group.to_owned(),
            namespace: namespace.map(str::to_owned),
            name: name.to_owned(),
        }
    }
}

impl PartialEq for ObjectRef {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
            && are_equal(&self.group, &other.group)
            && self.namespace == other.namespace
            && self.name == other.name
    }
}

impl Ord for ObjectRef {
    /// In the order of the fields.
    fn cmp(&self, other: &Self) -> Ordering {
        let kind = self.kind.cmp(&other.kind);
        kind.then_with(|| compare(&self.group, &other.group))
            .then_with(|| self.namespace.cmp(&other.namespace))
            .then_with(|| self.name.cmp(&other.name))
    }
}

impl PartialOrd for ObjectRef {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Hash for ObjectRef {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.kind, &self.group, &self.namespace, &self.name).hash(state);
    }
}

impl fmt::Display for ObjectRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kind)?;
        if !self.group.is_empty() {
            write!(f, ".{}", self.group)?;
        }
        if let Some(namespace) = &self.namespace {
            write!(f, "/{namespace}")?;
        }
        write!(f, "/{}", self.name)
    }
}
