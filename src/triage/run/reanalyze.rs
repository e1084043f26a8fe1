//! Reports of stored bundles, written by worker processes that analyse the originals again.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;

use super::progress::RunProgress;
use super::rules::Rules;
use crate::bundle::Limits;
use crate::triage::overview::FileLocation;
use crate::triage::worker::message::{Outcome, ReportPage, Task, Want};
use crate::triage::worker::scheduler::{Scheduler, SchedulerError, WorkerEvent, WorkerLimits};

/// Report to write.
#[derive(Clone, Debug)]
pub struct WantedReport {
    /// Files that contain the bundle.
    pub locations: Vec<FileLocation>,
    /// Path of the report.
    pub to: PathBuf,
}

/// Workers that analyse originals again; they live as long as this value.
pub struct Originals<'t> {
    scheduler: Scheduler<'t, ReportJob>,
}

/// Reports of the bundles in one file.
struct ReportJob {
    file: PathBuf,
    parts: Vec<ReportPart>,
}

/// Report of one bundle in a file.
struct ReportPart {
    index: usize,
    /// Index of the file among those that contain the bundle.
    turn: usize,
    page: ReportPage,
}

impl<'t> Originals<'t> {
    /// Creates workers with these rules and limits.
    pub fn new(rules: &Rules, limits: Limits, worker_limits: &'t WorkerLimits) -> Self {
        Self { scheduler: Scheduler::new(worker_limits, rules.setup(limits)) }
    }

    /// Writes each report from the first file that is unchanged; returns for each, in order, the reason why there is none.
    ///
    /// # Errors
    /// Fails when no worker can be started.
    pub fn reports(
        &mut self,
        wanted: &[WantedReport],
        progress: &dyn RunProgress,
    ) -> Result<Vec<Option<String>>, SchedulerError> {
        let nowhere = || Some("no file with this bundle exists".to_owned());
        let mut failures: Vec<Option<String>> = wanted.iter().map(|_| nowhere()).collect();
        let mut queue = jobs(wanted);
        let task = |job: &ReportJob| {
            Task::new(&job.file, Want::Reports(job.parts.iter().map(|part| part.page.clone()).collect()))
        };
        loop {
            self.scheduler.assign(&mut queue, &task)?;
            if queue.is_empty() && !self.scheduler.is_busy() {
                return Ok(failures);
            }
            for (job, reasons) in self.scheduler.wait()?.into_iter().filter_map(failures_of) {
                for (part, failure) in job.parts.into_iter().zip(reasons) {
                    let next =
                        failure.is_some().then(|| ReportJob::for_report(wanted, part.index, part.turn + 1)).flatten();
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

/// Returns the job of an event with the reason, for each report, why there is none.
fn failures_of(event: WorkerEvent<ReportJob>) -> Option<(ReportJob, Vec<Option<String>>)> {
    let (job, why) = match event {
        WorkerEvent::Reported { job, failures } => return Some((job, failures)),
        WorkerEvent::Done { job, outcome: Outcome::Unreadable(why) | Outcome::NoBundle(why), .. } => (job, why),
        WorkerEvent::Stopped { job, why, .. } => (job, why),
        // Not requested here.
        WorkerEvent::Done { .. } | WorkerEvent::Hashed { .. } => return None,
    };
    let reasons = vec![Some(why); job.parts.len()];
    Some((job, reasons))
}

/// Groups the reports by the first file that contains their bundle.
fn jobs(wanted: &[WantedReport]) -> VecDeque<ReportJob> {
    let mut jobs: BTreeMap<PathBuf, ReportJob> = BTreeMap::new();
    for job in (0..wanted.len()).filter_map(|index| ReportJob::for_report(wanted, index, 0)) {
        match jobs.entry(job.file.clone()) {
            Entry::Vacant(empty) => drop(empty.insert(job)),
            Entry::Occupied(mut first) => first.get_mut().parts.extend(job.parts),
        }
    }
    jobs.into_values().collect()
}

impl ReportJob {
    /// Creates the job for one report from its file with index `turn`, if there is one.
    fn for_report(wanted: &[WantedReport], index: usize, turn: usize) -> Option<Self> {
        let one = wanted.get(index)?;
        let locations = one.locations.get(turn)?;
        let (place, content_id) = (locations.place.clone(), locations.content_id.clone());
        let page = ReportPage::new(place, content_id, &one.to);
        Some(Self { file: locations.file.clone(), parts: vec![ReportPart { index, turn, page }] })
    }
}
