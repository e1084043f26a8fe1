//! Causes that the dependencies of the bundle show.

use std::collections::HashMap;

use crate::dependency::{ComponentId, DependencyGraph, Reached};
use crate::eval::finding::foldable::FoldableFinding;
use crate::eval::finding::span::Clock;
use crate::model::{Component, PathStep};

/// Largest number of causes of one finding.
const MOST_CAUSES: usize = 5;
/// Largest number of findings that break one component and are looked at.
const MOST_BREAKERS: usize = 100;

/// Finding that may explain another one.
#[derive(Debug)]
pub struct Candidate {
    /// Position of the finding.
    pub finding: usize,
    /// See [`crate::model::DirectCause::path`].
    pub path: Vec<PathStep>,
}

/// Findings by what they break.
pub struct Breakers<'g, 'i> {
    graph: &'g mut DependencyGraph<'i>,
    clock: Clock,
    /// Findings that break a component, in their order.
    by_component: HashMap<ComponentId, Vec<usize>>,
    /// Rank of each finding: what began first comes first, then by urgency.
    order: Vec<usize>,
}

impl<'g, 'i> Breakers<'g, 'i> {
    /// Notes what all findings break.
    pub fn of(found: &[FoldableFinding], graph: &'g mut DependencyGraph<'i>, clock: Clock) -> Self {
        let mut breakers = Self { graph, clock, by_component: HashMap::new(), order: order(found) };
        for (finding, one) in found.iter().enumerate() {
            for component in &one.breaks {
                let id = breakers.graph.id(component.clone());
                breakers.by_component.entry(id).or_default().push(finding);
            }
        }
        let order = &breakers.order;
        breakers.by_component.values_mut().for_each(|list| list.sort_by_key(|&finding| order[finding]));
        breakers
    }

    /// Returns the rank of each finding.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// Returns the findings that broke what a finding depends on, nearest first. What lies behind a component that is broken is
    /// the cause of that one.
    pub fn causes(&mut self, found: &[FoldableFinding], symptom: usize) -> Vec<Candidate> {
        if found[symptom].needs.is_empty() || self.by_component.is_empty() {
            return Vec::new();
        }
        let starts: Vec<ComponentId> = found[symptom].needs.iter().map(|need| self.graph.id(need.clone())).collect();
        let Self { graph, by_component, clock, order } = self;
        let mut causes: Vec<(usize, usize)> = Vec::new();
        let reached = graph.reach(&starts, |position, at| {
            let list = by_component.get(&at.component).map_or(&[][..], Vec::as_slice);
            let new = breaking(found, list, symptom, at, *clock);
            causes.extend(new.iter().map(|&finding| (finding, position)));
            new.is_empty()
        });
        causes.sort_by_key(|&(finding, position)| (reached[position].distance, order[finding]));
        let mut known: Vec<usize> = Vec::new();
        causes.retain(|&(finding, _)| {
            let new = !known.contains(&finding) && known.len() < MOST_CAUSES;
            known.extend(new.then_some(finding));
            new
        });
        let candidate = |(finding, position)| Candidate { finding, path: graph.path(&reached, position) };
        causes.into_iter().map(candidate).collect()
    }
}

/// Returns the findings of a list, all of which break a component, that may explain the symptom.
fn breaking(found: &[FoldableFinding], list: &[usize], symptom: usize, at: &Reached, clock: Clock) -> Vec<usize> {
    let may = |&cause: &usize| {
        let (one, other) = (&found[cause], &found[symptom]);
        cause != symptom && (at.distance > 0 || !is_symptom_there(one, other)) && one.span.may_cause(&other.span, clock)
    };
    list.iter().take(MOST_BREAKERS).copied().filter(may).take(MOST_CAUSES).collect()
}

/// Returns whether both findings suffer from the same component, so that neither explains the other there.
fn is_symptom_there(one: &FoldableFinding, other: &FoldableFinding) -> bool {
    one.needs.iter().any(|need: &Component| other.needs.contains(need))
}

/// Ranks the findings: those with an earlier beginning first, those without a time last.
fn order(found: &[FoldableFinding]) -> Vec<usize> {
    let mut sorted: Vec<usize> = (0..found.len()).collect();
    sorted.sort_by_cached_key(|&at| {
        let FoldableFinding { finding, span, .. } = &found[at];
        (span.begin.is_none(), span.begin, finding.rank(), finding.rule.clone(), finding.fingerprint.clone())
    });
    let mut order = vec![0; found.len()];
    sorted.into_iter().enumerate().for_each(|(rank, at)| order[at] = rank);
    order
}
