//! Type names as rules write them.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use super::api_group::canonical_group;
use crate::model::text_order::{are_equal, compare};

/// A type as kubectl names it: `pods`, `daemonsets.apps`, `volumes.longhorn.io`.
#[derive(Clone, Debug, Eq)]
pub struct TypeName {
    /// Lower-case plural.
    pub plural: String,
    /// API group; empty for the core group.
    pub group: String,
}

impl TypeName {
    /// Creates a name from a plural and a group; an empty group means the core group.
    pub fn new(plural: &str, group: &str) -> Self {
        Self { plural: plural.to_ascii_lowercase(), group: group.to_ascii_lowercase() }
    }

    /// Parses `PLURAL[.GROUP]`; no group means the core group. [`super::resolve`] finds the group as kubectl does.
    pub fn parse(text: &str) -> Self {
        let (plural, group) = text.split_once('.').unwrap_or((text, ""));
        Self::new(plural, group)
    }

    /// Returns the type under which an object served by two groups is kept: the older group's types are
    /// looked up as the newer one's, and events as core events.
    pub fn canonical(&self) -> Self {
        Self { plural: self.plural.clone(), group: canonical_group(&self.plural, &self.group).to_owned() }
    }
}

impl PartialEq for TypeName {
    fn eq(&self, other: &Self) -> bool {
        self.plural == other.plural && are_equal(&self.group, &other.group)
    }
}

impl Ord for TypeName {
    /// In the order of the fields.
    fn cmp(&self, other: &Self) -> Ordering {
        self.plural.cmp(&other.plural).then_with(|| compare(&self.group, &other.group))
    }
}

impl PartialOrd for TypeName {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Hash for TypeName {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.plural, &self.group).hash(state);
    }
}

impl std::fmt::Display for TypeName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.plural)?;
        if self.group.is_empty() { Ok(()) } else { write!(f, ".{}", self.group) }
    }
}

/// Returns the type that gleaner makes from records of Helm; see `resource::helm`.
pub fn helm_releases() -> TypeName {
    TypeName::new("helmreleases", "")
}

/// Returns the type of CustomResourceDefinitions.
pub fn definitions() -> TypeName {
    TypeName::new("customresourcedefinitions", "apiextensions.k8s.io")
}

/// Returns the type of events, whichever group serves them.
pub fn events() -> TypeName {
    TypeName::new("events", "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_groups_are_looked_up_as_newer_ones() {
        assert_eq!(TypeName::parse("events.events.k8s.io").canonical(), events());
        assert_eq!(TypeName::parse("ingresses.extensions").canonical().to_string(), "ingresses.networking.k8s.io");
        assert_eq!(TypeName::parse("settings.longhorn.io").canonical().to_string(), "settings.longhorn.io");
    }
}
