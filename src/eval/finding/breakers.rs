//! Causes that the dependencies of the bundle show.

use std::collections::HashMap;

use crate::dependency::{ComponentId, DependencyGraph};
use crate::eval::finding::foldable::FoldableFinding;
use crate::eval::finding::span::Clock;
use crate::model::{Component, PathStep};

/// Largest number of causes of one finding.
pub(super) const MOST_CAUSES: usize = 5;
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
    /// Components that each finding needs.
    needs: Vec<Vec<ComponentId>>,
    /// Findings that break a component, in their order.
    by_component: HashMap<ComponentId, Vec<usize>>,
    /// Rank of each finding: what began first comes first, then by urgency.
    order: Vec<usize>,
}

impl<'g, 'i> Breakers<'g, 'i> {
    /// Notes what all findings break.
    pub fn of(found: &[FoldableFinding], graph: &'g mut DependencyGraph<'i>, clock: Clock) -> Self {
        let needs = found.iter().map(|one| one.needs.iter().map(|need| graph.id(need.clone())).collect()).collect();
        let mut breakers = Self { graph, clock, needs, by_component: HashMap::new(), order: order(found) };
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
        if self.needs[symptom].is_empty() || self.by_component.is_empty() {
            return Vec::new();
        }
        let Self { graph, by_component, clock, needs, order } = self;
        let mut causes: Vec<(usize, usize)> = Vec::new();
        let reached = graph.reach(&needs[symptom], |position, at| {
            let list = by_component.get(&at.component).map_or(&[][..], Vec::as_slice);
            let may = |&cause: &usize| {
                let (one, other) = (&found[cause], &found[symptom]);
                // Both are signs of one fault; but what needs a part of a node and does not break it only suffers from the fault.
                let suffers = || is_of_node(other, &needs[symptom], at.component) && !list.contains(&symptom);
                let same_sign = at.distance == 0 && needs[cause].contains(&at.component) && !suffers();
                let of_another = at.distance == 0 && one.names.differ(&other.names);
                cause != symptom && !same_sign && !of_another && one.span.may_cause(&other.span, *clock)
            };
            let new: Vec<usize> = list.iter().take(MOST_BREAKERS).copied().filter(may).take(MOST_CAUSES).collect();
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

/// Returns true if what a finding needs is a part of a node.
fn is_of_node(finding: &FoldableFinding, needs: &[ComponentId], component: ComponentId) -> bool {
    let own = needs.iter().zip(&finding.needs).find(|(id, _)| **id == component);
    own.is_some_and(|(_, component)| matches!(component, Component::Node { .. }))
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
