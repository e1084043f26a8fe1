//! Decides what to do with each file, from its stamp and the store: [`Planner`].

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use super::changes::Changes;
use super::rules::Rules;
use crate::bundle::probe;
use crate::triage::input::objects;
use crate::triage::input::stamp::Stamp;
use crate::triage::input::{Candidate, InputFiles};
use crate::triage::store::{FileRow, KnownFile, Status, Store, StoreError};

/// File or folder to analyse.
#[derive(Clone, Debug)]
pub struct FileJob {
    pub file: FileRow,
    pub location: PathBuf,
    pub need: Need,
}

/// Work needed for a file.
#[derive(Clone, Debug)]
pub enum Need {
    /// Run all rules.
    All,
    /// Run only some rules and update these analyses, with the places of their bundles in the file.
    Rules { changes: Rc<Changes>, analyses: Vec<(i64, String)> },
}

/// Work needed for all files.
#[derive(Debug, Default)]
pub struct RunPlan {
    pub jobs: Vec<FileJob>,
    /// Number of files that are current in the store.
    pub unchanged: u64,
    /// Number of files that are neither archives nor parts of bundles.
    pub others: u64,
    /// Number of files of the shard.
    pub files: u64,
    /// Files marked as deleted that exist again.
    pub back: Vec<(String, String)>,
    /// Files that were deleted.
    pub gone: Vec<(String, String)>,
    pub trouble: Vec<String>,
}

/// Makes the plan of a run.
pub struct Planner<'a> {
    pub store: &'a mut Store,
    pub rules: &'a Rules,
    pub reader: Arc<str>,
    pub run: Arc<str>,
    /// Analyse again files that were stopped.
    pub retry: bool,
    /// Analyse everything again.
    pub again: bool,
}

