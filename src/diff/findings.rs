//! Findings that are new or gone.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::snapshot::Snapshot;
use crate::health;
use crate::model::difference::{Findings, NotComparable, Side, Still};
use crate::model::message::Reason;
use crate::model::{Analysis, Finding, ObjectRef, Severity};

/// Compares findings by fingerprint, which covers rule and objects but no times; then those of one rule about an object that was
/// made anew under another name.
pub fn compare(old: (&Analysis, &Snapshot), new: (&Analysis, &Snapshot)) -> Findings {
    let (before, after) = (by_fingerprint(old.0), by_fingerprint(new.0));
    let mut gone: Vec<&Finding> =
        before.values().copied().filter(|finding| !after.contains_key(finding.fingerprint.as_str())).collect();
    gone.sort_by(|a, b| order(a).cmp(&order(b)));
    let mut replaced = Replaced::of(&gone, old.1);
    let mut appeared: Vec<&Finding> =
        after.values().copied().filter(|finding| !before.contains_key(finding.fingerprint.as_str())).collect();
    appeared.sort_by(|a, b| order(a).cmp(&order(b)));
    let mut taken = BTreeSet::new();
    let mut findings = Findings::default();
    let both = after.values().filter(|finding| before.contains_key(finding.fingerprint.as_str()));
    findings.still.extend(both.map(|finding| Still { finding: (*finding).clone(), was: None }));
    for finding in appeared {
        match (replaced.take(finding, new.1), reason(old.0, finding)) {
            (Some(was), _) => {
                findings.still.push(Still { finding: finding.clone(), was: was.objects.first().cloned() });
                taken.insert(was.fingerprint.as_str());
            }
            (None, None) => findings.new.push(finding.clone()),
            (None, Some(reason)) => findings.not_comparable.push(not_comparable(finding, Side::New, reason)),
        }
    }
    for finding in gone.into_iter().filter(|finding| !taken.contains(finding.fingerprint.as_str())) {
        match reason(new.0, finding) {
            None => findings.gone.push(finding.clone()),
            Some(reason) => findings.not_comparable.push(not_comparable(finding, Side::Old, reason)),
        }
    }
    findings.still.sort_by(|a, b| order(&a.finding).cmp(&order(&b.finding)));
    findings.not_comparable.sort_by(|a, b| (a.side, order(&a.finding)).cmp(&(b.side, order(&b.finding))));
    findings
}

/// Findings that only the older bundle has, by rule and by what their subject is a part of.
struct Replaced<'a>(BTreeMap<(&'a str, String, ObjectRef), VecDeque<&'a Finding>>);

impl<'a> Replaced<'a> {
    fn of(gone: &[&'a Finding], snapshot: &Snapshot) -> Self {
        let mut by_subject = BTreeMap::new();
        for finding in gone {
            if let Some(key) = key(finding, snapshot) {
                by_subject.entry(key).or_insert_with(VecDeque::new).push_back(*finding);
            }
        }
        Self(by_subject)
    }

    /// Returns the finding whose place a newer one has taken, each once.
    fn take(&mut self, finding: &'a Finding, snapshot: &Snapshot) -> Option<&'a Finding> {
        self.0.get_mut(&key(finding, snapshot)?)?.pop_front()
    }
}

/// Rule, kind of the subject, and what the subject is a part of; none for a finding about no object.
fn key<'a>(finding: &'a Finding, snapshot: &Snapshot) -> Option<(&'a str, String, ObjectRef)> {
    let subject = finding.objects.first()?;
    let known = snapshot.objects.get(subject).map(|state| state.lineage.clone());
    let lineage = match (known, subject.kind.as_str()) {
        (Some(lineage), _) => lineage,
        // Only events may be left of a pod.
        (None, "Pod") => health::deployment_of_pod(subject.namespace.as_deref(), &subject.name),
        (None, _) => None,
    };
    Some((&finding.rule, subject.kind.clone(), lineage.unwrap_or_else(|| subject.clone())))
}

fn by_fingerprint(analysis: &Analysis) -> BTreeMap<&str, &Finding> {
    analysis.findings.iter().map(|finding| (finding.fingerprint.as_str(), finding)).collect()
}

/// Sorts the most severe first and causes before symptoms.
fn order(finding: &Finding) -> (Reverse<Severity>, bool, &str, &str, &str) {
    let folded = finding.explained_by.is_some();
    (Reverse(finding.severity), folded, &finding.rule, finding.title.as_str(), &finding.fingerprint)
}

fn not_comparable(finding: &Finding, side: Side, reason: &Reason) -> NotComparable {
    NotComparable { finding: finding.clone(), side, reason: reason.clone() }
}

/// Returns the reason why the rule of a finding has no answer for the other bundle. A rule that does not apply to its
/// versions has an answer.
fn reason<'a>(other: &'a Analysis, finding: &Finding) -> Option<&'a Reason> {
    other.rules.unproven().find(|told| told.rule == finding.rule).map(|told| &told.reason)
}
