//! Errors behind findings without a cause: in the logs of what they depend on, shortly before they began.

use std::collections::{BTreeMap, BTreeSet};

use jiff::SignedDuration;

use super::rank::Ranked;
use crate::known_lines::KnownHere;
use crate::log::{MinedSource, SourceOrigin};
use crate::model::unexplained::LogTemplate;
use crate::model::{Component, ObjectRef, OpenFinding};

/// Errors count that were still written so long before the first sign.
const BEFORE: SignedDuration = SignedDuration::from_hours(2);
/// Clocks of nodes differ, and probes need some time.
const AFTER: SignedDuration = SignedDuration::from_mins(5);
/// Largest number of errors of one finding.
const MOST: usize = 3;

/// What writes a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Writer<'a> {
    /// Namespace and name.
    Pod(&'a str, &'a str),
    Node(&'a str),
}

/// Returns the most telling errors of each finding, in the order of the findings.
pub fn behind(
    open: &[OpenFinding],
    ranked: &[Ranked<'_>],
    mined: &[MinedSource],
    lines: KnownHere<'_>,
) -> Vec<Vec<LogTemplate>> {
    let mut by_writer: BTreeMap<Writer<'_>, Vec<usize>> = BTreeMap::new();
    for (position, candidate) in ranked.iter().enumerate() {
        let sources = candidate.cluster.sources();
        let writers = sources.iter().filter_map(|(at, _)| writer(&mined.get(*at)?.source.origin));
        writers.for_each(|writer| by_writer.entry(writer).or_default().push(position));
    }
    by_writer.values_mut().for_each(|positions| positions.dedup());
    let by = |writers: Vec<Writer<'_>>, holds: &dyn Fn(&Ranked<'_>) -> bool| -> Vec<usize> {
        let positions = writers.iter().filter_map(|writer| by_writer.get(writer)).flatten().copied();
        let found: BTreeSet<usize> = positions.filter(|at| ranked.get(*at).is_some_and(holds)).collect();
        found.into_iter().collect()
    };
    let of = |finding: &OpenFinding| {
        let mut found = by(writers(finding).collect(), &|candidate| is_before(candidate, finding));
        let of_nodes = by(nodes(finding).collect(), &|candidate| begins_before(candidate, finding));
        found.extend(of_nodes.into_iter().filter(|at| !found.contains(at)).collect::<Vec<_>>());
        let shown = |position: &usize| Some(ranked.get(*position)?.cluster.shown(mined, lines));
        found.iter().take(MOST).filter_map(shown).collect()
    };
    open.iter().map(of).collect()
}

fn writer(origin: &SourceOrigin) -> Option<Writer<'_>> {
    match origin {
        SourceOrigin::Container { namespace, pod, .. } => Some(Writer::Pod(namespace, pod)),
        SourceOrigin::Unit { node, .. } if !node.is_empty() => Some(Writer::Node(node)),
        SourceOrigin::Unit { .. } | SourceOrigin::Refusal | SourceOrigin::Unknown { .. } | SourceOrigin::File => None,
    }
}

/// Returns whose logs may say why: pods that it depends on, itself included, and the node that it is about.
fn writers(finding: &OpenFinding) -> impl Iterator<Item = Writer<'_>> {
    finding.components.iter().filter_map(|component| {
        let Component::Object(ObjectRef { kind, namespace, name, .. }) = component else { return None };
        match &**kind {
            "Pod" => Some(Writer::Pod(namespace.as_deref()?, name)),
            "Node" => Some(Writer::Node(name)),
            _ => None,
        }
    })
}

/// Returns the nodes on parts of which it depends. They write about much else, so that of them only what began shortly before counts, behind the
/// errors of the others.
fn nodes(finding: &OpenFinding) -> impl Iterator<Item = Writer<'_>> {
    finding.components.iter().filter_map(|component| match component {
        Component::Node { node, .. } => Some(Writer::Node(node)),
        _ => None,
    })
}

/// Returns whether the first line was written shortly before the finding began.
fn begins_before(candidate: &Ranked<'_>, finding: &OpenFinding) -> bool {
    let (first, begin) = (candidate.cluster.first(), finding.begin);
    first.zip(begin).is_some_and(|(first, begin)| first <= begin + AFTER && first >= begin - BEFORE)
}

/// Returns whether lines were written before the finding began, and not long before. Without a beginning, all are.
fn is_before(candidate: &Ranked<'_>, finding: &OpenFinding) -> bool {
    let (first, last) = (candidate.cluster.first(), candidate.cluster.last());
    finding.begin.is_none_or(|begin| {
        first.is_some_and(|first| first <= begin + AFTER) && last.is_some_and(|last| last >= begin - BEFORE)
    })
}
