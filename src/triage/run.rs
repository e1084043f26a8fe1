//! One run over an archive: plans, lets workers analyse, and writes what they find, one file at a time.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::crew::{Crew, Event};
use super::input::Found;
use super::message::{Analysed, Answer, Order, Outcome, Task};
use super::plan::{Job, Need, Plan, Planner};
use super::rules::Rules;
use super::shard::Shard;
use super::store::{FileRow, Status, Store, StoreError};
use super::{clock, summary};
use crate::bundle::Limits;

pub use summary::Summary;

/// How often budgets are looked at.
const TICK: Duration = Duration::from_millis(100);

/// Workers that end before they have their rules, one after the other, until it is given up.
const MOST_FALSE_STARTS: u32 = 3;

/// How to run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The program whose hidden sub-command is the worker: this one.
    pub program: PathBuf,
    /// Worker processes.
    pub jobs: usize,
    /// Threads of each.
    pub threads: usize,
    pub limits: Limits,
    pub shard: Shard,
    /// For one file with all bundles in it.
    pub bundle_time: Duration,
    /// Resident memory of a worker, in bytes.
    pub bundle_memory: u64,
    /// Analyse again what was stopped.
    pub retry: bool,
    /// Analyse everything again.
    pub again: bool,
    /// The inputs as given.
    pub inputs: Vec<String>,
}

/// Hears how a run comes along.
pub trait Watch {
    /// So many files are to be analysed, of so many bytes together.
    fn begin(&self, _files: u64, _bytes: u64) {}
    /// One is done.
    fn done(&self, _bytes: u64) {}
}

impl Watch for () {}

/// Why a run ended early. What was stored stays, and the next run goes on from there.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("cannot start `{}` as a worker", .program.display())]
    Start { program: PathBuf, source: io::Error },
    #[error("workers end before they begin ({0})")]
    FalseStarts(String),
}

/// Analyses what is new or has changed of what was found.
///
/// # Errors
/// When the store cannot be used, or no worker can be started.
pub fn run(
    store: &mut Store,
    found: &Found,
    rules: &Rules,
    options: &Options,
    watch: &dyn Watch,
) -> Result<Summary, RunError> {
    let begin = Instant::now();
    let started = clock::now();
    let id = format!("{started} {} {}", options.shard, std::process::id());
    let inputs = serde_json::Value::from(options.inputs.clone()).to_string();
    store.begin_run(&id, &started, &inputs, &options.shard.to_string(), rules)?;
    let reader = reader(&options.limits);
    let (retry, again, shard) = (options.retry, options.again, options.shard);
    let plan = Planner { store, rules, reader: &reader, run: &id, shard, retry, again }.plan(found)?;
    let mut summary = Summary::of(&plan, found);
    store.mark_gone(&plan.gone, true)?;
    store.mark_gone(&plan.back, false)?;
    let changed = !plan.jobs.is_empty();
    watch.begin(plan.jobs.len() as u64, plan.jobs.iter().map(|job| job.file.size).sum());
    work(store, plan, rules, (&id, &reader), options, watch, &mut summary)?;
    summary.seconds = begin.elapsed().as_secs_f64();
    store.end_run(&id, &clock::now(), &summary.json(), changed)?;
    Ok(summary)
}

/// With what files are read: results of another version, or within other limits, may differ.
fn reader(limits: &Limits) -> String {
    let Limits { max_bytes, max_entries, max_depth, max_ratio, max_document, max_memory, max_line } = limits;
    format!(
        "{} {max_bytes} {max_entries} {max_depth} {max_ratio} {max_document} {max_memory} {max_line}",
        env!("CARGO_PKG_VERSION")
    )
}

fn work(
    store: &mut Store,
    plan: Plan,
    rules: &Rules,
    (run, reader): (&str, &str),
    options: &Options,
    watch: &dyn Watch,
    summary: &mut Summary,
) -> Result<(), RunError> {
    let mut shift = Shift {
        crew: Crew::new(options.program.clone(), options.threads, rules.setup(options.limits)),
        store,
        rule_set: rules.number(),
        run,
        reader,
        options,
        watch,
        summary,
        queue: plan.jobs.into(),
        posts: BTreeMap::new(),
        waiting: BTreeMap::new(),
        fresh: BTreeSet::new(),
        false_starts: 0,
    };
    shift.work()
}

