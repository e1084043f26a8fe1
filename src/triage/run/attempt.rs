//! Trial of a new rule on the originals of a store: how often it fires, where, and which lines it shows. The store is only
//! read.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::archive::RunError;
use super::progress::RunProgress;
use super::rules::Rules;
use crate::bundle::Limits;
use crate::triage::input::objects;
use crate::triage::store::{Original, Store};
use crate::triage::worker::message::{Analysed, Finding, Outcome, RuleState, Task, Want};
use crate::triage::worker::scheduler::{Scheduler, WorkerEvent, WorkerLimits};

/// Largest number of different objects, lines and reasons that are counted.
const MOST_KEYS: usize = 20_000;

/// Longest line kept, in characters.
const LONGEST_LINE: usize = 200;

/// Results of a trial.
#[derive(Clone, Debug, Default)]
pub struct Attempt {
    /// Number of different bundles in the store.
    pub contents: u64,
    /// Number of bundles whose originals were deleted or changed.
    pub gone: u64,
    /// Bundles that cannot be analysed now, with the reason.
    pub failed: Vec<(String, String)>,
    /// Number of bundles by outcome.
    pub outcomes: BTreeMap<&'static str, u64>,
    /// Bundles by product and version: fired, evaluated.
    pub versions: BTreeMap<(String, String), (u64, u64)>,
    /// Other rules that fired in the same bundles: how often together, how often in all.
    pub together: Vec<(String, u64, u64)>,
    /// Number of findings by bundle.
    pub bundles: BTreeMap<String, u64>,
    /// Number of findings by object.
    pub objects: BTreeMap<String, u64>,
    /// Lines shown, with numbers ignored: how often, first text, its entry and line.
    pub lines: BTreeMap<String, (u64, String, String)>,
    /// Number of bundles by the reason for not evaluated or not applicable.
    pub reasons: BTreeMap<String, u64>,
}

/// File with the bundles to try.
struct TrialJob {
    location: PathBuf,
    is_folder: bool,
    bundles: Vec<Original>,
}

/// Runs a rule over every content of the store whose original still exists.
///
/// # Errors
/// Fails when the store cannot be read, or no worker can be started.
pub fn attempt(
    store: &Store,
    rules: &Rules,
    id: &str,
    limits: Limits,
    worker_limits: &WorkerLimits,
    progress: &dyn RunProgress,
) -> Result<Attempt, RunError> {
    let mut attempt = Attempt::default();
    let mut queue = jobs(store.originals()?, &mut attempt);
    progress.begin(queue.len() as u64, 0);
    let task =
        |job: &TrialJob| Task::new(&job.location, Want::Findings { hash: false, rules: Some(vec![id.to_owned()]) });
    let mut scheduler = Scheduler::new(worker_limits, rules.setup(limits));
    let mut fired = Vec::new();
    loop {
        scheduler.assign(&mut queue, &task)?;
        if queue.is_empty() && !scheduler.is_busy() {
            break;
        }
        for event in scheduler.wait()? {
            match event {
                WorkerEvent::Done { job, outcome, .. } => {
                    attempt.take(&job, outcome, id, &mut fired);
                    progress.done(0);
                }
                WorkerEvent::Stopped { job, why, .. } => {
                    attempt.fail(&job, &why);
                    progress.done(0);
                }
                // Not requested here.
                WorkerEvent::Hashed { .. } | WorkerEvent::Reported { .. } => {}
            }
        }
    }
    fired.sort_unstable();
    attempt.together = store.together(&fired, id)?;
    Ok(attempt)
}

/// Groups contents by the first file that exists unchanged.
fn jobs(originals: Vec<Original>, attempt: &mut Attempt) -> VecDeque<TrialJob> {
    let mut by_content: BTreeMap<String, Vec<Original>> = BTreeMap::new();
    originals.into_iter().for_each(|one| by_content.entry(one.content.clone()).or_default().push(one));
    attempt.contents = by_content.len() as u64;
    let mut jobs: BTreeMap<PathBuf, TrialJob> = BTreeMap::new();
    for one in by_content.into_values() {
        let Some(there) = one.into_iter().find(is_there) else {
            attempt.gone += 1;
            continue;
        };
        let (location, is_folder) = (there.location(), there.is_folder);
        let job = jobs.entry(location.clone()).or_insert(TrialJob { location, is_folder, bundles: Vec::new() });
        job.bundles.push(there);
    }
    jobs.into_values().collect()
}

fn is_there(original: &Original) -> bool {
    let is_same = |metadata: std::fs::Metadata| {
        metadata.is_dir() == original.is_folder && (original.is_folder || metadata.len() == original.size)
    };
    let location = original.location();
    // A deleted object is noticed when it is downloaded.
    objects::is_address(&location) || std::fs::metadata(location).is_ok_and(is_same)
}

