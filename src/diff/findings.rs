//! Findings that are new or gone.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::model::difference::{Findings, NotComparable, Side};
use crate::model::message::Reason;
use crate::model::{Analysis, Finding, Severity};

/// Compares findings by fingerprint, which covers rule and objects but no times.
pub(super) fn compare(old: &Analysis, new: &Analysis) -> Findings {
    let (before, after) = (by_fingerprint(old), by_fingerprint(new));
    let mut findings = Findings::default();
    for (fingerprint, finding) in &after {
        match (before.contains_key(fingerprint), reason(old, finding)) {
            (true, _) => findings.still.push((*finding).clone()),
            (false, None) => findings.new.push((*finding).clone()),
            (false, Some(reason)) => findings.not_comparable.push(not_comparable(finding, Side::New, reason)),
        }
    }
    for (_, finding) in before.iter().filter(|(fingerprint, _)| !after.contains_key(*fingerprint)) {
        match reason(new, finding) {
            None => findings.gone.push((*finding).clone()),
            Some(reason) => findings.not_comparable.push(not_comparable(finding, Side::Old, reason)),
        }
    }
    for list in [&mut findings.new, &mut findings.gone, &mut findings.still] {
        list.sort_by(|a, b| order(a).cmp(&order(b)));
    }
    findings.not_comparable.sort_by(|a, b| (a.side, order(&a.finding)).cmp(&(b.side, order(&b.finding))));
    findings
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
