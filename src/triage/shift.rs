//! A crew at work: hands jobs to workers, watches their budgets, and tells what became of each job.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::crew::{Crew, Event};
use super::message::{Answer, Order, Outcome, Setup, Task};
use super::objects;
use super::store::Status;

/// How often budgets are looked at.
const TICK: Duration = Duration::from_millis(100);

/// Workers that end before they have their rules, one after the other, until it is given up.
const MOST_FALSE_STARTS: u32 = 3;

/// Who works, and what a job may cost.
#[derive(Clone, Debug)]
pub struct Terms {
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
pub enum ShiftError {
    #[error("cannot start `{}` as a worker: {source}", .program.display())]
    Start { program: PathBuf, source: io::Error },
    #[error("no folder can be made to fetch objects to: {0}")]
    Spool(io::Error),
    #[error("workers end before they begin ({0})")]
    FalseStarts(String),
}

/// What a worker came to.
#[derive(Debug)]
pub enum Happening<J> {
    /// The checksum of the file of its job; it waits for [`Shift::verdict`].
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
pub struct Shift<'t, J> {
    crew: Crew,
    terms: &'t Terms,
    posts: BTreeMap<usize, Post<J>>,
    /// Where objects are fetched to, once there is one.
    spool: Option<TempDir>,
    false_starts: u32,
}

enum Post<J> {
    Starting,
    Idle,
    Busy { job: J, since: Instant },
}

impl<'t, J> Shift<'t, J> {
    /// Nobody yet.
    pub fn new(terms: &'t Terms, setup: Setup) -> Self {
        let crew = Crew::new(terms.program.clone(), terms.threads, setup);
        Self { crew, terms, posts: BTreeMap::new(), spool: None, false_starts: 0 }
    }

    /// Whether somebody works.
    pub fn is_busy(&self) -> bool {
        self.jobs().next().is_some()
    }

    /// What is being worked on, by worker.
    pub fn jobs(&self) -> impl Iterator<Item = (usize, &J)> {
        self.posts.iter().filter_map(|(number, post)| match post {
            Post::Busy { job, .. } => Some((*number, job)),
            _ => None,
        })
    }

    /// The job of a worker.
    pub fn job(&mut self, worker: usize) -> Option<&mut J> {
        match self.posts.get_mut(&worker) {
            Some(Post::Busy { job, .. }) => Some(job),
            _ => None,
        }
    }

    /// Gives jobs to those who are free, and hires as many as there is work for.
    ///
    /// # Errors
    /// When no worker can be started.
    pub fn assign(&mut self, queue: &mut VecDeque<J>, task: &dyn Fn(&J) -> Task) -> Result<(), ShiftError> {
        for (number, post) in &mut self.posts {
            if !matches!(post, Post::Idle) {
                continue;
            }
            let Some(job) = queue.pop_front() else { return Ok(()) };
            let mut task = task(&job);
            if objects::is_address(&task.path()) {
                task.spool = Some(spool(&mut self.spool)?);
            }
            self.crew.order(*number, &Order::Task(task));
            *post = Post::Busy { job, since: Instant::now() };
        }
        let starting = self.posts.values().filter(|post| matches!(post, Post::Starting)).count();
        let room = self.terms.jobs.max(1).saturating_sub(self.posts.len());
        for _ in 0..queue.len().saturating_sub(starting).min(room) {
            let program = || self.terms.program.clone();
            let number = self.crew.hire().map_err(|source| ShiftError::Start { program: program(), source })?;
            self.posts.insert(number, Post::Starting);
        }
        Ok(())
    }

    /// Waits a moment for what happens next.
    ///
    /// # Errors
    /// When workers end before they begin, again and again.
    pub fn wait(&mut self) -> Result<Vec<Happening<J>>, ShiftError> {
        let mut happened = Vec::new();
        if let Some((number, event)) = self.crew.hear(TICK)
            // Of one that was stopped nothing is heard any more.
            && self.posts.contains_key(&number)
        {
            happened.extend(self.hear(number, event)?);
        }
        self.stop_over_budget(&mut happened);
        Ok(happened)
    }

