//! Errors behind findings without a cause: in the logs of what they depend on, shortly before they began.

use std::collections::BTreeMap;

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
    let of = |finding: &OpenFinding| {
        let mut found: Vec<usize> = writers(finding)
            .filter_map(|writer| by_writer.get(&writer))
            .flatten()
            .copied()
            .filter(|position| ranked.get(*position).is_some_and(|candidate| is_before(candidate, finding)))
            .collect();
        found.sort_unstable();
        found.dedup();
        found
            .iter()
            .take(MOST)
            .filter_map(|position| Some(ranked.get(*position)?.cluster.shown(mined, lines)))
            .collect()
    };
    open.iter().map(of).collect()
}

fn writer(origin: &SourceOrigin) -> Option<Writer<'_>> {
    match origin {
        SourceOrigin::Container { namespace, pod, .. } => Some(Writer::Pod(namespace, pod)),
        SourceOrigin::Unit { node, .. } if !node.is_empty() => Some(Writer::Node(node)),
        SourceOrigin::Unit { .. } | SourceOrigin::File => None,
    }
}

/// Returns whose logs may say why: pods that it depends on, itself included, and the node that it is about. Other nodes write about
/// too much else.
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

/// Returns whether lines were written before the finding began, and not long before. Without a beginning, all are.
fn is_before(candidate: &Ranked<'_>, finding: &OpenFinding) -> bool {
    let (first, last) = (candidate.cluster.first(), candidate.cluster.last());
    finding.begin.is_none_or(|begin| {
        first.is_some_and(|first| first <= begin + AFTER) && last.is_some_and(|last| last >= begin - BEFORE)
    })
}
