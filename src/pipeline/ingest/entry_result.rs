//! Result of reading entries, and what is noted about those that were not read.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::dump_place::{Placed, dump_place};
use crate::bundle::Bundle;
use crate::eval::{BundleFile, FileGap};
use crate::log::SourceHits;
use crate::model::message::{Answer, DocumentProblem};
use crate::model::{Issue, IssueKind, Origin, Timing};
use crate::pipeline::sections::EntryPart;
use crate::pipeline::tasks::Task;
use crate::resource::DumpObjects;

/// Bytes read, and the time of all threads for parsing and for streamed decompression; small zip entries are
/// decompressed earlier.
#[derive(Clone, Debug, Default)]
pub struct IngestTimings {
    pub dumps: Timing,
    pub logs: Timing,
}

impl IngestTimings {
    fn add(&mut self, other: &Self) {
        for (mine, other) in [(&mut self.dumps, &other.dumps), (&mut self.logs, &other.logs)] {
            mine.time += other.time;
            mine.bytes += other.bytes;
        }
    }
}

/// Everything read from entries.
#[derive(Default)]
pub(super) struct EntryResult {
    pub dumps: Vec<DumpObjects>,
    /// Objects of entries of which a part did not fit into its share of the memory.
    pub over_limit: Vec<DumpObjects>,
    pub hits: Vec<SourceHits>,
    pub files: Vec<BundleFile>,
    pub file_gaps: Vec<FileGap>,
    pub issues: Vec<Issue>,
    pub spent: IngestTimings,
}

impl EntryResult {
    /// Adds the result of other entries.
    pub fn append(&mut self, mut other: Self) {
        self.dumps.append(&mut other.dumps);
        self.over_limit.append(&mut other.over_limit);
        self.hits.append(&mut other.hits);
        self.files.append(&mut other.files);
        self.file_gaps.append(&mut other.file_gaps);
        self.issues.append(&mut other.issues);
        self.spent.add(&other.spent);
    }

    /// Returns the memory taken by the entries that fitted, in bytes.
    pub fn held(&self) -> u64 {
        let dumps: u64 = self.dumps.iter().map(DumpObjects::bytes).sum();
        dumps + self.files.iter().map(bytes).sum::<u64>()
    }

    /// Reports an entry that is not read for lack of memory; `node` is the node that it was collected on.
    pub fn skip(&mut self, task: &Task<'_>, node: Option<String>, why: DocumentProblem) {
        let part = &task.part;
        self.issues.push(issue(part, IssueKind::Limit, why.clone()));
        if task.has_objects() {
            let place = dump_place(part.role);
            let place = place.as_ref().map(Placed::borrowed);
            self.dumps.push(DumpObjects::unreadable(part.path.clone(), place.as_ref()));
        }
        if !task.shapes.is_empty() {
            self.file_gaps.push(FileGap { logical: part.logical.clone(), node, answer: Some(why.into()) });
        }
    }

    /// Marks entries that were read in part or not at all, so that they do not count as read.
    pub fn mark(&mut self, bundle: &Bundle, failed: &[Issue]) {
        let failed: BTreeSet<&Arc<str>> =
            failed.iter().filter_map(|issue| Some(&issue.origin.as_ref()?.entry)).collect();
        self.dumps.iter_mut().filter(|dump| failed.contains(dump.entry())).for_each(DumpObjects::mark_incomplete);
        for hits in &mut self.hits {
            hits.complete &= !failed.contains(&hits.source.entry);
        }
        // Of what it holds beside its beginning, nothing is known.
        let partly = self.files.iter().filter(|file| failed.contains(&file.origin.entry));
        self.file_gaps.extend(partly.map(|file| FileGap {
            logical: file.logical.clone(),
            node: file.node.clone(),
            answer: Some(Answer::Beginning),
        }));
        let seen: BTreeSet<Arc<str>> = self.dumps.iter().map(|dump| dump.entry().clone()).collect();
        let unread = bundle.entries().iter().map(|entry| (&entry.path, &entry.role));
        let lost = bundle.unreadable().iter().map(|lost| (&lost.path, &lost.role));
        for (path, role) in unread.chain(lost).filter(|(path, _)| !seen.contains(*path)) {
            if let Some(place) = dump_place(role) {
                self.dumps.push(DumpObjects::unreadable(path.clone(), Some(&place.borrowed())));
            }
        }
    }
}

/// Creates the issue of a part.
pub(super) fn issue(part: &EntryPart<'_>, kind: IssueKind, problem: DocumentProblem) -> Issue {
    Issue::at(Origin::entry(part.path.clone()), kind, problem)
}

/// Returns the memory that a file takes, in bytes.
fn bytes(file: &BundleFile) -> u64 {
    (file.text.len() + file.data.values().map(|data| data.document.bytes()).sum::<usize>()) as u64
}
