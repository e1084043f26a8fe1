//! Files that rules ask for, as text or as parsed data.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::visitor::Visitor;
use crate::bundle::Role;
use crate::eval::{BundleFile, FileData, FileGap};
use crate::model::Origin;
use crate::model::message::{Answer, DocumentProblem};
use crate::pipeline::sections::EntryPart;
use crate::pipeline::tasks::Task;
use crate::pipeline::texts::MAX_FILE;
use crate::resource::table::kubectl_message;
use crate::rule::FileShape;
use crate::yaml::normalise::{Dialect, normalise};
use crate::yaml::{self, Document, Node, Problem, secret};

impl Visitor<'_> {
    /// Returns the gap if the file only holds a command's error: a collector on a host writes all output of its
    /// commands, including their failures.
    pub(super) fn refusal(&self, task: &Task<'_>, text: &str) -> Option<FileGap> {
        let part = &task.part;
        let is_output = task.log.is_none() && matches!(part.role, Role::NodeFile { .. } | Role::Metadata);
        let keeps_errors = self.bundle.spec().is_some_and(|spec| spec.keeps_error_output);
        if !keeps_errors || !is_output || !kubectl_message::is_only_messages(text) {
            return None;
        }
        Some(self.file_gap(part, Answer::beginning(kubectl_message::first_error(text)?)))
    }

    /// Returns the file for rules; none if there is no memory for its values.
    pub(super) fn file(&self, part: &EntryPart<'_>, text: String, shapes: &BTreeSet<FileShape>) -> Option<BundleFile> {
        let node = self.pods.node_of(self.bundle, part.role);
        let mut room = self.memory.room(part.size.min(MAX_FILE)).checked_sub(text.len() as u64)?;
        let mut data = BTreeMap::new();
        for &shape in shapes.iter().filter(|shape| **shape != FileShape::Text) {
            let (document, problem) = shaped(&text, shape, room)?;
            room = room.checked_sub(document.bytes() as u64)?;
            data.insert(shape, FileData { document: Arc::new(document), problem });
        }
        let text = secret::redact(&text).into();
        let path = match part.section {
            None => part.path.clone(),
            Some(section) => format!("{}/{}", part.path, section.name).into(),
        };
        let origin = Origin { entry: part.path.clone(), line: part.section.map(|section| section.line) };
        Some(BundleFile { path, origin, logical: part.logical.clone(), node, text, data })
    }
}

/// Parses a file that rules ask for as data, and says why a value that a rule looks for may be missing; none if there is no memory
/// for it.
fn shaped(text: &str, shape: FileShape, room: u64) -> Option<(Document, Option<Problem>)> {
    let mut problem = None;
    let mut document = match shape {
        FileShape::Text => return None,
        FileShape::Yaml | FileShape::Json => {
            let (text, _) = yaml::source::text(kubectl_message::without_remarks(text.as_bytes().to_vec()));
            let (document, problems) = yaml::parse_text(text, room);
            if problems.iter().any(Problem::is_memory) {
                return None;
            }
            let lossy = problems.into_iter().find(|problem| problem.is_unreadable() || problem.is_repetition());
            problem = lossy.or_else(|| no_document(&document));
            document
        }
        FileShape::Ini => yaml::settings::ini(text.to_owned()),
        FileShape::Keys => yaml::settings::keys(text.to_owned()),
        FileShape::Table => yaml::grid::table(text.to_owned()),
    };
    normalise(&mut document, Dialect::Plain);
    Some((document, problem))
}

/// Says why a text is not one document. `null` is one: the kit writes it for a cluster without alerts.
fn no_document(document: &Document) -> Option<Problem> {
    let mut roots = document.roots().filter(|root| !root.is_null());
    let problem = |root: Option<Node<'_>>, what| Some(Problem::new(root.map_or(1, Node::line), what));
    match (roots.next(), roots.next()) {
        (None, _) if document.roots().next().is_none() => problem(None, DocumentProblem::NoDocument),
        (_, Some(second)) => problem(Some(second), DocumentProblem::SeveralDocuments),
        _ => None,
    }
}
