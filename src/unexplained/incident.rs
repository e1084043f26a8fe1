//! Joins templates of one log whose lines have the same shape over time: a dozen lines about one failure are one incident.

use std::collections::BTreeMap;

use super::cluster::Cluster;
use super::rank::Ranked;
use super::shape::Shape;
use crate::known_lines::KnownHere;
use crate::log::MinedSource;
use crate::model::inventory::Shown;
use crate::model::unexplained::{Incident, Level, Telling};

/// Templates listed beside the first of an incident.
const TOGETHER: usize = 5;

/// Joins ranked templates and makes the `most` telling incidents.
pub fn incidents(ranked: Vec<Ranked<'_>>, mined: &[MinedSource], known: KnownHere<'_>, most: usize) -> Shown<Incident> {
    let mut of_source: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut found: Vec<(Ranked<'_>, Vec<Cluster<'_>>, Shape)> = Vec::new();
    for candidate in ranked {
        let source = candidate.cluster.sources().first().map_or(usize::MAX, |(at, _)| *at);
        let shape = Shape::of(&candidate.cluster.times());
        let leads = of_source.entry(source).or_default();
        let leads_to = |at: &usize| {
            found.get(*at).is_some_and(|(first, _, lead)| lead.is_like(&shape) && !says_more(&candidate, first))
        };
        let known = leads.iter().copied().find(leads_to);
        match known.and_then(|at| found.get_mut(at)) {
            Some((_, with, _)) => with.push(candidate.cluster),
            None => {
                leads.push(found.len());
                found.push((candidate, Vec::new(), shape));
            }
        }
    }
    let left_out = found.len().saturating_sub(most);
    let items = found.iter().take(most).map(|(lead, with, _)| incident(lead, with, mined, known)).collect();
    Shown { items, left_out, not_collected: None }
}

/// Returns true for a template that must not be folded under another one, because it says worse, or still goes on when the other has ended.
fn says_more(candidate: &Ranked<'_>, lead: &Ranked<'_>) -> bool {
    let speaks = |of: &Ranked<'_>| of.cluster.level() == Level::Fatal || of.cluster.speaks_of_end();
    let lasts = |of: &Ranked<'_>| of.why.contains(&Telling::UntilTheEnd);
    (speaks(candidate) && !speaks(lead)) || (lasts(candidate) && !lasts(lead))
}

fn incident(lead: &Ranked<'_>, with: &[Cluster<'_>], mined: &[MinedSource], known: KnownHere<'_>) -> Incident {
    let mut why: Vec<Telling> = lead.why.clone();
    if is_only_here(&lead.cluster, mined) {
        why.push(Telling::OnlyHere);
    }
    let together: Vec<_> = with.iter().take(TOGETHER).map(|cluster| cluster.shown(mined, known)).collect();
    let left_out = with.len() - together.len();
    Incident {
        lead: lead.cluster.shown(mined, known),
        why,
        together: Shown { items: together, left_out, not_collected: None },
    }
}

/// Returns whether one of several pods of a workload has a template that the others lack.
fn is_only_here(cluster: &Cluster<'_>, mined: &[MinedSource]) -> bool {
    let sources = cluster.sources();
    let [(at, _)] = sources.as_slice() else { return false };
    let Some(workload) = mined.get(*at).and_then(workload) else { return false };
    mined.iter().filter(|source| self::workload(source) == Some(workload)).count() > 2
}

/// Returns namespace, name without its last part, and container.
fn workload(source: &MinedSource) -> Option<(&str, &str, &str)> {
    let crate::log::SourceOrigin::Container { namespace, pod, container, previous: false } = &source.source.origin
    else {
        return None;
    };
    Some((namespace, pod.rsplit_once('-')?.0, container))
}
