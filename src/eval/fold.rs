//! Symptoms under causes.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Finding, ObjectRef};
use crate::rule::RuleSet;

/// A finding with what folding needs to know beyond what reports show.
#[derive(Debug)]
pub struct Found {
    pub finding: Finding,
    /// All objects it concerns: bound, collected and related.
    pub reach: BTreeSet<ObjectRef>,
    /// Nodes that its bindings name.
    pub nodes: BTreeSet<String>,
}

/// Sets `explained_by` of every symptom to the fingerprint of its top cause.
///
/// A symptom belongs to a cause whose rule explains it and that has its subject among its objects,
/// or, with `on: node`, names the same node. Of several causes the most severe, surest, first by id
/// takes it. Chains fold to their top; the compiler refuses cycles between rules.
pub fn fold(set: &RuleSet, found: &mut [Found]) {
    let parents: Vec<Option<usize>> = (0..found.len()).map(|symptom| parent(set, found, symptom)).collect();
    for symptom in 0..found.len() {
        let mut top = symptom;
        // A chain is at most as long as there are findings, whatever the rules say.
        for _ in 0..found.len() {
            match parents[top] {
                Some(cause) => top = cause,
                None => break,
            }
        }
        if top != symptom {
            found[symptom].finding.explained_by = Some(found[top].finding.fingerprint.clone());
        }
    }
}

fn parent(set: &RuleSet, found: &[Found], symptom: usize) -> Option<usize> {
    let by_rule: BTreeMap<&str, &crate::rule::Rule> = set.rules.iter().map(|r| (r.id.as_str(), r)).collect();
    let causes = (0..found.len()).filter(|&cause| {
        let Some(rule) = by_rule.get(found[cause].finding.rule.as_str()) else { return false };
        rule.explains
            .iter()
            .any(|e| e.rule == found[symptom].finding.rule && related(&found[cause], &found[symptom], e.on_node))
    });
    causes.min_by_key(|&cause| {
        let finding = &found[cause].finding;
        let weight = std::cmp::Reverse((finding.severity, finding.confidence));
        (weight, finding.rule.as_str(), finding.fingerprint.as_str())
    })
}

fn related(cause: &Found, symptom: &Found, on_node: bool) -> bool {
    let subject = symptom.finding.objects.first();
    subject.is_some_and(|subject| cause.reach.contains(subject))
        || (on_node && !cause.nodes.is_disjoint(&symptom.nodes))
}
