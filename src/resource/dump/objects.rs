//! Objects of one entry, and how far they can be trusted to be complete.

use std::sync::Arc;

use super::place::{DumpPlace, OwnedDumpPlace};
use crate::model::message::{Answer, DocumentProblem, IssueMessage};
use crate::model::{Issue, IssueKind, Origin};
use crate::resource::helm;
use crate::resource::object::Resource;
use crate::resource::types::TypeName;
use crate::yaml::Problem;

/// Maximum number of issues of one document; further ones are counted.
pub(in crate::resource) const MAX_ISSUES: usize = 20;
/// Memory that an object takes in addition to its document, with its share of the index.
pub(in crate::resource) const OBJECT_BYTES: u64 = 1000;

/// Objects of one entry, and how far they can be trusted to be complete.
#[derive(Debug)]
pub struct DumpObjects {
    pub(in crate::resource) entry: Arc<str>,
    pub(in crate::resource) place: Option<OwnedDumpPlace>,
    pub(in crate::resource) found: Vec<FoundObject>,
    /// True if the objects are items of lists, so that the lists would hold further ones.
    pub(in crate::resource) listed: bool,
    pub(in crate::resource) definitions: Vec<Definition>,
    pub(in crate::resource) issues: Vec<Issue>,
    /// True if objects of the entry may be missing, because a part of it is truncated or unreadable.
    pub(in crate::resource) incomplete: bool,
    /// True if some were not read because there was no memory for them.
    pub(in crate::resource) over_limit: bool,
    /// Content in place of objects.
    pub(in crate::resource) answer: Option<Answer>,
    /// True if the objects are rows of tables, whose fields are mostly unknown.
    pub(in crate::resource) rows: bool,
    /// True unless these are known to be all objects of their types.
    pub(in crate::resource) loose: bool,
}

/// Object that has no id yet.
#[derive(Clone, Debug)]
pub(in crate::resource) struct FoundObject {
    pub resource: Resource,
    /// True if plural or kind are a guess that a definition may correct.
    pub guessed: bool,
    /// `metadata.resourceVersion`, else 0; of two dumps of an object the higher is newer.
    pub revision: u64,
    pub helm: Option<Box<helm::Record>>,
}

impl FoundObject {
    /// Creates an object of a known type that is not a record of Helm.
    pub fn new(resource: Resource) -> Self {
        Self { resource, guessed: false, revision: 0, helm: None }
    }
}

/// Definition of a type by the cluster.
#[derive(Clone, Debug)]
pub(in crate::resource) struct Definition {
    pub name: TypeName,
    pub kind: String,
    pub namespaced: bool,
    /// True if it comes from a CustomResourceDefinition, false if it comes from the API server's list of types.
    pub custom: bool,
}

impl DumpObjects {
    /// Creates the result for an entry of which nothing could be read.
    pub fn unreadable(entry: Arc<str>, place: Option<&DumpPlace<'_>>) -> Self {
        Self { incomplete: true, ..Self::empty(entry, place) }
    }

    /// Creates the result for an entry that says only why there are no objects.
    pub fn with_answer(entry: Arc<str>, place: Option<&DumpPlace<'_>>, answer: Answer) -> Self {
        Self { answer: Some(answer), ..Self::unreadable(entry, place) }
    }

    /// Creates the result for an entry in which kubectl reports that there are no objects.
    pub fn none(entry: Arc<str>, place: Option<&DumpPlace<'_>>) -> Self {
        Self { listed: true, ..Self::empty(entry, place) }
    }

    /// Marks that the cluster may have further objects of the same types.
    pub fn loose(mut self) -> Self {
        self.loose = true;
        self
    }

    /// Adds what the YAML reader could not read; the objects may be incomplete then.
    pub fn with_problems(mut self, problems: &[Problem]) -> Self {
        if problems.iter().any(Problem::is_unreadable) {
            // The problem is the reason why there is no document.
            let no_document = IssueMessage::from(DocumentProblem::NoDocument);
            self.issues.retain(|issue| issue.message != no_document);
        }
        for problem in problems {
            let origin = Origin::line(self.entry.clone(), problem.line);
            self.issues.push(Issue::at(origin, IssueKind::Document, problem.message.clone()));
        }
        self.over_limit |= problems.iter().any(Problem::is_memory);
        // The value that does not count may be the one that a rule looks for.
        self.incomplete |= problems.iter().any(|problem| problem.is_unreadable() || problem.is_repetition());
        self
    }

    /// Marks that only a part of the entry was read, so the objects may be incomplete.
    pub fn mark_incomplete(&mut self) {
        self.incomplete = true;
    }

    /// Returns the content in place of objects.
    pub fn refusal(&self) -> Option<&Answer> {
        self.answer.as_ref()
    }

    /// Marks that there was no memory for some of the objects.
    pub(in crate::resource) fn went_over_limit(&mut self) {
        self.over_limit = true;
        self.incomplete = true;
    }

    /// Returns true if there was no memory for some of the objects.
    pub fn is_over_limit(&self) -> bool {
        self.over_limit
    }

    /// Returns the memory that text and objects take.
    pub fn bytes(&self) -> u64 {
        let document = self.found.first().map_or(0, |found| found.resource.document.bytes());
        document as u64 + self.found.len() as u64 * OBJECT_BYTES
    }

    /// Returns the path of the entry.
    pub fn entry(&self) -> &Arc<str> {
        &self.entry
    }

    /// Returns the number of objects.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Returns true if the entry holds no object.
    #[cfg(test)]
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
            incomplete: false,
            over_limit: false,
            answer: None,
            rows: false,
            loose: false,
        }
    }
}