    /// Lets a worker go on, or takes its job back.
    pub fn verdict(&mut self, worker: usize, go: bool) -> Option<J> {
        self.crew.order(worker, &Order::Verdict { go });
        if go { None } else { self.take(worker) }
    }

    fn take(&mut self, worker: usize) -> Option<J> {
        match self.posts.insert(worker, Post::Idle) {
            Some(Post::Busy { job, .. }) => Some(job),
            _ => None,
        }
    }

    fn hear(&mut self, number: usize, event: Event) -> Result<Option<Happening<J>>, ShiftError> {
        match event {
            Event::Answer(Answer::Ready) => {
                self.false_starts = 0;
                self.posts.insert(number, Post::Idle);
                Ok(None)
            }
            Event::Answer(Answer::Hashed { sha256 }) => Ok(Some(Happening::Hashed { worker: number, sha256 })),
            Event::Answer(Answer::Done { outcome, seconds }) => {
                Ok(self.finished(number).map(|job| Happening::Done { job, outcome, seconds }))
            }
            Event::Answer(Answer::Reported { failures }) => {
                Ok(self.finished(number).map(|job| Happening::Reported { job, failures }))
            }
            Event::Ended => self.ended(number),
        }
    }

    /// The job that a worker has done.
    fn finished(&mut self, number: usize) -> Option<J> {
        let job = self.take(number);
        // What a large bundle left behind must not count against the next.
        if self.crew.memory(number).is_some_and(|bytes| bytes > self.terms.bundle_memory / 2) {
            self.posts.remove(&number);
            self.crew.dismiss(number);
        }
        job
    }

    /// A worker has ended by itself.
    fn ended(&mut self, number: usize) -> Result<Option<Happening<J>>, ShiftError> {
        let how = self.crew.dismiss(number);
        match self.posts.remove(&number) {
            Some(Post::Busy { job, .. }) => {
                let why = format!("its analysis crashed ({how})");
                Ok(Some(Happening::Stopped { job, status: Status::Crashed, why }))
            }
            Some(Post::Starting) => {
                self.false_starts += 1;
                if self.false_starts < MOST_FALSE_STARTS { Ok(None) } else { Err(ShiftError::FalseStarts(how)) }
            }
            _ => Ok(None),
        }
    }

    fn stop_over_budget(&mut self, happened: &mut Vec<Happening<J>>) {
        let (time, memory) = (self.terms.bundle_time, self.terms.bundle_memory);
        let mut over = Vec::new();
        for (number, post) in &self.posts {
            let Post::Busy { since, .. } = post else { continue };
            if since.elapsed() > time {
                over.push((
                    *number,
                    Status::OverTime,
                    format!("stopped: it takes longer than {time:?} (--bundle-time)"),
                ));
            } else if self.crew.memory(*number).is_some_and(|bytes| bytes > memory) {
                let why = format!("stopped: it takes more than {} MiB of memory (--bundle-memory)", memory >> 20);
                over.push((*number, Status::OverMemory, why));
            }
        }
        for (number, status, why) in over {
            self.crew.dismiss(number);
            if let Some(Post::Busy { job, .. }) = self.posts.remove(&number) {
                happened.push(Happening::Stopped { job, status, why });
            }
        }
    }
}

/// The folder that objects are fetched to, which is made for the first of them.
fn spool(folder: &mut Option<TempDir>) -> Result<PathBuf, ShiftError> {
    let made = match folder.take() {
        Some(made) => made,
        None => tempfile::Builder::new().prefix("gleaner-").tempdir().map_err(ShiftError::Spool)?,
    };
    let path = made.path().to_owned();
    *folder = Some(made);
    Ok(path)
}