impl Planner<'_> {
    /// Plans every file of the shard.
    ///
    /// # Errors
    /// Fails when the store cannot be used.
    pub fn plan(&mut self, found: &InputFiles) -> Result<RunPlan, StoreError> {
        let mut plan = RunPlan::default();
        let mut known_changes: BTreeMap<i64, Rc<Changes>> = BTreeMap::new();
        let mut shared: Vec<(FileJob, Vec<(i64, String)>)> = Vec::new();
        let mut led: BTreeSet<i64> = BTreeSet::new();
        for candidate in &found.candidates {
            plan.files += 1;
            let Some(file) = self.file(candidate, &mut plan)? else { continue };
            let known = self.store.known_file(&candidate.input, &candidate.path)?;
            let job = |need| FileJob { file: file.clone(), location: candidate.location.clone(), need };
            let Some(known) = known else {
                if candidate.named || candidate.is_folder || may_be_archive(candidate) {
                    plan.jobs.push(job(Need::All));
                } else {
                    plan.others += 1;
                }
                continue;
            };
            if known.gone {
                plan.back.push((candidate.input.to_string(), candidate.path.clone()));
            }
            if !self.is_current(&known, &file) {
                plan.jobs.push(job(Need::All));
                continue;
            }
            let Some(old) = outdated(&known, self.rules.number()) else {
                plan.unchanged += 1;
                continue;
            };
            let changes = match known_changes.get(&old) {
                Some(changes) => Rc::clone(changes),
                None => {
                    let changes = Changes::between(&self.store.rule_set(old)?, self.rules.all());
                    Rc::clone(known_changes.entry(old).or_insert(Rc::new(changes)))
                }
            };
            let analyses: Vec<(i64, String)> = known.analyses.iter().map(|a| (a.id, a.place.clone())).collect();
            let apart = known.analyses.iter().all(|a| a.rule_set == old && !a.limited);
            if !apart || changes.run.len() == self.rules.all().len() {
                plan.jobs.push(job(Need::All));
            } else if known.analyses.iter().all(|a| a.name == file.name && !led.contains(&a.id)) {
                led.extend(analyses.iter().map(|(id, _)| *id));
                plan.jobs.push(job(Need::Rules { changes, analyses }));
            } else {
                shared.push((job(Need::All), analyses));
            }
        }
        // Copies share the analyses of the copy whose name sorts first.
        for (job, analyses) in shared {
            if analyses.iter().all(|(id, _)| led.contains(id)) {
                plan.unchanged += 1;
            } else {
                plan.jobs.push(job);
            }
        }
        plan.jobs.sort_by(|a, b| (&a.file.input, &a.file.path).cmp(&(&b.file.input, &b.file.path)));
        plan.gone = self.gone(found)?;
        Ok(plan)
    }

    /// Returns the row of a file; none if it cannot be read, which is recorded.
    fn file(&mut self, candidate: &Candidate, plan: &mut RunPlan) -> Result<Option<FileRow>, StoreError> {
        let metadata = match &candidate.object {
            Some(_) => Ok(None),
            None => std::fs::metadata(&candidate.location).map(Some),
        };
        let stamp = match (&metadata, &candidate.object) {
            (_, Some(object)) => Stamp::of_object(object),
            (Ok(_), _) if candidate.is_folder => Stamp::of_folder(&candidate.location),
            (Ok(Some(metadata)), _) => Stamp::of_file(metadata),
            _ => Stamp { size: 0, mtime: String::new(), text: String::new() },
        };
        let file = FileRow {
            input: Arc::clone(&candidate.input),
            path: candidate.path.clone(),
            name: candidate.location.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
            is_folder: candidate.is_folder,
            size: stamp.size,
            mtime: stamp.mtime,
            stamp: stamp.text,
            reader: Arc::clone(&self.reader),
            sha256: None,
            seconds: 0.0,
            run: Arc::clone(&self.run),
        };
        let Err(error) = metadata else { return Ok(Some(file)) };
        if candidate.named {
            self.store.put_failed(&file, Status::Unreadable, &format!("cannot be read: {error}"))?;
        }
        plan.trouble.push(format!("`{}` cannot be read ({error})", candidate.location.display()));
        Ok(None)
    }

    /// Returns true if reading the file again with the same rules would give the same results.
    fn is_current(&self, known: &KnownFile, file: &FileRow) -> bool {
        let is_same = known.stamp == file.stamp && *known.reader == *file.reader;
        let stopped = ["over_time", "over_memory", "crashed"].contains(&known.status.as_str());
        // A file that could not be opened may be readable now although its time did not change.
        let hopeful = known.status == "unreadable" && !known.has_sha256;
        let try_again = hopeful || self.again || stopped && self.retry;
        is_same && !try_again
    }

    /// Returns stored files of searched inputs and this shard that no longer exist.
    fn gone(&self, found: &InputFiles) -> Result<Vec<(String, String)>, StoreError> {
        let there: BTreeSet<(&str, &str)> = found.candidates.iter().map(|c| (&*c.input, c.path.as_str())).collect();
        let mut gone = Vec::new();
        for input in &found.searched {
            for (path, is_gone) in self.store.files_of(input)? {
                if !is_gone && found.shard.has(&path) && !there.contains(&(input.as_str(), path.as_str())) {
                    gone.push((input.clone(), path));
                }
            }
        }
        Ok(gone)
    }
}

/// Returns an older rule set that an analysis of the file used, if any.
fn outdated(known: &KnownFile, rule_set: i64) -> Option<i64> {
    known.analyses.iter().map(|analysis| analysis.rule_set).find(|number| *number != rule_set)
}

/// Returns true for archives, by name or content, and for unreadable files.
fn may_be_archive(candidate: &Candidate) -> bool {
    let begins = || match &candidate.object {
        Some(object) => {
            let beginning = objects::beginning(&candidate.location.to_string_lossy(), object.size);
            beginning.map_or(true, |beginning| probe::begins_as_archive(&beginning))
        }
        None => probe::is_archive(&candidate.location).unwrap_or(true),
    };
    probe::is_named_archive(&candidate.path) || begins()
}
