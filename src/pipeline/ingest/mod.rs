//! Reads the entries of a bundle in parallel, in rounds: an entry that does not fit into memory is retried with the
//! memory that the others left free. A [`Visitor`] reads one entry.

mod file_of_logs;
mod files;
mod objects;
#[cfg(test)]
mod tests;
mod visitor;

use std::collections::BTreeSet;
use std::sync::Arc;

use objects::{Placed, dump_place};
use visitor::Visitor;

use super::memory_budget::MemoryBudget;
use super::pods::PodNames;
use super::sections::{EntryPart, Sections};
use super::tasks::{Task, Tasks};
use crate::bundle::{Bundle, Entry, Role};
use crate::eval::{BundleFile, FileGap};
use crate::log::{Clock, PatternSet, SourceHits};
use crate::model::message::DocumentProblem;
use crate::model::{Issue, IssueKind, Origin, Progress, Timing};
use crate::resource::{DumpObjects, IndexBuilder};
use crate::rule::RuleSet;

/// Maximum number of rounds; each after the first retries entries that did not fit into memory.
const ROUNDS: usize = 3;

/// Input for the stages after reading.
pub struct IngestResult {
    pub builder: IndexBuilder,
    pub hits: Vec<SourceHits>,
    /// Sorted by path.
    pub files: Vec<BundleFile>,
    /// Files that rules ask for and that hold only a command's error, sorted by path.
    pub file_gaps: Vec<FileGap>,
    pub spent: IngestTimings,
}

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

/// A pass with its issues.
pub struct Pass {
    pub harvest: IngestResult,
    pub issues: Vec<Issue>,
}

#[derive(Default)]
struct EntryResult {
    dumps: Vec<DumpObjects>,
    /// Objects of entries of which a part did not fit into its share of the memory.
    over_limit: Vec<DumpObjects>,
    hits: Vec<SourceHits>,
    files: Vec<BundleFile>,
    file_gaps: Vec<FileGap>,
    issues: Vec<Issue>,
    spent: IngestTimings,
}

impl EntryResult {
    fn append(&mut self, mut other: Self) {
        self.dumps.append(&mut other.dumps);
        self.over_limit.append(&mut other.over_limit);
        self.hits.append(&mut other.hits);
        self.files.append(&mut other.files);
        self.file_gaps.append(&mut other.file_gaps);
        self.issues.append(&mut other.issues);
        self.spent.add(&other.spent);
    }

    /// Returns the memory taken by the entries that fitted, in bytes.
    fn held(&self) -> u64 {
        let dumps: u64 = self.dumps.iter().map(DumpObjects::bytes).sum();
        dumps + self.files.iter().map(files::bytes).sum::<u64>()
    }

    /// Reports an entry that is not read for lack of memory; `node` is the node that it was collected on.
    fn skip(&mut self, task: &Task<'_>, node: Option<String>, why: DocumentProblem) {
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
    fn mark(&mut self, bundle: &Bundle, failed: &[Issue]) {
        let failed: BTreeSet<&Arc<str>> =
            failed.iter().filter_map(|issue| Some(&issue.origin.as_ref()?.entry)).collect();
        self.dumps.iter_mut().filter(|dump| failed.contains(dump.entry())).for_each(DumpObjects::mark_incomplete);
        for hits in &mut self.hits {
            hits.complete &= !failed.contains(&hits.source.entry);
        }
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

/// Reads dumps, scans logs and keeps files that rules ask for.
pub fn ingest(
    bundle: &Bundle,
    set: &RuleSet,
    (patterns, clock): (&PatternSet, Clock),
    pods: &PodNames,
    sections: &Sections,
    progress: &dyn Progress,
) -> Pass {
    let is_events = |entry: &Entry| matches!(&entry.role, Role::Table { word } if word == "events");
    let no_events = !bundle.entries().iter().any(is_events);
    let mut tasks = Tasks::new(bundle, set, patterns, pods, sections);
    let mut bytes = MemoryBudget::memory_of(bundle, tasks.len());
    tasks.drop_empty(bundle, bytes);
    progress.stage("reading", tasks.bytes());
    let mut found = EntryResult::default();
    let mut failed = Vec::new();
    for round in 1.. {
        let (memory, mut others) = tasks.hold(bytes);
        let visitor = Visitor { patterns, pods, sections, clock, bundle, no_events, memory };
        let (mine, more) = visitor.pass(&tasks, if round == 1 { progress } else { &() });
        let held = mine.held();
        bytes = bytes.saturating_sub(held);
        found.append(mine);
        failed.extend(more);
        let over_limit = std::mem::take(&mut found.over_limit);
        // If nothing fitted, nothing is left for the others either.
        if round == ROUNDS || held == 0 || others.is_empty() && over_limit.is_empty() {
            for task in others.all() {
                let too_large = task.part.size > bundle.limits().max_dump;
                let why = if too_large { visitor.too_large() } else { MemoryBudget::refusal(bundle) };
                found.skip(task, pods.node_of(bundle, task.part.role), why);
            }
            found.dumps.extend(over_limit);
            break;
        }
        over_limit.iter().for_each(|dump| others.take_objects(&mut tasks, dump.entry()));
        tasks = others;
    }
    found.mark(bundle, &failed);
    found.issues.extend(failed);
    found.files.sort_by(|a, b| (&a.path, &a.logical).cmp(&(&b.path, &b.logical)));
    found.file_gaps.sort_by(|a, b| (&a.logical, &a.answer).cmp(&(&b.logical, &b.answer)));
    // Another round may report it again.
    found.file_gaps.dedup();
    let mut builder = IndexBuilder::default();
    found.dumps.into_iter().for_each(|objects| builder.add(objects));
    bundle.truncated().into_iter().for_each(|why| builder.truncated(why.clone()));
    Pass {
        harvest: IngestResult {
            builder,
            hits: found.hits,
            files: found.files,
            file_gaps: found.file_gaps,
            spent: found.spent,
        },
        issues: found.issues,
    }
}

fn issue(part: &EntryPart<'_>, kind: IssueKind, problem: DocumentProblem) -> Issue {
    Issue::at(Origin::entry(part.path.clone()), kind, problem)
}
