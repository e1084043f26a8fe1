//! Reads the entries of a bundle in parallel, in rounds: an entry that does not fit into memory is retried with the
//! memory that the others left free. A [`Visitor`] reads one entry.

mod dump_place;
mod entry_result;
mod file_of_logs;
mod files;
mod objects;
#[cfg(test)]
mod tests;
mod visitor;

use entry_result::EntryResult;
pub use entry_result::IngestTimings;
use visitor::Visitor;
pub use visitor::skip;

use super::memory_budget::MemoryBudget;
use super::pods::PodNames;
use super::sections::Sections;
use super::tasks::Tasks;
use crate::bundle::{Bundle, Entry, Role};
use crate::eval::{BundleFile, FileGap};
use crate::log::{Clock, PatternSet, SourceHits};
use crate::model::{Issue, Progress};
use crate::resource::IndexBuilder;
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

/// A pass with its issues.
pub struct Pass {
    pub harvest: IngestResult,
    pub issues: Vec<Issue>,
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
