//! Visit of one entry in one pass: each of its parts is read once for all its uses.

use std::io::{self, Read};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::entry_result::{EntryResult, issue};
use crate::bundle::{Bundle, Role};
use crate::eval::FileGap;
use crate::log::{Clock, LogSource, PatternSet};
use crate::model::encoding::Utf8Reader;
use crate::model::message::{Answer, DocumentProblem};
use crate::model::{Issue, IssueKind, Origin, Progress};
use crate::pipeline::memory_budget::MemoryBudget;
use crate::pipeline::pods::PodNames;
use crate::pipeline::sections::{EntryPart, Sections};
use crate::pipeline::tasks::{Task, Tasks};
use crate::pipeline::texts::MAX_FILE;
use crate::pipeline::texts::{bytes_of, text_of};
use crate::resource::DumpObjects;
use crate::yaml::Problem;

/// Reads entries, several at a time.
pub(super) struct Visitor<'a> {
    pub(super) patterns: &'a PatternSet,
    pub(super) pods: &'a PodNames,
    pub(super) sections: &'a Sections,
    pub(super) clock: Clock,
    pub(super) bundle: &'a Bundle,
    /// True if no table lists the events, so those in descriptions are taken.
    pub(super) no_events: bool,
    pub(super) memory: MemoryBudget,
}

impl Visitor<'_> {
    /// Reads all tasks; returns the result and the issues of entries that were unreadable.
    pub(super) fn pass(&self, tasks: &Tasks<'_>, progress: &dyn Progress) -> (EntryResult, Vec<Issue>) {
        let found = Mutex::new(EntryResult::default());
        let failed = self.bundle.read(&|entry| !tasks.of(entry).is_empty(), &|entry, reader| {
            let tasks = tasks.of(entry);
            // Places of sections are those of the decoded text; a whole text is decoded by who reads it.
            let mut mine = if self.sections.of(&entry.path).is_empty() {
                self.visit(tasks, reader)
            } else {
                self.visit(tasks, &mut Utf8Reader::new(reader))
            };
            if mine.dumps.iter().any(DumpObjects::is_over_limit) {
                mine.over_limit = std::mem::take(&mut mine.dumps);
            }
            found.lock().unwrap_or_else(PoisonError::into_inner).append(mine);
            progress.advance(entry.size, 1);
        });
        (found.into_inner().unwrap_or_else(PoisonError::into_inner), failed)
    }

    /// Reads the parts of an entry in their order.
    fn visit(&self, tasks: &[Task<'_>], reader: &mut dyn Read) -> EntryResult {
        let mut mine = EntryResult::default();
        if let Some((whole, logs)) = tasks.split_first().filter(|(whole, _)| self.is_file_of_logs(whole)) {
            self.part(whole, reader, &mut mine, |reader, mine| self.file_of_logs(whole, logs, reader, mine));
            return mine;
        }
        let mut at = 0;
        for task in tasks {
            match task.part.section {
                None => self.part(task, reader, &mut mine, |reader, mine| self.consume(task, reader, mine)),
                Some(section) => {
                    skip(reader, section.start.saturating_sub(at));
                    let mut inside = reader.take(section.length);
                    self.part(task, &mut inside, &mut mine, |reader, mine| self.consume(task, reader, mine));
                    // A visit may stop early.
                    let left = inside.limit();
                    skip(&mut inside, left);
                    at = section.start + section.length;
                }
            }
        }
        mine
    }

    /// Returns true if the part can hold logs as separate parts, with objects between them.
    fn is_file_of_logs(&self, task: &Task<'_>) -> bool {
        let has_sections = || task.part.section.is_none() && !self.sections.of(task.part.path).is_empty();
        matches!(task.part.role, Role::LogSections { .. }) || *task.part.role == Role::Unplaced && has_sections()
    }

    /// Keeps a part as a file if rules ask for it, and passes its bytes to its other readers.
    fn part(
        &self,
        task: &Task<'_>,
        reader: &mut dyn Read,
        mine: &mut EntryResult,
        consume: impl FnOnce(&mut dyn Read, &mut EntryResult),
    ) {
        if task.shapes.is_empty() {
            return consume(reader, mine);
        }
        let (bytes, cut) = bytes_of(reader);
        if cut {
            mine.issues.push(issue(&task.part, IssueKind::Limit, DocumentProblem::CutForRules { most: MAX_FILE }));
        }
        consume(&mut bytes.as_slice(), mine);
        let text = text_of(bytes);
        match self.refusal(task, &text) {
            Some(gap) => mine.file_gaps.push(gap),
            None => match self.file(&task.part, text, &task.shapes) {
                Some(file) => {
                    let problems = file.data.values().filter_map(|data| data.problem.as_ref());
                    let place = |problem: &Problem| Origin::line(task.part.path.clone(), problem.line);
                    let issues = problems.map(|p| Issue::at(place(p), IssueKind::Document, p.message.clone()));
                    mine.issues.extend(issues);
                    mine.files.push(file);
                }
                None => {
                    let dense = DocumentProblem::NoMemoryForRules;
                    mine.issues.push(issue(&task.part, IssueKind::Limit, dense.clone()));
                    mine.file_gaps.push(self.file_gap(&task.part, dense.into()));
                }
            },
        }
    }

    /// Reads the objects of a part, or searches its log for patterns.
    pub(super) fn consume(&self, task: &Task<'_>, reader: &mut dyn Read, mine: &mut EntryResult) {
        let begin = Instant::now();
        let mut reader = Counted { reader, bytes: 0 };
        self.understand(task, &mut reader, mine);
        let spent = if task.has_objects() { &mut mine.spent.dumps } else { &mut mine.spent.logs };
        spent.bytes += reader.bytes;
        spent.time += begin.elapsed();
    }

    fn understand(&self, task: &Task<'_>, reader: &mut dyn Read, mine: &mut EntryResult) {
        let part = &task.part;
        match part.role {
            _ if !task.has_objects() => task.log.iter().for_each(|source| self.scan(part, source, reader, mine)),
            Role::Dump { .. } | Role::Table { .. } | Role::Objects => self.objects(part, reader, mine),
            Role::Described { word, .. } => self.described(part, Some(word), reader, mine),
            Role::Summary(of) => self.summary(part, *of, reader, mine),
            Role::Unplaced => self.unplaced(task, reader, mine),
            _ => {}
        }
    }

    /// Returns the gap for a part that rules cannot read, with the reason.
    pub(super) fn file_gap(&self, part: &EntryPart<'_>, said: Answer) -> FileGap {
        FileGap { logical: part.logical.clone(), node: self.pods.node_of(self.bundle, part.role), answer: Some(said) }
    }

    pub(super) fn scan(&self, part: &EntryPart<'_>, source: &LogSource, reader: &mut dyn Read, mine: &mut EntryResult) {
        let clock = Clock { boot: self.pods.boot(part.path), ..self.clock };
        if let Some(scanner) = self.patterns.scanner(source, part.logical, clock) {
            let line = part.section.map_or(1, |section| section.line);
            mine.hits.push(scanner.start_at_line(line).max_line(self.bundle.limits().max_line).scan(reader));
        }
    }
}

/// Reader that counts the bytes read.
struct Counted<'r> {
    reader: &'r mut dyn Read,
    bytes: u64,
}

impl Read for Counted<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(out)?;
        self.bytes += count as u64;
        Ok(count)
    }
}

/// Skips bytes.
pub fn skip(reader: &mut dyn Read, bytes: u64) {
    // The reader of a bundle ends early instead of failing; the pass reports why.
    let _ = std::io::copy(&mut reader.take(bytes), &mut std::io::sink());
}
