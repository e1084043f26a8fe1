//! Distribution of jobs to workers, with budgets of time and memory: [`Scheduler`].

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::message::{Answer, Order, Outcome, Setup, Task};
use super::worker_pool::{PoolEvent, WorkerPool};
use crate::triage::input::objects;
use crate::triage::store::Status;

/// Interval between checks of budgets.
const TICK: Duration = Duration::from_millis(100);

/// Workers in a row that may end before they are ready, before the run fails.
const MOST_FAILED_STARTS: u32 = 3;

/// Number of workers and budget of a job.
#[derive(Clone, Debug)]
pub struct WorkerLimits {
    /// Program to run as a worker: this one.
    pub program: PathBuf,
    /// Number of worker processes.
    pub jobs: usize,
    /// Threads of each worker.
    pub threads: usize,
    /// Time for one file with all bundles in it.
    pub bundle_time: Duration,
    /// Resident memory of a worker, in bytes.
    pub bundle_memory: u64,
}

/// Reason why no worker runs.
#[derive(Debug, thiserror::Error)]
pub enum SchedulerError {
    #[error("cannot start `{}` as a worker: {source}", .program.display())]
    Start { program: PathBuf, source: io::Error },
    #[error("cannot create a folder for downloads: {0}")]
    Spool(io::Error),
    #[error("workers end before they are ready ({0})")]
    FailedStarts(String),
}

/// Event of a worker.
#[derive(Debug)]
pub enum WorkerEvent<J> {
    /// Checksum of the file; the worker waits for [`Scheduler::verdict`].
    Hashed {
        worker: usize,
        sha256: String,
    },
    Done {
        job: J,
        outcome: Outcome,
        seconds: f64,
    },
    /// Pages were written, except those with a reason.
    Reported {
        job: J,
        failures: Vec<Option<String>>,
    },
    /// The worker was stopped, or crashed.
    Stopped {
        job: J,
        status: Status,
        why: String,
    },
}

/// Workers and their jobs.
pub struct Scheduler<'t, J> {
    pool: WorkerPool,
    worker_limits: &'t WorkerLimits,
    workers: BTreeMap<usize, WorkerState<J>>,
    /// Folder for downloads, created for the first one.
    spool: Option<TempDir>,
    failed_starts: u32,
}

enum WorkerState<J> {
    Starting,
    Idle,
    Busy { job: J, since: Instant },
}

impl<'t, J> Scheduler<'t, J> {
    /// Creates a scheduler without workers.
    pub fn new(worker_limits: &'t WorkerLimits, setup: Setup) -> Self {
        let pool = WorkerPool::new(worker_limits.program.clone(), worker_limits.threads, setup);
        Self { pool, worker_limits, workers: BTreeMap::new(), spool: None, failed_starts: 0 }
    }

    /// Returns true while a worker has a job.
    pub fn is_busy(&self) -> bool {
        self.jobs().next().is_some()
    }

    /// Returns the running jobs with the numbers of their workers.
    pub fn jobs(&self) -> impl Iterator<Item = (usize, &J)> {
        self.workers.iter().filter_map(|(number, state)| match state {
            WorkerState::Busy { job, .. } => Some((*number, job)),
            _ => None,
        })
    }

    /// Returns the job of a worker.
    pub fn job(&mut self, worker: usize) -> Option<&mut J> {
        match self.workers.get_mut(&worker) {
            Some(WorkerState::Busy { job, .. }) => Some(job),
            _ => None,
        }
    }

    /// Gives jobs to idle workers and starts workers for the remaining jobs.
    ///
    /// # Errors
    /// Fails when no worker can be started.
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

    /// Waits a moment for events.
    ///
    /// # Errors
    /// Fails when several workers in a row end before they are ready.
    pub fn wait(&mut self) -> Result<Vec<WorkerEvent<J>>, SchedulerError> {
        let mut happened = Vec::new();
        if let Some((number, event)) = self.pool.next_event(TICK)
            // Events of stopped workers are ignored.
            && self.workers.contains_key(&number)
        {
            happened.extend(self.hear(number, event)?);
        }
        self.stop_over_budget(&mut happened);
        Ok(happened)
    }

    /// Lets a worker continue, or takes its job back.
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

    /// Returns the finished job of a worker.
    fn finished(&mut self, number: usize) -> Option<J> {
        let job = self.take(number);
        // Memory left by a large bundle must not count against the next one.
        if self.pool.memory(number).is_some_and(|bytes| bytes > self.worker_limits.bundle_memory / 2) {
            self.workers.remove(&number);
            self.pool.stop(number);
        }
        job
    }

    /// Handles a worker that ended.
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

/// Returns the folder for downloads; creates it for the first one.
fn spool(folder: &mut Option<TempDir>) -> Result<PathBuf, SchedulerError> {
    let made = match folder.take() {
        Some(made) => made,
        None => tempfile::Builder::new().prefix("gleaner-").tempdir().map_err(SchedulerError::Spool)?,
    };
    let path = made.path().to_owned();
    *folder = Some(made);
    Ok(path)
}
