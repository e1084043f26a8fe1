//! Run over an archive: plans, lets workers analyse files, and stores results one file at a time.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Instant;

use super::clock;
use super::plan::{FileJob, Need, Planner};
use super::progress::RunProgress;
use super::rules::Rules;
use crate::bundle::Limits;
use crate::triage::input::InputFiles;
use crate::triage::store::{FileRow, Status, Store, StoreError};
use crate::triage::ticket::TicketList;
use crate::triage::worker::message::{Analysed, Outcome, Task, Want};
use crate::triage::worker::scheduler::{Scheduler, SchedulerError, WorkerEvent, WorkerLimits};

use super::summary::Summary;
/// Options of a run.
#[derive(Clone, Debug)]
pub struct Options {
    pub worker_limits: WorkerLimits,
    pub limits: Limits,
    /// Analyse again files that were stopped.
    pub retry: bool,
    /// Analyse everything again.
    pub again: bool,
    /// Inputs as given by the user.
    pub inputs: Vec<String>,
    /// What people know about the files.
    pub tickets: Option<TicketList>,
}

/// Reason why a run ended early. Stored results stay, and the next run continues.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Scheduler(#[from] SchedulerError),
}

/// Analyses new and changed files.
///
/// # Errors
/// Fails when the store cannot be used, or no worker can be started.
pub fn analyze_archive(
    store: &mut Store,
    found: &InputFiles,
    rules: &Rules,
    options: &Options,
    progress: &dyn RunProgress,
) -> Result<Summary, RunError> {
    let begin = Instant::now();
    let started = clock::now();
    let shard = found.shard.to_string();
    let id: Arc<str> = format!("{started} {shard} {}", std::process::id()).into();
    let inputs = serde_json::Value::from(options.inputs.clone()).to_string();
    store.begin_run(&id, &started, &inputs, &shard, rules)?;
    let reader: Arc<str> = reader(&options.limits).into();
    let (retry, again) = (options.retry, options.again);
    let (run, read_by) = (Arc::clone(&id), Arc::clone(&reader));
    let plan = Planner { store, rules, reader: read_by, run, retry, again }.plan(found)?;
    let mut summary = Summary::of(&plan, found);
    store.mark_gone(&plan.gone, true)?;
    store.mark_gone(&plan.back, false)?;
    let changed = !plan.jobs.is_empty();
    progress.begin(plan.jobs.len() as u64, plan.jobs.iter().map(|job| job.file.size).sum());
    let scheduler = Scheduler::new(&options.worker_limits, rules.setup(options.limits));
    let rule_set = rules.number();
    ArchiveRun {
        scheduler,
        store,
        rule_set,
        id: &id,
        reader: &reader,
        options,
        progress,
        summary: &mut summary,
        queue: plan.jobs.into(),
        waiting: BTreeMap::new(),
        fresh: BTreeSet::new(),
    }
    .work()?;
    store.put_tickets(&id, options.tickets.as_ref())?;
    summary.seconds = begin.elapsed().as_secs_f64();
    store.end_run(&id, &clock::now(), &summary.json(), changed)?;
    Ok(summary)
}

/// Identifies how files are read: another version or other limits may give other results.
fn reader(limits: &Limits) -> String {
    let values = Limits::TABLE.iter().map(|limit| limit.get(limits).to_string());
    std::iter::once(env!("CARGO_PKG_VERSION").to_owned()).chain(values).collect::<Vec<_>>().join(" ")
}

/// State of a run.
struct ArchiveRun<'a> {
    scheduler: Scheduler<'a, FileJob>,
    store: &'a mut Store,
    rule_set: i64,
    id: &'a str,
    reader: &'a str,
    options: &'a Options,
    progress: &'a dyn RunProgress,
    summary: &'a mut Summary,
    queue: VecDeque<FileJob>,
    /// Files that wait for a file with the same checksum, by checksum.
    waiting: BTreeMap<String, Vec<FileJob>>,
    /// Checksums that this run has finished.
    fresh: BTreeSet<String>,
}

