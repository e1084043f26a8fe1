//! Gathers the entries of a bundle that a finding may need, in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::sync::{Mutex, PoisonError};

use super::trial::Trial;
use crate::bundle::{Bundle, Entry, Role};
use crate::model::Finding;
use crate::pipeline;
use crate::rule::RuleSet;

/// File by its path without archive layers, so that it fits into a folder.
type Raw = (String, Vec<u8>);

/// Entries that are tried; each step adds more.
#[derive(Clone, Copy)]
enum Step {
    /// Entries that the evidence names, and the bundle's own description.
    Evidence,
    /// In addition, everything except logs.
    Documents,
    /// In addition, the logs that the rule reads.
    Logs,
    Everything,
}

/// Finds the fewest steps with which the rule fires, and the folder name; the entries most likely needed come last.
///
/// # Errors
/// The entries that were too large, if the rule does not fire on the rest.
pub fn gather(
    bundle: &Bundle,
    rule: &RuleSet,
    finding: &Finding,
    names: &[String],
    trial: &mut Trial<'_>,
) -> Result<(String, Vec<Raw>), Vec<String>> {
    let evidence: BTreeSet<&str> = finding.evidence.iter().map(|piece| piece.entry.as_str()).collect();
    let sources: Vec<_> = rule.queries.iter().flat_map(|query| query.selector.any.iter().cloned()).collect();
    let logs: BTreeSet<String> = pipeline::entries_of(bundle, &sources).into_iter().collect();
    let mut left_out = Vec::new();
    for as_test in [true, false] {
        trial.as_test(as_test);
        let mut before = 0;
        for step in [Step::Evidence, Step::Documents, Step::Logs, Step::Everything] {
            let is_wanted = |entry: &&Entry| {
                entry.role != Role::Archive && (evidence.contains(&*entry.path) || in_step(step, entry, &logs))
            };
            let mut wanted: Vec<&Entry> = bundle.entries().iter().filter(is_wanted).collect();
            wanted.sort_by_key(|entry| (rank(entry, &evidence, &logs), entry.size, &entry.path));
            let (taken, refused) = admitted(wanted, trial.bounds().held);
            left_out = refused;
            if taken.len() == before {
                continue;
            }
            before = taken.len();
            let files = read_entries(bundle, &taken);
            if let Some(name) = names.iter().find(|name| trial.fires_raw(name, &files)) {
                return Ok((name.clone(), files));
            }
        }
    }
    Err(left_out)
}

fn in_step(step: Step, entry: &Entry, logs: &BTreeSet<String>) -> bool {
    let is_log = matches!(entry.role, Role::PodLog { .. } | Role::PodLogs { .. } | Role::NodeLog { .. });
    match step {
        Step::Evidence => matches!(entry.role, Role::Metadata | Role::CollectorErrors),
        Step::Documents => !is_log,
        Step::Logs => !is_log || logs.contains(&*entry.path),
        Step::Everything => true,
    }
}

/// Returns a key that is lower the more likely an entry is needed.
fn rank(entry: &Entry, evidence: &BTreeSet<&str>, logs: &BTreeSet<String>) -> u8 {
    match entry.role {
        _ if evidence.contains(&*entry.path) => 0,
        Role::Metadata | Role::CollectorErrors => 1,
        Role::PodLog { .. } | Role::PodLogs { .. } | Role::NodeLog { .. } if !logs.contains(&*entry.path) => 3,
        _ => 2,
    }
}

/// Returns the entries that fit into memory, one for each path without archive layers, and the paths of the others.
fn admitted(wanted: Vec<&Entry>, room: u64) -> (Vec<&Entry>, Vec<String>) {
    let (mut left, mut taken, mut refused) = (room, Vec::new(), Vec::new());
    let mut paths: BTreeSet<&str> = BTreeSet::new();
    for entry in wanted {
        match left.checked_sub(entry.size) {
            Some(rest) if paths.insert(&entry.logical) => {
                left = rest;
                taken.push(entry);
            }
            _ => refused.push(entry.path.to_string()),
        }
    }
    // Reduction removes from the front.
    taken.reverse();
    (taken, refused)
}

fn read_entries(bundle: &Bundle, wanted: &[&Entry]) -> Vec<Raw> {
    let paths: BTreeSet<&str> = wanted.iter().map(|entry| &*entry.path).collect();
    let texts: Mutex<BTreeMap<String, Vec<u8>>> = Mutex::default();
    // An unreadable entry is an Issue of the bundle already; the rule fired without it.
    bundle.read(&|entry| paths.contains(&*entry.path), &|entry, reader| {
        let mut bytes = Vec::new();
        let _ = reader.take(entry.size).read_to_end(&mut bytes);
        texts.lock().unwrap_or_else(PoisonError::into_inner).insert(entry.path.to_string(), bytes);
    });
    let mut texts = texts.into_inner().unwrap_or_else(PoisonError::into_inner);
    wanted.iter().filter_map(|entry| Some((entry.logical.to_string(), texts.remove(&*entry.path)?))).collect()
}