impl Attempt {
    fn fail(&mut self, job: &TrialJob, why: &str) {
        self.failed.push((job.location.display().to_string(), why.to_owned()));
    }

    fn take(&mut self, job: &TrialJob, outcome: Outcome, id: &str, fired: &mut Vec<i64>) {
        let found = match outcome {
            Outcome::Analysed(found) => found,
            Outcome::NoBundle(why) | Outcome::Unreadable(why) => return self.fail(job, &why),
        };
        for original in &job.bundles {
            match found.iter().find(|one| one.place == original.place) {
                Some(one) => self.count(original, one, id, fired),
                None if job.is_folder => self.fail(job, "has other bundles than before"),
                None => self.fail(job, &format!("no longer contains `{}`", original.place)),
            }
        }
    }

    fn count(&mut self, original: &Original, found: &Analysed, id: &str, fired: &mut Vec<i64>) {
        let Some(outcome) = found.outcomes.iter().find(|outcome| outcome.rule == id) else { return };
        *self.outcomes.entry(outcome.outcome.as_str()).or_default() += 1;
        if let Some(reason) = &outcome.reason {
            add(&mut self.reasons, reason.clone());
        }
        let is_fired = outcome.outcome == RuleState::Fired;
        if is_fired || outcome.outcome == RuleState::Clean {
            let version = (original.product.clone(), original.version.clone().unwrap_or_else(|| "unknown".to_owned()));
            let (hits, all) = self.versions.entry(version).or_default();
            *hits += u64::from(is_fired);
            *all += 1;
        }
        if is_fired {
            fired.push(original.analysis);
            let findings: Vec<&Finding> = found.findings.iter().filter(|finding| finding.rule == id).collect();
            self.bundles.insert(original.display_path(), findings.len() as u64);
            findings.into_iter().for_each(|finding| self.show(finding));
        }
    }

    fn show(&mut self, finding: &Finding) {
        let parsed = |json: &str| serde_json::from_str::<Vec<Value>>(json).unwrap_or_default();
        if let Some(object) = parsed(&finding.objects).first() {
            let part = |key: &str| object[key].as_str().unwrap_or_default();
            let names: Vec<&str> = [part("namespace"), part("name")].into_iter().filter(|n| !n.is_empty()).collect();
            add(&mut self.objects, format!("{} {}", part("kind"), names.join("/")));
        }
        for evidence in parsed(&finding.evidence) {
            for line in evidence["excerpt"].as_array().into_iter().flatten().filter(|line| line["hit"] == true) {
                let text: String =
                    line["text"].as_str().unwrap_or_default().trim().chars().take(LONGEST_LINE).collect();
                let place = format!("{}:{}", evidence["entry"].as_str().unwrap_or_default(), line["line"]);
                let key = without_numbers(&text);
                if self.lines.len() < MOST_KEYS || self.lines.contains_key(&key) {
                    let (count, example, first) = self.lines.entry(key).or_insert((0, text.clone(), place.clone()));
                    *count += 1;
                    // The smallest text and place, so that the order of results does not matter.
                    if (&text, &place) < (&*example, &*first) {
                        (*example, *first) = (text, place);
                    }
                }
            }
        }
    }
}

fn add(counts: &mut BTreeMap<String, u64>, key: String) {
    if counts.len() < MOST_KEYS || counts.contains_key(&key) {
        *counts.entry(key).or_default() += 1;
    }
}

/// Replaces each word with a digit by `#`, so that lines that differ in numbers only are counted together.
fn without_numbers(line: &str) -> String {
    let mut pattern = String::with_capacity(line.len());
    for word in line.split_inclusive(|c: char| !c.is_alphanumeric()) {
        let end = word.char_indices().last().filter(|(_, c)| !c.is_alphanumeric()).map_or(word.len(), |(at, _)| at);
        let (name, border) = word.split_at(end);
        pattern.push_str(if name.contains(|c: char| c.is_ascii_digit()) { "#" } else { name });
        pattern.push_str(border);
    }
    pattern
}

impl Original {
    /// Returns the path or address of the file.
    pub fn location(&self) -> PathBuf {
        Path::new(&self.input).join(&self.path)
    }

    /// Returns the path of the bundle, with its place in the file.
    pub fn display_path(&self) -> String {
        let border = if self.place.is_empty() { "" } else { "!/" };
        format!("{}{border}{}", self.path, self.place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_lines_are_ignored() {
        let one = without_numbers("E0306 09:00:01.5 volume pvc-1a2b is degraded (3 of 4)");
        assert_eq!(one, "# #:#:#.# volume pvc-# is degraded (# of #)");
        assert_eq!(one, without_numbers("E0417 23:59:59.9 volume pvc-99ff is degraded (1 of 2)"));
        assert_ne!(one, without_numbers("E0306 09:00:01.5 volume pvc-1a2b is faulted (3 of 4)"));
        assert_eq!(without_numbers(""), "");
    }
}
