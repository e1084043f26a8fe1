//! What findings explain: lines that their rules matched, lines that name their objects, and lines that were written together with
//! the matched ones.

use std::collections::{BTreeMap, BTreeSet};

use super::cluster::Cluster;
use super::shape::Track;
use crate::log::{MinedSource, MinedTemplate, QueryId};
use crate::model::{Finding, ObjectRef};

/// Matched templates of one log with which others are compared.
const COMPARED: usize = 50;

/// What a bundle's findings are about.
pub struct Explained<'a> {
    queries: &'a BTreeSet<QueryId>,
    names: BTreeSet<&'a str>,
}

impl<'a> Explained<'a> {
    /// Takes the queries of rules that fired, and the findings.
    pub fn of(queries: &'a BTreeSet<QueryId>, findings: &'a [Finding]) -> Self {
        Self { queries, names: names(findings) }
    }

    /// Returns the number of lines that rules which fired matched.
    pub fn lines(&self, template: &MinedTemplate) -> u64 {
        let fired = |matched: &[QueryId]| matched.iter().any(|query| self.queries.contains(query));
        template.matched.iter().filter(|(matched, _)| fired(matched)).map(|(_, lines)| lines).sum()
    }

    /// Returns whether the line shown of a cluster has the name of an object, whole.
    pub fn names(&self, cluster: &Cluster<'_>) -> bool {
        let joins = |c: char| c.is_alphanumeric() || "-_.".contains(c);
        cluster.sample().split(|c: char| !joins(c)).any(|word| self.names.contains(word.trim_matches('.')))
    }

    /// Returns whether the lines of a cluster were written together with matched ones, in each log that has them.
    pub fn moves(&self, cluster: &Cluster<'_>, mined: &[MinedSource]) -> bool {
        let mut tracks: BTreeMap<usize, Track> = BTreeMap::new();
        for (at, template, _) in &cluster.members {
            let track = Track::of(template);
            tracks.entry(*at).and_modify(|known| known.join(&track)).or_insert(track);
        }
        tracks.iter().all(|(at, track)| mined.get(*at).is_some_and(|source| self.moves_in(source, track)))
    }

    fn moves_in(&self, source: &MinedSource, track: &Track) -> bool {
        let Some(span) = source.first.zip(source.last) else { return false };
        let matched = source.templates.iter().filter(|other| self.lines(other) * 2 > other.lines);
        matched.take(COMPARED).any(|other| Track::of(other).moves_with(track, span))
    }
}

/// Returns names that lines may have only because they are about an object of a finding. A node or a namespace is in too many lines.
fn names(findings: &[Finding]) -> BTreeSet<&str> {
    let is_telling = |object: &&ObjectRef| !["Node", "Namespace"].contains(&&*object.kind) && object.name.len() >= 8;
    findings.iter().flat_map(|finding| &finding.objects).filter(is_telling).map(|object| &*object.name).collect()
}
