//! All failures of a collector, whichever of its logs names them.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::failure::{Failure, Scope, Target};
use crate::resource::types::{self, TypeName};

/// At most so many failures are kept; the rest is counted.
pub(super) const MAX_FAILURES: usize = 10_000;

/// The messages of the collector's error logs, in the order of entries and lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CollectorErrors {
    /// Where there is one such log.
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

    /// The collector says elsewhere why there is no log of a container.
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

    /// Which failure took what.
    pub(in crate::resource) fn lost(&self) -> Lost {
        let mut lost = Lost::default();
        for (at, failure) in self.failures.iter().enumerate() {
            match &failure.target {
                Target::Objects { name, namespace } => {
                    let places = lost.objects.entry(name.canonical()).or_default();
                    places.entry(namespace.clone()).or_insert(at);
                }
                Target::Scope(scope) => {
                    lost.scopes.entry(*scope).or_insert(at);
                }
                Target::CustomResources => {
                    lost.custom.get_or_insert(at);
                }
                _ => {}
            }
        }
        lost
    }
}

/// Positions of the failures that took objects; every type is asked for in every namespace, so they are looked up.
#[derive(Debug, Default)]
pub(in crate::resource) struct Lost {
    /// The first by canonical type and namespace.
    objects: HashMap<TypeName, HashMap<Option<String>, usize>>,
    scopes: BTreeMap<Scope, usize>,
    custom: Option<usize>,
}

impl Lost {
    /// The first failure that took the objects of a type in a namespace, or its whole scope.
    pub fn first(&self, name: &TypeName, namespace: Option<&str>) -> Option<usize> {
        let scope = if namespace.is_some() { Scope::Namespaced } else { Scope::Cluster };
        let places = self.objects.get(name);
        let objects = |place: Option<String>| places.and_then(|places| places.get(&place));
        // What failed everywhere failed in each namespace.
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
