//! A crew at work: hands jobs to workers, watches their budgets, and tells what became of each job.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::message::{Answer, Order, Outcome, Setup, Task};
use super::worker_pool::{PoolEvent, WorkerPool};
use crate::triage::input::objects;
use crate::triage::store::Status;

/// How often budgets are looked at.
const TICK: Duration = Duration::from_millis(100);

/// Workers that end before they have their rules, one after the other, until it is given up.
const MOST_FAILED_STARTS: u32 = 3;

/// Who works, and what a job may cost.
#[derive(Clone, Debug)]
pub struct WorkerLimits {
    /// The program whose hidden sub-command is the worker: this one.
    pub program: PathBuf,
    /// Worker processes.
    pub jobs: usize,
    /// Threads of each.
    pub threads: usize,
    /// For one file with all bundles in it.
    pub bundle_time: Duration,
    /// Resident memory of a worker, in bytes.
    pub bundle_memory: u64,
}

/// Why nobody works.
#[derive(Debug, thiserror::Error)]
pub enum SchedulerError {
    #[error("cannot start `{}` as a worker: {source}", .program.display())]
    Start { program: PathBuf, source: io::Error },
    #[error("no folder can be made to fetch objects to: {0}")]
    Spool(io::Error),
    #[error("workers end before they begin ({0})")]
    FailedStarts(String),
}

/// What a worker came to.
#[derive(Debug)]
pub enum WorkerEvent<J> {
    /// The checksum of the file of its job; it waits for [`Scheduler::verdict`].
    Hashed {
        worker: usize,
        sha256: String,
    },
    Done {
        job: J,
        outcome: Outcome,
        seconds: f64,
    },
    /// Its pages were written, but for those with a reason why not.
    Reported {
        job: J,
        failures: Vec<Option<String>>,
    },
    /// Its worker had to be stopped, or ended by itself.
    Stopped {
        job: J,
        status: Status,
        why: String,
    },
}

/// Workers with their jobs.
pub struct Scheduler<'t, J> {
    pool: WorkerPool,
    worker_limits: &'t WorkerLimits,
    workers: BTreeMap<usize, WorkerState<J>>,
    /// Where objects are fetched to, once there is one.
    spool: Option<TempDir>,
    failed_starts: u32,
}

enum WorkerState<J> {
    Starting,
    Idle,
    Busy { job: J, since: Instant },
}

impl<'t, J> Scheduler<'t, J> {
    /// Nobody yet.
    pub fn new(worker_limits: &'t WorkerLimits, setup: Setup) -> Self {
        let pool = WorkerPool::new(worker_limits.program.clone(), worker_limits.threads, setup);
        Self { pool, worker_limits, workers: BTreeMap::new(), spool: None, failed_starts: 0 }
    }

    /// Whether somebody works.
    pub fn is_busy(&self) -> bool {
        self.jobs().next().is_some()
    }

    /// What is being worked on, by worker.
    pub fn jobs(&self) -> impl Iterator<Item = (usize, &J)> {
        self.workers.iter().filter_map(|(number, state)| match state {
            WorkerState::Busy { job, .. } => Some((*number, job)),
            _ => None,
        })
    }

    /// The job of a worker.
    pub fn job(&mut self, worker: usize) -> Option<&mut J> {
        match self.workers.get_mut(&worker) {
            Some(WorkerState::Busy { job, .. }) => Some(job),
            _ => None,
        }
    }

    /// Gives jobs to those who are free, and hires as many as there is work for.
    ///
    /// # Errors
    /// When no worker can be started.
    pub fn assign(&mut self, queue: &mut VecDeque<J>, task: &dyn Fn(&J) -> Task) -> Result<(), SchedulerError> {
        for (number, state) in &mut self.workers {
            if !matches!(state, WorkerState::Idle) {
                continue;
            }
            let Some(job) = queue.pop_front() else { return Ok(()) };
            let mut task = task(&job);
            if objects::is_address(&task.path()) {
                task.spool = Some(spool(&mut self.spool)?);
            }
            self.pool.order(*number, &Order::Task(task));
            *state = WorkerState::Busy { job, since: Instant::now() };
        }
        let starting = self.workers.values().filter(|state| matches!(state, WorkerState::Starting)).count();
        let room = self.worker_limits.jobs.max(1).saturating_sub(self.workers.len());
        for _ in 0..queue.len().saturating_sub(starting).min(room) {
            let program = || self.worker_limits.program.clone();
            let number = self.pool.spawn().map_err(|source| SchedulerError::Start { program: program(), source })?;
            self.workers.insert(number, WorkerState::Starting);
        }
        Ok(())
    }

