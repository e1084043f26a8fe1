//! What was checked behind findings without a cause, and what changed there.

use std::collections::{BTreeMap, BTreeSet};

use super::changes::{changes, not_ready_since};
use crate::dependency::{ComponentId, DependencyGraph};
use crate::eval::finding::foldable::FoldableFinding;
use crate::eval::input::Input;
use crate::model::message::Reason;
use crate::model::{CheckedComponent, Component, ComponentKind, FindingClass, OpenFinding, RuleOutcomes};
use crate::rule::RuleSet;

/// Largest number of components listed for one finding.
const MOST_CHECKED: usize = 8;

/// Largest number of components in whose logs and history is looked for one finding.
const MOST_LOOKED_AT: usize = 50;

/// Notes, for each fault that needs something and has no cause, the components behind it with the answers of the rules that
/// break such a component, and what was changed there shortly before. Returns these faults.
pub fn note(
    set: &RuleSet,
    found: &mut [FoldableFinding],
    (graph, input): (&mut DependencyGraph<'_>, &Input),
    outcomes: &RuleOutcomes,
) -> Vec<OpenFinding> {
    let answers = answers(set, outcomes);
    let is_open = |one: &FoldableFinding| {
        one.finding.causes.is_empty() && one.finding.class == FindingClass::Fault && !one.needs.is_empty()
    };
    let mut open = Vec::new();
    for (finding, one) in found.iter_mut().enumerate().filter(|(_, one)| is_open(one)) {
        let starts: Vec<ComponentId> = one.needs.iter().map(|need| graph.id(need.clone())).collect();
        let reached = graph.reach(&starts, |_, _| true);
        let components: Vec<&Component> = reached.iter().map(|at| graph.component(at.component)).collect();
        let checked = components.iter().filter_map(|component| {
            let answer = answers.get(&component.kind())?;
            let Answers { clean, unproven, reason } = answer.clone();
            Some(CheckedComponent { component: (*component).clone(), clean, unproven, reason })
        });
        one.finding.checked = checked.take(MOST_CHECKED).collect();
        let components: Vec<Component> = components.into_iter().take(MOST_LOOKED_AT).cloned().collect();
        let begin = one.span.begin.or_else(|| not_ready_since(&input.world.resources, &components));
        one.finding.before.changes = changes(input, graph, &components, begin);
        open.push(OpenFinding { finding, components, begin });
    }
    open
}

/// Answers of the rules that break a kind of component.
#[derive(Clone, Debug, Default)]
struct Answers {
    clean: usize,
    unproven: usize,
    reason: Option<Reason>,
}

/// Counts the answers by kind; rules about objects look at some types only, so they say nothing about any object.
fn answers(set: &RuleSet, outcomes: &RuleOutcomes) -> BTreeMap<ComponentKind, Answers> {
    let unproven: BTreeMap<&str, &Reason> = outcomes.unproven().map(|of| (of.rule.as_str(), &of.reason)).collect();
    let clean: BTreeSet<&str> = outcomes.clean.iter().chain(&outcomes.fired).map(String::as_str).collect();
    let mut answers: BTreeMap<ComponentKind, Answers> = BTreeMap::new();
    for rule in &set.rules {
        let (is_clean, reason) = (clean.contains(rule.id.as_str()), unproven.get(rule.id.as_str()));
        let kinds = rule.breaks.iter().map(|stated| stated.kind).filter(|kind| *kind != ComponentKind::Object);
        for kind in kinds.filter(|_| is_clean || reason.is_some()) {
            let of_kind = answers.entry(kind).or_default();
            of_kind.clean += usize::from(is_clean);
            of_kind.unproven += usize::from(reason.is_some());
            of_kind.reason = of_kind.reason.take().or_else(|| reason.map(|reason| (*reason).clone()));
        }
    }
    answers
}
