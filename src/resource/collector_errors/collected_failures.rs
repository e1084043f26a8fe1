//! Failures of a collector from all of its logs.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::failure::{Failure, Scope, Target};
use crate::resource::types::{self, TypeName};

/// Maximum number of failures that are kept; the rest is counted.
pub(super) const MAX_FAILURES: usize = 10_000;

/// The messages of the collector's error logs, in the order of entries and lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CollectorErrors {
    /// Path of the log; none if the bundle has no such log.
    pub entry: Option<Arc<str>>,
    pub failures: Vec<Failure>,
    /// Messages beyond the limit that were not kept.
    pub dropped: u64,
}

impl CollectorErrors {
    /// Adds the messages of another log.
    pub fn append(&mut self, other: Self) {
        self.entry = self.entry.take().or(other.entry);
        self.dropped += other.dropped;
        let room = MAX_FAILURES.saturating_sub(self.failures.len());
        self.dropped += other.failures.len().saturating_sub(room) as u64;
        self.failures.extend(other.failures.into_iter().take(room));
    }

    /// Adds the reason for a log that was not collected, from another file than the collector's log.
    pub fn no_log(&mut self, (namespace, pod, container): (&str, &str, &str), line: u64, error: &str) {
        self.push(line, Target::PodLog { pod: format!("{namespace}/{pod}"), container: container.to_owned() }, error);
    }

    pub(super) fn push(&mut self, line: u64, target: Target, error: &str) {
        if self.failures.len() == MAX_FAILURES {
            self.dropped += 1;
            return;
        }
        let harmless = is_harmless(&target, error);
        self.failures.push(Failure { line, target, error: error.to_owned(), harmless });
    }

    /// Builds the lookup of failures by type and namespace.
    pub(in crate::resource) fn failed_parts(&self) -> FailedParts {
        let mut failed_parts = FailedParts::default();
        for (at, failure) in self.failures.iter().enumerate() {
            match &failure.target {
                Target::Objects { name, namespace } => {
                    let places = failed_parts.objects.entry(name.canonical()).or_default();
                    places.entry(namespace.clone()).or_insert(at);
                }
                Target::Scope(scope) => {
                    failed_parts.scopes.entry(*scope).or_insert(at);
                }
                Target::CustomResources => {
                    failed_parts.custom.get_or_insert(at);
                }
                _ => {}
            }
        }
        failed_parts
    }
}

/// Positions of failures by the objects that they concern. Each type is looked up in each namespace, so the lookup must be fast.
#[derive(Debug, Default)]
pub(in crate::resource) struct FailedParts {
    /// Position of the first failure by canonical type and namespace.
    objects: HashMap<TypeName, HashMap<Option<String>, usize>>,
    scopes: BTreeMap<Scope, usize>,
    custom: Option<usize>,
}

impl FailedParts {
    /// Returns the first failure that concerns the objects of a type in a namespace, or their whole scope.
    pub fn first(&self, name: &TypeName, namespace: Option<&str>) -> Option<usize> {
        let scope = if namespace.is_some() { Scope::Namespaced } else { Scope::Cluster };
        let places = self.objects.get(name);
        let objects = |place: Option<String>| places.and_then(|places| places.get(&place));
        // A failure for all namespaces is one for each namespace.
        let objects = [objects(namespace.map(str::to_owned)), objects(None)].into_iter().flatten();
        let custom = self.custom.iter().filter(|_| !types::built_in(&name.group));
        objects.chain(self.scopes.get(&scope)).chain(custom).min().copied()
    }
}

fn is_harmless(target: &Target, error: &str) -> bool {
    let never_listed = match target {
        Target::Objects { name, .. } => name.plural == "bindings" || name.plural.ends_with("reviews"),
        _ => false,
    };
    let unlistable = error.contains("the server does not allow this method");
    let never_ran = error.contains("previous terminated container") && error.contains("not found");
    never_listed || unlistable || never_ran
}
