//! Bundles of a store once more, for what only the originals can tell: their reports, written by worker processes.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;

use super::message::{Outcome, Page, Task, Want};
use super::overview::Whereabouts;
use super::rules::Rules;
use super::run::Watch;
use super::shift::{Happening, Shift, ShiftError, Terms};
use crate::bundle::Limits;

/// A report that is wanted.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The files that hold the bundle.
    pub whereabouts: Vec<Whereabouts>,
    /// Where the report is written.
    pub to: PathBuf,
}

/// Has originals analysed again; its workers live as long as it.
pub struct Originals<'t> {
    shift: Shift<'t, Job>,
}

/// Reports of bundles in one file.
struct Job {
    file: PathBuf,
    parts: Vec<Part>,
}

/// One of the reports that are wanted.
struct Part {
    index: usize,
    /// Which of the files that hold it this is.
    turn: usize,
    page: Page,
}

impl<'t> Originals<'t> {
    /// With these rules, in these bounds.
    pub fn new(rules: &Rules, limits: Limits, terms: &'t Terms) -> Self {
        Self { shift: Shift::new(terms, rules.setup(limits)) }
    }

    /// Writes reports, each of the first file that is there and still what it was; of each, in their order, why there is
    /// none, in a sentence.
    ///
    /// # Errors
    /// When no worker can be started.
    pub fn reports(&mut self, wanted: &[Wanted], watch: &dyn Watch) -> Result<Vec<Option<String>>, ShiftError> {
        let nowhere = || Some("no file that holds it is there any more".to_owned());
        let mut failures: Vec<Option<String>> = wanted.iter().map(|_| nowhere()).collect();
        let mut queue = jobs(wanted);
        let task =
            |job: &Job| Task::new(&job.file, Want::Reports(job.parts.iter().map(|part| part.page.clone()).collect()));
        loop {
            self.shift.assign(&mut queue, &task)?;
            if queue.is_empty() && !self.shift.is_busy() {
                return Ok(failures);
            }
            for (job, told) in self.shift.wait()?.into_iter().filter_map(told) {
                for (part, failure) in job.parts.into_iter().zip(told) {
                    let next = failure.is_some().then(|| Job::of(wanted, part.index, part.turn + 1)).flatten();
                    if let Some(slot) = failures.get_mut(part.index) {
                        *slot = failure;
                    }
                    match next {
                        Some(job) => queue.push_back(job),
                        None => watch.done(0),
                    }
                }
            }
        }
    }
}

/// Of each part of a job why it has no report.
fn told(happening: Happening<Job>) -> Option<(Job, Vec<Option<String>>)> {
    let (job, why) = match happening {
        Happening::Reported { job, failures } => return Some((job, failures)),
        Happening::Done { job, outcome: Outcome::Unreadable(why) | Outcome::NoBundle(why), .. } => (job, why),
        Happening::Stopped { job, why, .. } => (job, why),
        // Nobody asked for these.
        Happening::Done { .. } | Happening::Hashed { .. } => return None,
    };
    let told = vec![Some(why); job.parts.len()];
    Some((job, told))
}

/// The first files of all that is wanted, each with all that is wanted of it.
fn jobs(wanted: &[Wanted]) -> VecDeque<Job> {
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
    fn of(wanted: &[Wanted], index: usize, turn: usize) -> Option<Self> {
        let one = wanted.get(index)?;
        let whereabouts = one.whereabouts.get(turn)?;
        let (place, content_id) = (whereabouts.place.clone(), whereabouts.content_id.clone());
        let page = Page::new(place, content_id, &one.to);
        Some(Self { file: whereabouts.file.clone(), parts: vec![Part { index, turn, page }] })
    }
}