impl ArchiveRun<'_> {
    fn work(mut self) -> Result<(), RunError> {
        loop {
            self.skip_unrun()?;
            self.scheduler.assign(&mut self.queue, &task)?;
            if self.queue.is_empty() && !self.scheduler.is_busy() {
                return Ok(());
            }
            for event in self.scheduler.wait()? {
                match event {
                    WorkerEvent::Hashed { worker, sha256 } => self.hashed(worker, sha256)?,
                    WorkerEvent::Done { job, outcome, seconds } => self.done(job, outcome, seconds)?,
                    WorkerEvent::Stopped { job, status, why } => self.stopped(job, status, &why)?,
                    // Runs do not request reports.
                    WorkerEvent::Reported { .. } => {}
                }
            }
        }
    }

    /// Updates files for which no rule must run: only findings of removed rules are deleted.
    fn skip_unrun(&mut self) -> Result<(), RunError> {
        while let Some(Need::Rules { changes, analyses }) = self.queue.front().map(|job| &job.need)
            && changes.run.is_empty()
        {
            let analyses: Vec<(i64, Option<&Analysed>)> = analyses.iter().map(|(id, _)| (*id, None)).collect();
            self.store.put_rules(&analyses, &[], &changes.gone, self.rule_set, self.id)?;
            if let Some(job) = self.queue.pop_front() {
                self.summary.updated += 1;
                self.progress.done(job.file.size);
            }
        }
        Ok(())
    }

    /// Decides whether a file must be analysed, once its checksum is known.
    fn hashed(&mut self, worker: usize, sha256: String) -> Result<(), RunError> {
        let Some(job) = self.scheduler.job(worker) else { return Ok(()) };
        job.file.sha256 = Some(sha256.clone());
        let file = job.file.clone();
        let copied = self.copied(&file, &sha256)?;
        let is_same = |other: &FileRow| other.sha256.as_deref() == Some(&sha256) && other.name <= file.name;
        let in_hand = self.scheduler.jobs().any(|(other, job)| other != worker && is_same(&job.file));
        let taken = self.scheduler.verdict(worker, !copied && !in_hand);
        if !copied {
            self.waiting.entry(sha256).or_default().extend(taken);
        }
        Ok(())
    }

    /// Stores the file as a copy if the store has a file with the same checksum; returns whether it did.
    fn copied(&mut self, file: &FileRow, sha256: &str) -> Result<bool, RunError> {
        let fresh = self.fresh.contains(sha256);
        if self.options.again && !fresh {
            return Ok(false);
        }
        let stopped = fresh || !self.options.retry;
        let found = self.store.same_file(sha256, self.reader, self.rule_set, &file.name, stopped)?;
        let Some((input, path)) = found else { return Ok(false) };
        self.store.put_copy(file, (&input, &path))?;
        self.summary.copies += 1;
        self.progress.done(file.size);
        Ok(true)
    }

    fn done(&mut self, mut job: FileJob, outcome: Outcome, seconds: f64) -> Result<(), RunError> {
        job.file.seconds = seconds;
        if let Need::Rules { changes, analyses } = &job.need {
            let Some(pairs) = paired(analyses, &outcome) else {
                // The file has other bundles now, so all rules must run.
                job.need = Need::All;
                self.queue.push_front(job);
                return Ok(());
            };
            self.store.put_rules(&pairs, &changes.run, &changes.gone, self.rule_set, self.id)?;
            self.summary.updated += 1;
            self.progress.done(job.file.size);
            return Ok(());
        }
        match outcome {
            Outcome::Analysed(bundles) => self.analysed(&job.file, &bundles)?,
            Outcome::NoBundle(why) => self.failed(&job.file, Status::NoBundle, &why)?,
            Outcome::Unreadable(why) => self.failed(&job.file, Status::Unreadable, &why)?,
        }
        self.finished(&job)
    }

    fn analysed(&mut self, file: &FileRow, bundles: &[Analysed]) -> Result<(), RunError> {
        match self.store.put_analysed(file, bundles, self.rule_set) {
            Ok(()) => {
                self.summary.analysed += 1;
                self.summary.bundles += bundles.len() as u64;
                self.summary.bytes += file.size;
                Ok(())
            }
            // This file is the problem, not the store.
            Err(StoreError::Refused(why)) => self.failed(file, Status::Unreadable, &format!("cannot be stored: {why}")),
            Err(error) => Err(error.into()),
        }
    }

    fn failed(&mut self, file: &FileRow, status: Status, why: &str) -> Result<(), RunError> {
        self.store.put_failed(file, status, why)?;
        self.summary.fail(file, status, why);
        Ok(())
    }

    /// Releases files that wait for this checksum.
    fn finished(&mut self, job: &FileJob) -> Result<(), RunError> {
        self.progress.done(job.file.size);
        let Some(sha256) = &job.file.sha256 else { return Ok(()) };
        self.fresh.insert(sha256.clone());
        for waiting in self.waiting.remove(sha256).unwrap_or_default() {
            if !self.copied(&waiting.file, sha256)? {
                self.queue.push_front(waiting);
            }
        }
        Ok(())
    }

    fn stopped(&mut self, mut job: FileJob, status: Status, why: &str) -> Result<(), RunError> {
        if matches!(job.need, Need::Rules { .. }) {
            // The stored results are of old rules, so all rules must run to decide.
            job.need = Need::All;
            self.queue.push_front(job);
            return Ok(());
        }
        self.failed(&job.file, status, why)?;
        self.finished(&job)
    }
}

fn task(job: &FileJob) -> Task {
    let rules = match &job.need {
        Need::All => None,
        Need::Rules { changes, .. } => Some(changes.run.clone()),
    };
    Task::new(&job.location, Want::Findings { hash: !job.file.is_folder && rules.is_none(), rules })
}

/// Pairs stored analyses with new results; returns none if the file has other bundles now.
fn paired<'o>(analyses: &[(i64, String)], outcome: &'o Outcome) -> Option<Vec<(i64, Option<&'o Analysed>)>> {
    let Outcome::Analysed(bundles) = outcome else { return None };
    let of = |place: &str| bundles.iter().find(|bundle| bundle.place == place);
    let pairs: Vec<_> = analyses.iter().filter_map(|(id, place)| Some((*id, Some(of(place)?)))).collect();
    (pairs.len() == analyses.len() && bundles.len() == analyses.len()).then_some(pairs)
}
