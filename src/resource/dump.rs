//! Objects of one document: every shape of list that collectors write.
//!
//! [`read_objects`] looks at one document alone, so that many can be read in parallel; an
//! [`super::IndexBuilder`] puts the [`DumpObjects`] together.

mod identity;
mod reader;
#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use reader::{read_objects, read_objects_within};

use super::types::{self, TypeName};
use super::{Resource, helm};
use crate::model::{Issue, IssueKind, Origin};
use crate::yaml::{Node, Problem};

/// Issues of one document beyond this number are summed up.
pub(super) const MAX_ISSUES: usize = 20;
/// Stands for a group that the path of a dump does not tell.
pub const ANY_GROUP: &str = "*";
const NO_DOCUMENT: &str = "holds no document";
/// Memory that an object takes beside its document and in the index.
pub(super) const OBJECT_BYTES: u64 = 1000;
pub(super) const TOO_MANY: &str = "more objects than there is memory for; those from here on were not read: \
                                   analyse this file by itself, or collect its namespaces one by one";

/// What the path of a dump says about its objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DumpPlace<'a> {
    /// None for cluster-scoped objects, and for dumps over all namespaces.
    pub namespace: Option<&'a str>,
    /// API group; empty for the core group, [`ANY_GROUP`] if the path has none.
    pub group: &'a str,
    /// API version without the group; empty if the path has none, which makes an empty group one of Kubernetes' own.
    pub version: &'a str,
    /// Lower-case plural, the stem of the file name.
    pub plural: &'a str,
}

impl DumpPlace<'_> {
    /// The type that the path names.
    pub fn type_name(&self) -> TypeName {
        let name = TypeName::new(self.plural, self.group);
        let is_open = self.group == ANY_GROUP || self.group.is_empty() && self.version.is_empty();
        if is_open { types::resolve(self.plural).name } else { name }
    }
}

/// The objects of one entry, and how far they can be trusted to be all of them.
#[derive(Debug)]
pub struct DumpObjects {
    pub(super) entry: Arc<str>,
    pub(super) place: Option<Place>,
    pub(super) found: Vec<Found>,
    /// Whether objects came in lists, so that more of them would have been there.
    pub(super) listed: bool,
    pub(super) definitions: Vec<Definition>,
    pub(super) issues: Vec<Issue>,
    /// Why some objects of the entry may be missing.
    pub(super) failure: Option<String>,
    /// Whether some are missing because there was no memory for them.
    pub(super) short: bool,
    /// What kubectl said instead of giving objects.
    pub(super) refused: Option<String>,
    /// Objects are rows of tables, of which most fields are unseen.
    pub(super) rows: bool,
    /// Nobody says that these are all objects of their types.
    pub(super) loose: bool,
}

/// A [`DumpPlace`] that is kept.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub name: TypeName,
    /// The path does not tell the group: what the objects say of themselves counts.
    pub guessed: bool,
    pub version: Box<str>,
    pub namespace: Option<Box<str>>,
    /// Path of the folder of the namespace, or of the cluster scope.
    pub folder: Box<str>,
}

/// An object before it has an id.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub resource: Resource,
    /// Whether a definition may know the type better: its plural or its kind are a guess.
    pub guessed: bool,
    /// `metadata.resourceVersion`, 0 if there is none: of two dumps of an object the higher is newer.
    pub revision: u64,
    pub helm: Option<Box<helm::Record>>,
}

impl Found {
    /// An object of a known type that is no record of anything else.
    pub fn new(resource: Resource) -> Self {
        Self { resource, guessed: false, revision: 0, helm: None }
    }
}

/// What a CustomResourceDefinition says about its type.
#[derive(Clone, Debug)]
pub(super) struct Definition {
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
    pub(super) fn fell_short(&mut self) {
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

    pub(super) fn empty(entry: Arc<str>, place: Option<&DumpPlace<'_>>) -> Self {
        let place = place.map(|p| Place {
            name: p.type_name(),
            guessed: p.group == ANY_GROUP,
            version: p.version.into(),
            namespace: p.namespace.map(Into::into),
            folder: folder_of(&entry, p).into(),
        });
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

/// The folder that the group, version and file name of a dump stand in.
fn folder_of<'a>(entry: &'a str, place: &DumpPlace<'_>) -> &'a str {
    let has_group = !matches!(place.group, "" | ANY_GROUP);
    let below = 1 + usize::from(!place.version.is_empty()) + usize::from(has_group);
    (0..below).fold(entry, |path, _| path.rsplit_once('/').map_or("", |(folder, _)| folder))
}

/// The text of a scalar that says something; the collector's `null` says nothing.
pub fn scalar_at<'a>(node: Node<'a>, keys: &[&str]) -> Option<&'a str> {
    let text = node.path(keys)?.text();
    (!text.is_empty() && text != "null").then_some(text)
}
