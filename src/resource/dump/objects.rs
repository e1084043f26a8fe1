//! Objects of one entry, and how far they can be trusted to be complete.

use std::sync::Arc;

use super::place::{DumpPlace, OwnedDumpPlace};
use crate::model::{Issue, IssueKind, Origin};
use crate::resource::helm;
use crate::resource::object::Resource;
use crate::resource::types::TypeName;
use crate::yaml::Problem;

/// Issues of one document beyond this number are summed up.
pub(in crate::resource) const MAX_ISSUES: usize = 20;
pub(super) const NO_DOCUMENT: &str = "holds no document";
/// Memory that an object takes beside its document and in the index.
pub(in crate::resource) const OBJECT_BYTES: u64 = 1000;
pub(in crate::resource) const TOO_MANY: &str = "more objects than there is memory for; those from here on were not read: \
                                   analyse this file by itself, or collect its namespaces one by one";

/// The objects of one entry, and how far they can be trusted to be all of them.
#[derive(Debug)]
pub struct DumpObjects {
    pub(in crate::resource) entry: Arc<str>,
    pub(in crate::resource) place: Option<OwnedDumpPlace>,
    pub(in crate::resource) found: Vec<FoundObject>,
    /// Whether objects came in lists, so that more of them would have been there.
    pub(in crate::resource) listed: bool,
    pub(in crate::resource) definitions: Vec<Definition>,
    pub(in crate::resource) issues: Vec<Issue>,
    /// Why some objects of the entry may be missing.
    pub(in crate::resource) failure: Option<String>,
    /// Whether some are missing because there was no memory for them.
    pub(in crate::resource) short: bool,
    /// What kubectl said instead of giving objects.
    pub(in crate::resource) refused: Option<String>,
    /// Objects are rows of tables, of which most fields are unseen.
    pub(in crate::resource) rows: bool,
    /// Nobody says that these are all objects of their types.
    pub(in crate::resource) loose: bool,
}

/// An object before it has an id.
#[derive(Clone, Debug)]
pub(in crate::resource) struct FoundObject {
    pub resource: Resource,
    /// Whether a definition may know the type better: its plural or its kind are a guess.
    pub guessed: bool,
    /// `metadata.resourceVersion`, 0 if there is none: of two dumps of an object the higher is newer.
    pub revision: u64,
    pub helm: Option<Box<helm::Record>>,
}

impl FoundObject {
    /// An object of a known type that is no record of anything else.
    pub fn new(resource: Resource) -> Self {
        Self { resource, guessed: false, revision: 0, helm: None }
    }
}

/// What a CustomResourceDefinition says about its type.
#[derive(Clone, Debug)]
pub(in crate::resource) struct Definition {
    pub name: TypeName,
    pub kind: String,
    pub namespaced: bool,
    /// Said by a CustomResourceDefinition, not only by the API server's list of what it serves.
    pub custom: bool,
}

impl DumpObjects {
    /// An entry of which nothing could be read.
    pub fn unreadable(entry: Arc<str>, place: Option<&DumpPlace<'_>>, why: impl Into<String>) -> Self {
        let mut objects = Self::empty(entry, place);
        objects.failure = Some(why.into());
        objects
    }

    /// An entry in which kubectl only says why there are no objects.
    pub fn refused(entry: Arc<str>, place: Option<&DumpPlace<'_>>, said: &str) -> Self {
        let said: String = said.chars().take(200).collect();
        let mut objects = Self::unreadable(entry, place, said.as_str());
        objects.refused = Some(said);
        objects
    }

    /// An entry in which kubectl says that there are no objects.
    pub fn none(entry: Arc<str>, place: Option<&DumpPlace<'_>>) -> Self {
        Self { listed: true, ..Self::empty(entry, place) }
    }

    /// Says that there may be further objects of the same types, of which the bundle tells nothing.
    pub fn loose(mut self) -> Self {
        self.loose = true;
        self
    }

    /// Adds what the YAML reader could not read; objects may be missing then.
    pub fn with_problems(mut self, problems: &[Problem]) -> Self {
        if problems.iter().any(|problem| problem.is_lost()) {
            // The problem is why there is none.
            self.issues.retain(|issue| issue.message != NO_DOCUMENT);
        }
        for problem in problems {
            let origin = Origin::line(self.entry.clone(), problem.line);
            self.issues.push(Issue::at(origin, IssueKind::Document, problem.message.clone()));
        }
        self.short |= problems.iter().any(Problem::is_memory);
        if let Some(first) = problems.iter().find(|problem| problem.is_lost()) {
            self.failure.get_or_insert_with(|| first.message.clone());
        }
        self
    }

    /// Says that only a part of the entry was read, so objects may be missing.
    pub fn incomplete(&mut self, why: impl Into<String>) {
        self.failure.get_or_insert_with(|| why.into());
    }

    /// What kubectl or the API server said instead of giving objects.
    pub fn refusal(&self) -> Option<&str> {
        self.refused.as_deref()
    }

    /// Says that there was no memory for some of the objects.
    pub(in crate::resource) fn fell_short(&mut self) {
        self.short = true;
        self.incomplete(TOO_MANY);
    }

    /// Whether there was no memory for some of the objects.
    pub fn is_short(&self) -> bool {
        self.short
    }

    /// Memory that text and objects take.
    pub fn bytes(&self) -> u64 {
        let document = self.found.first().map_or(0, |found| found.resource.document.bytes());
        document as u64 + self.found.len() as u64 * OBJECT_BYTES
    }

    /// Path of the entry.
    pub fn entry(&self) -> &Arc<str> {
        &self.entry
    }

    /// How many objects the entry holds.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Whether the entry holds no object.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    pub(in crate::resource) fn empty(entry: Arc<str>, place: Option<&DumpPlace<'_>>) -> Self {
        let place = place.map(|place| OwnedDumpPlace::new(&entry, place));
        Self {
            entry,
            place,
            found: Vec::new(),
            listed: false,
            definitions: Vec::new(),
            issues: Vec::new(),
            failure: None,
            short: false,
            refused: None,
            rows: false,
            loose: false,
        }
    }
}
