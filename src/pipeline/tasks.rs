//! Tasks of each entry: reading objects, searching patterns in logs, keeping files that rules ask for.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use super::memory_budget::MemoryBudget;
use super::pods::PodNames;
use super::sections::{EntryPart, Sections};
use super::texts::{MAX_FILE, head_of};
use crate::bundle::{Bundle, Entry, Role};
use crate::log::{LogSource, PatternSet};
use crate::resource::content::Shape;
use crate::rule::{Fact, FactKind, FileQuery, FileShape, RuleSet};

/// Uses of one part, found once, because the selectors and globs of all rules are tried for it.
pub struct Task<'b> {
    pub part: EntryPart<'b>,
    /// Forms in which rules ask for it as a file.
    pub shapes: BTreeSet<FileShape>,
    /// The log to search for patterns.
    pub log: Option<LogSource>,
    /// True if objects are read, if its role has any.
    objects: bool,
}

impl<'b> Task<'b> {
    fn is_any(&self) -> bool {
        self.has_objects() || self.log.is_some() || !self.shapes.is_empty()
    }

    /// Returns true if its objects are read.
    pub fn has_objects(&self) -> bool {
        self.objects && may_hold_objects(self.part.role)
    }

    /// Returns the bytes that stay in memory.
    pub fn held(&self) -> u64 {
        let EntryPart { size, apart, .. } = self.part;
        let objects = if self.has_objects() { size.saturating_sub(apart) } else { 0 };
        let file = if self.shapes.is_empty() { 0 } else { size.min(MAX_FILE) };
        objects.saturating_add(file)
    }

    /// Takes out the objects and files that stay in memory.
    fn take_held(&mut self) -> Self {
        let objects = self.has_objects();
        self.objects = false;
        Self { part: self.part, shapes: std::mem::take(&mut self.shapes), log: None, objects }
    }
}

/// The entries to read, by path, with their tasks.
#[derive(Default)]
pub struct Tasks<'b>(HashMap<&'b str, (&'b Entry, Vec<Task<'b>>)>);

impl<'b> Tasks<'b> {
    pub fn new(
        bundle: &'b Bundle,
        set: &RuleSet,
        patterns: &PatternSet,
        pods: &PodNames,
        sections: &'b Sections,
    ) -> Self {
        let files = file_queries(set);
        let log = |part: &EntryPart<'b>| pods.source(part).filter(|source| patterns.reads(source, part.logical));
        let shapes = |part: &EntryPart<'b>| {
            if part.is_file() { shapes(&files, part.logical) } else { BTreeSet::new() }
        };
        let task = |part: EntryPart<'b>| Task { shapes: shapes(&part), log: log(&part), part, objects: true };
        let is_read = |part: &EntryPart<'b>| !part.is_refused() || pods.refusal(part).is_some();
        let of_entry = |entry: &'b Entry| {
            sections.all_parts(entry).filter(is_read).map(task).filter(Task::is_any).collect::<Vec<_>>()
        };
        let entries = bundle.entries().iter().map(|entry| (&*entry.path, (entry, of_entry(entry))));
        Self(entries.filter(|(_, (_, tasks))| !tasks.is_empty()).collect())
    }

    /// Returns the tasks of an entry, in the order of its parts.
    pub fn of(&self, entry: &Entry) -> &[Task<'b>] {
        self.0.get(&*entry.path).map_or(&[], |(_, tasks)| tasks)
    }

    /// Returns the number of entries that are read.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the bytes of all entries that are read.
    pub fn bytes(&self) -> u64 {
        self.0.values().map(|(entry, _)| entry.size).sum()
    }

    /// Takes out the tasks that do not fit into that many bytes of memory.
    pub fn hold(&mut self, memory: u64) -> (MemoryBudget, Self) {
        let (budget, paths) = MemoryBudget::admit(memory, &self.demands());
        let mut not_admitted = Self::default();
        for path in paths {
            let Some((entry, tasks)) = self.0.get_mut(path) else { continue };
            let held = tasks.iter_mut().filter(|task| task.held() > 0).map(Task::take_held).collect();
            not_admitted.0.insert(path, (entry, held));
        }
        self.tidy();
        (budget, not_admitted)
    }

    /// Moves the object tasks of an entry here.
    pub fn take_objects(&mut self, from: &mut Self, path: &str) {
        let Some((path, (entry, tasks))) = from.0.remove_entry(path) else { return };
        let objects = tasks.into_iter().filter(Task::has_objects);
        let objects = objects.map(|task| Task { shapes: BTreeSet::new(), log: None, ..task }).collect();
        self.0.insert(path, (entry, objects));
    }

    /// Returns all tasks, by path and part.
    pub fn all(&self) -> Vec<&Task<'b>> {
        let mut all: Vec<_> = self.0.values().flat_map(|(_, tasks)| tasks).collect();
        all.sort_by_key(|task| (task.part.path, task.part.logical));
        all
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the bytes that stay in memory, by entry.
    fn demands(&self) -> HashMap<&'b str, u64> {
        let sum = |tasks: &[Task<'_>]| tasks.iter().map(Task::held).fold(0, u64::saturating_add);
        self.0.iter().map(|(path, (_, tasks))| (*path, sum(tasks))).filter(|(_, bytes)| *bytes > 0).collect()
    }

    /// Drops files whose first bytes show that they hold no objects. Files are checked only if the memory is too
    /// small.
    pub fn drop_empty(&mut self, bundle: &Bundle, memory: u64) {
        if MemoryBudget::fits(memory, &self.demands()) {
            return;
        }
        let unplaced = |entry: &Entry| entry.role == Role::Unplaced && !self.of(entry).is_empty();
        let empty: Mutex<Vec<Arc<str>>> = Mutex::default();
        // Read errors are reported when the objects are read.
        let _ = bundle.read(&unplaced, &|entry, reader| {
            if Shape::of(&head_of(reader)).is_none() {
                empty.lock().unwrap_or_else(PoisonError::into_inner).push(entry.path.clone());
            }
        });
        for path in empty.into_inner().unwrap_or_else(PoisonError::into_inner) {
            if let Some((_, tasks)) = self.0.get_mut(&*path) {
                tasks.iter_mut().for_each(|task| task.objects = false);
            }
        }
        self.tidy();
    }

    fn tidy(&mut self) {
        self.0.retain(|_, (_, tasks)| {
            tasks.retain(Task::is_any);
            !tasks.is_empty()
        });
    }
}

fn may_hold_objects(role: &Role) -> bool {
    matches!(
        role,
        Role::Dump { .. }
            | Role::Table { .. }
            | Role::Described { .. }
            | Role::Objects
            | Role::Summary(_)
            | Role::Unplaced
            | Role::LogSections { documents: true }
    )
}

fn file_queries(set: &RuleSet) -> Vec<&FileQuery> {
    let facts = set.rules.iter().flat_map(|rule| &rule.facts);
    let queries = facts.flat_map(Fact::kinds).filter_map(|kind| match kind {
        FactKind::File(query) => Some(query),
        _ => None,
    });
    queries.collect()
}

fn shapes(files: &[&FileQuery], logical: &str) -> BTreeSet<FileShape> {
    files.iter().filter(|query| query.path.is_match(logical)).map(|query| query.shape).collect()
}

/// Returns a test for files that rules ask for, by path without archive layers.
pub fn asked_for(set: &RuleSet) -> impl Fn(&str) -> bool {
    let files = file_queries(set);
    move |logical| files.iter().any(|query| query.path.is_match(logical))
}