    /// Waits a moment for what happens next.
    ///
    /// # Errors
    /// When workers end before they begin, again and again.
    pub fn wait(&mut self) -> Result<Vec<WorkerEvent<J>>, SchedulerError> {
        let mut happened = Vec::new();
        if let Some((number, event)) = self.pool.hear(TICK)
            // Of one that was stopped nothing is heard any more.
            && self.workers.contains_key(&number)
        {
            happened.extend(self.hear(number, event)?);
        }
        self.stop_over_budget(&mut happened);
        Ok(happened)
    }

    /// Lets a worker go on, or takes its job back.
    pub fn verdict(&mut self, worker: usize, go: bool) -> Option<J> {
        self.pool.order(worker, &Order::Verdict { go });
        if go { None } else { self.take(worker) }
    }

    fn take(&mut self, worker: usize) -> Option<J> {
        match self.workers.insert(worker, WorkerState::Idle) {
            Some(WorkerState::Busy { job, .. }) => Some(job),
            _ => None,
        }
    }

    fn hear(&mut self, number: usize, event: PoolEvent) -> Result<Option<WorkerEvent<J>>, SchedulerError> {
        match event {
            PoolEvent::Answer(Answer::Ready) => {
                self.failed_starts = 0;
                self.workers.insert(number, WorkerState::Idle);
                Ok(None)
            }
            PoolEvent::Answer(Answer::Hashed { sha256 }) => Ok(Some(WorkerEvent::Hashed { worker: number, sha256 })),
            PoolEvent::Answer(Answer::Done { outcome, seconds }) => {
                Ok(self.finished(number).map(|job| WorkerEvent::Done { job, outcome, seconds }))
            }
            PoolEvent::Answer(Answer::Reported { failures }) => {
                Ok(self.finished(number).map(|job| WorkerEvent::Reported { job, failures }))
            }
            PoolEvent::Ended => self.ended(number),
        }
    }

    /// The job that a worker has done.
    fn finished(&mut self, number: usize) -> Option<J> {
        let job = self.take(number);
        // What a large bundle left behind must not count against the next.
        if self.pool.memory(number).is_some_and(|bytes| bytes > self.worker_limits.bundle_memory / 2) {
            self.workers.remove(&number);
            self.pool.stop(number);
        }
        job
    }

    /// A worker has ended by itself.
    fn ended(&mut self, number: usize) -> Result<Option<WorkerEvent<J>>, SchedulerError> {
        let how = self.pool.stop(number);
        match self.workers.remove(&number) {
            Some(WorkerState::Busy { job, .. }) => {
                let why = format!("its analysis crashed ({how})");
                Ok(Some(WorkerEvent::Stopped { job, status: Status::Crashed, why }))
            }
            Some(WorkerState::Starting) => {
                self.failed_starts += 1;
                if self.failed_starts < MOST_FAILED_STARTS { Ok(None) } else { Err(SchedulerError::FailedStarts(how)) }
            }
            _ => Ok(None),
        }
    }

    fn stop_over_budget(&mut self, happened: &mut Vec<WorkerEvent<J>>) {
        let (time, memory) = (self.worker_limits.bundle_time, self.worker_limits.bundle_memory);
        let mut over = Vec::new();
        for (number, state) in &self.workers {
            let WorkerState::Busy { since, .. } = state else { continue };
            if since.elapsed() > time {
                over.push((
                    *number,
                    Status::OverTime,
                    format!("stopped: it takes longer than {time:?} (--bundle-time)"),
                ));
            } else if self.pool.memory(*number).is_some_and(|bytes| bytes > memory) {
                let why = format!("stopped: it takes more than {} MiB of memory (--bundle-memory)", memory >> 20);
                over.push((*number, Status::OverMemory, why));
            }
        }
        for (number, status, why) in over {
            self.pool.stop(number);
            if let Some(WorkerState::Busy { job, .. }) = self.workers.remove(&number) {
                happened.push(WorkerEvent::Stopped { job, status, why });
            }
        }
    }
}

/// The folder that objects are fetched to, which is made for the first of them.
fn spool(folder: &mut Option<TempDir>) -> Result<PathBuf, SchedulerError> {
    let made = match folder.take() {
        Some(made) => made,
        None => tempfile::Builder::new().prefix("gleaner-").tempdir().map_err(SchedulerError::Spool)?,
    };
    let path = made.path().to_owned();
    *folder = Some(made);
    Ok(path)
}