/// The parent at work.
struct Shift<'a> {
    crew: Crew,
    store: &'a mut Store,
    rule_set: i64,
    run: &'a str,
    reader: &'a str,
    options: &'a Options,
    watch: &'a dyn Watch,
    summary: &'a mut Summary,
    queue: VecDeque<Job>,
    /// What each worker does.
    posts: BTreeMap<usize, Post>,
    /// By checksum: files that wait for another of the same.
    waiting: BTreeMap<String, Vec<Job>>,
    /// Checksums that this run has dealt with.
    fresh: BTreeSet<String>,
    false_starts: u32,
}

enum Post {
    Starting,
    Idle,
    Busy { job: Box<Job>, since: Instant },
}

impl Shift<'_> {
    fn work(&mut self) -> Result<(), RunError> {
        loop {
            self.skip_unrun()?;
            self.assign()?;
            if self.queue.is_empty() && !self.posts.values().any(|post| matches!(post, Post::Busy { .. })) {
                return Ok(());
            }
            if let Some((number, event)) = self.crew.hear(TICK) {
                self.hear(number, event)?;
            }
            self.stop_over_budget()?;
        }
    }

    /// Where rules are gone and no other must run, nothing is read.
    fn skip_unrun(&mut self) -> Result<(), RunError> {
        while let Some(Need::Rules { changes, analyses }) = self.queue.front().map(|job| &job.need)
            && changes.run.is_empty()
        {
            let analyses: Vec<(i64, Option<&Analysed>)> = analyses.iter().map(|(id, _)| (*id, None)).collect();
            self.store.put_rules(&analyses, &[], &changes.gone, self.rule_set, self.run)?;
            if let Some(job) = self.queue.pop_front() {
                self.summary.updated += 1;
                self.watch.done(job.file.size);
            }
        }
        Ok(())
    }

    fn assign(&mut self) -> Result<(), RunError> {
        let free = self.posts.values().filter(|post| !matches!(post, Post::Busy { .. })).count();
        let wanted = self.queue.len().min(self.options.jobs.max(1));
        for _ in free..wanted {
            if self.posts.len() >= self.options.jobs.max(1) {
                break;
            }
            let program = || self.options.program.clone();
            let number = self.crew.hire().map_err(|source| RunError::Start { program: program(), source })?;
            self.posts.insert(number, Post::Starting);
        }
        for (number, post) in &mut self.posts {
            if !matches!(post, Post::Idle) {
                continue;
            }
            let Some(job) = self.queue.pop_front() else { break };
            let rules = match &job.need {
                Need::All => None,
                Need::Rules { changes, .. } => Some(changes.run.clone()),
            };
            let hash = !job.file.is_folder && rules.is_none();
            let task = Task::new(&job.location, hash, rules);
            *post = Post::Busy { job: Box::new(job), since: Instant::now() };
            self.crew.order(*number, &Order::Task(task));
        }
        Ok(())
    }

    fn hear(&mut self, number: usize, event: Event) -> Result<(), RunError> {
        if !self.crew.has(number) {
            // The last words of one that was stopped.
            return Ok(());
        }
        match event {
            Event::Answer(Answer::Ready) => {
                self.false_starts = 0;
                self.posts.insert(number, Post::Idle);
                Ok(())
            }
            Event::Answer(Answer::Hashed { sha256 }) => self.hashed(number, sha256),
            Event::Answer(Answer::Done { outcome, seconds }) => {
                if let Some(Post::Busy { job, .. }) = self.posts.insert(number, Post::Idle) {
                    self.done(*job, outcome, seconds)?;
                }
                // What a large bundle left behind must not count against the next.
                if self.crew.memory(number).is_some_and(|bytes| bytes > self.options.bundle_memory / 2) {
                    self.posts.remove(&number);
                    self.crew.dismiss(number);
                }
                Ok(())
            }
            Event::Ended => self.ended(number),
        }
    }

    /// Decides whether a file whose checksum is known must be analysed.
    fn hashed(&mut self, number: usize, sha256: String) -> Result<(), RunError> {
        let Some(Post::Busy { job, .. }) = self.posts.get_mut(&number) else { return Ok(()) };
        job.file.sha256 = Some(sha256.clone());
        let file = job.file.clone();
        let copied = self.copied(&file, &sha256)?;
        let others = self.posts.iter().filter(|(other, _)| **other != number);
        let in_hand = others.into_iter().any(|(_, post)| match post {
            Post::Busy { job, .. } => job.file.sha256.as_deref() == Some(sha256.as_str()) && job.file.name <= file.name,
            _ => false,
        });
        let go = !copied && !in_hand;
        self.crew.order(number, &Order::Verdict { go });
        if !go
            && let Some(Post::Busy { job, .. }) = self.posts.insert(number, Post::Idle)
            && !copied
        {
            self.waiting.entry(sha256).or_default().push(*job);
        }
        Ok(())
    }

    /// Whether another file of the same checksum is in the store and this one could be put beside it.
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
        self.watch.done(file.size);
        Ok(true)
    }

    fn done(&mut self, mut job: Job, outcome: Outcome, seconds: f64) -> Result<(), RunError> {
        job.file.seconds = seconds;
        if let Need::Rules { changes, analyses } = &job.need {
            let Some(pairs) = paired(analyses, &outcome) else {
                // It is not what it was; then all of it is new.
                job.need = Need::All;
                self.queue.push_front(job);
                return Ok(());
            };
            self.store.put_rules(&pairs, &changes.run, &changes.gone, self.rule_set, self.run)?;
            self.summary.updated += 1;
            self.watch.done(job.file.size);
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
            // Its own fault, not that of the store.
            Err(StoreError::Refused(why)) => self.failed(file, Status::Unreadable, &format!("cannot be stored: {why}")),
            Err(error) => Err(error.into()),
        }
    }

    fn failed(&mut self, file: &FileRow, status: Status, why: &str) -> Result<(), RunError> {
        self.store.put_failed(file, status, why)?;
        self.summary.fail(file, status, why);
        Ok(())
    }

    /// Files of the same checksum need not wait any longer.
    fn finished(&mut self, job: &Job) -> Result<(), RunError> {
        self.watch.done(job.file.size);
        let Some(sha256) = &job.file.sha256 else { return Ok(()) };
        self.fresh.insert(sha256.clone());
        for waiting in self.waiting.remove(sha256).unwrap_or_default() {
            if !self.copied(&waiting.file, sha256)? {
                self.queue.push_front(waiting);
            }
        }
        Ok(())
    }

    /// A worker has ended by itself.
    fn ended(&mut self, number: usize) -> Result<(), RunError> {
        let how = self.crew.dismiss(number);
        match self.posts.remove(&number) {
            Some(Post::Busy { job, .. }) => {
                self.stopped(*job, Status::Crashed, &format!("its analysis crashed ({how})"))
            }
            Some(Post::Starting) => {
                self.false_starts += 1;
                if self.false_starts >= MOST_FALSE_STARTS { Err(RunError::FalseStarts(how)) } else { Ok(()) }
            }
            _ => Ok(()),
        }
    }

    fn stop_over_budget(&mut self) -> Result<(), RunError> {
        let mut over = Vec::new();
        for (number, post) in &self.posts {
            let Post::Busy { since, .. } = post else { continue };
            if since.elapsed() > self.options.bundle_time {
                over.push((*number, Status::OverTime));
            } else if self.crew.memory(*number).is_some_and(|bytes| bytes > self.options.bundle_memory) {
                over.push((*number, Status::OverMemory));
            }
        }
        for (number, status) in over {
            self.crew.dismiss(number);
            let Some(Post::Busy { job, .. }) = self.posts.remove(&number) else { continue };
            let why = match status {
                Status::OverTime => {
                    format!("stopped: it takes longer than {:?} (--bundle-time)", self.options.bundle_time)
                }
                _ => format!(
                    "stopped: it takes more than {} MiB of memory (--bundle-memory)",
                    self.options.bundle_memory >> 20
                ),
            };
            self.stopped(*job, status, &why)?;
        }
        Ok(())
    }

    fn stopped(&mut self, mut job: Job, status: Status, why: &str) -> Result<(), RunError> {
        if matches!(job.need, Need::Rules { .. }) {
            // What it said before is of rules that are no more; all of it together decides.
            job.need = Need::All;
            self.queue.push_front(job);
            return Ok(());
        }
        self.failed(&job.file, status, why)?;
        self.finished(&job)
    }
}

/// Analyses with what some rules say of them now; none if the file does not hold the same bundles any more.
fn paired<'o>(analyses: &[(i64, String)], outcome: &'o Outcome) -> Option<Vec<(i64, Option<&'o Analysed>)>> {
    let Outcome::Analysed(bundles) = outcome else { return None };
    let of = |place: &str| bundles.iter().find(|bundle| bundle.place == place);
    let pairs: Vec<_> = analyses.iter().filter_map(|(id, place)| Some((*id, Some(of(place)?)))).collect();
    (pairs.len() == analyses.len() && bundles.len() == analyses.len()).then_some(pairs)
}
