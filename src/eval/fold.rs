//! Symptoms under causes.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Finding, ObjectRef};
use crate::rule::{Rule, RuleSet};

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
    let causes = causes(set, found);
    let parents: Vec<Option<usize>> = (0..found.len()).map(|symptom| parent(&causes, found, symptom)).collect();
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

/// By rule of a symptom: the findings that may be its cause, and whether a common node is enough.
type Causes<'r> = BTreeMap<&'r str, Vec<(usize, bool)>>;

fn causes<'r>(set: &'r RuleSet, found: &[Found]) -> Causes<'r> {
    let rules: BTreeMap<&str, &Rule> = set.rules.iter().map(|rule| (rule.id.as_str(), rule)).collect();
    let mut causes = Causes::new();
    for (at, cause) in found.iter().enumerate() {
        for explained in rules.get(cause.finding.rule.as_str()).into_iter().flat_map(|rule| &rule.explains) {
            causes.entry(explained.rule.as_str()).or_default().push((at, explained.on_node));
        }
    }
    causes
}

fn parent(causes: &Causes<'_>, found: &[Found], symptom: usize) -> Option<usize> {
    let may = causes.get(found[symptom].finding.rule.as_str())?;
    let is_cause = |&&(cause, on_node): &&(usize, bool)| related(&found[cause], &found[symptom], on_node);
    may.iter().filter(is_cause).map(|(cause, _)| *cause).min_by_key(|&cause| {
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
