//! Bundles of a store once more, for what only the originals can tell: their reports, written by worker processes.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;

use super::progress::RunProgress;
use super::rules::Rules;
use crate::bundle::Limits;
use crate::triage::overview::FileLocation;
use crate::triage::worker::message::{Outcome, Page, Task, Want};
use crate::triage::worker::scheduler::{Scheduler, SchedulerError, WorkerEvent, WorkerLimits};

/// A report that is wanted.
#[derive(Clone, Debug)]
pub struct WantedReport {
    /// The files that hold the bundle.
    pub locations: Vec<FileLocation>,
    /// Where the report is written.
    pub to: PathBuf,
}

/// Has originals analysed again; its workers live as long as it.
pub struct Originals<'t> {
    scheduler: Scheduler<'t, Job>,
}

/// Reports of bundles in one file.
struct Job {
    file: PathBuf,
    parts: Vec<ReportPart>,
}

/// One of the reports that are wanted.
struct ReportPart {
    index: usize,
    /// Which of the files that hold it this is.
    turn: usize,
    page: Page,
}

impl<'t> Originals<'t> {
    /// With these rules, in these bounds.
    pub fn new(rules: &Rules, limits: Limits, worker_limits: &'t WorkerLimits) -> Self {
        Self { scheduler: Scheduler::new(worker_limits, rules.setup(limits)) }
    }

    /// Writes reports, each of the first file that is there and still what it was; of each, in their order, why there is
    /// none, in a sentence.
    ///
    /// # Errors
    /// When no worker can be started.
    pub fn reports(
        &mut self,
        wanted: &[WantedReport],
        progress: &dyn RunProgress,
    ) -> Result<Vec<Option<String>>, SchedulerError> {
        let nowhere = || Some("no file that holds it is there any more".to_owned());
        let mut failures: Vec<Option<String>> = wanted.iter().map(|_| nowhere()).collect();
        let mut queue = jobs(wanted);
        let task =
            |job: &Job| Task::new(&job.file, Want::Reports(job.parts.iter().map(|part| part.page.clone()).collect()));
        loop {
            self.scheduler.assign(&mut queue, &task)?;
            if queue.is_empty() && !self.scheduler.is_busy() {
                return Ok(failures);
            }
            for (job, told) in self.scheduler.wait()?.into_iter().filter_map(told) {
                for (part, failure) in job.parts.into_iter().zip(told) {
                    let next = failure.is_some().then(|| Job::of(wanted, part.index, part.turn + 1)).flatten();
                    if let Some(slot) = failures.get_mut(part.index) {
                        *slot = failure;
                    }
                    match next {
                        Some(job) => queue.push_back(job),
                        None => progress.done(0),
                    }
                }
            }
        }
    }
}

/// Of each part of a job why it has no report.
fn told(event: WorkerEvent<Job>) -> Option<(Job, Vec<Option<String>>)> {
    let (job, why) = match event {
        WorkerEvent::Reported { job, failures } => return Some((job, failures)),
        WorkerEvent::Done { job, outcome: Outcome::Unreadable(why) | Outcome::NoBundle(why), .. } => (job, why),
        WorkerEvent::Stopped { job, why, .. } => (job, why),
        // Nobody asked for these.
        WorkerEvent::Done { .. } | WorkerEvent::Hashed { .. } => return None,
    };
    let told = vec![Some(why); job.parts.len()];
    Some((job, told))
}

/// The first files of all that is wanted, each with all that is wanted of it.
fn jobs(wanted: &[WantedReport]) -> VecDeque<Job> {
    let mut jobs: BTreeMap<PathBuf, Job> = BTreeMap::new();
    for job in (0..wanted.len()).filter_map(|index| Job::of(wanted, index, 0)) {
        match jobs.entry(job.file.clone()) {
            Entry::Vacant(empty) => drop(empty.insert(job)),
            Entry::Occupied(mut first) => first.get_mut().parts.extend(job.parts),
        }
    }
    jobs.into_values().collect()
}

impl Job {
    /// One report of one of the files that hold it, if there are so many.
    fn of(wanted: &[WantedReport], index: usize, turn: usize) -> Option<Self> {
        let one = wanted.get(index)?;
        let locations = one.locations.get(turn)?;
        let (place, content_id) = (locations.place.clone(), locations.content_id.clone());
        let page = Page::new(place, content_id, &one.to);
        Some(Self { file: locations.file.clone(), parts: vec![ReportPart { index, turn, page }] })
    }
}
