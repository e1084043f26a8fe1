//! What findings explain: lines that their rules matched, lines that name their objects, and lines that were written together with
//! the matched ones.

use std::collections::{BTreeMap, BTreeSet};

use super::cluster::Cluster;
use super::shape::Track;
use crate::known_lines::KnownHere;
use crate::log::{MinedSource, MinedTemplate, QueryId};
use crate::model::{Finding, ObjectRef};

/// Matched templates of one log with which others are compared.
const COMPARED: usize = 50;

/// Queries of rules that fired.
#[derive(Clone, Debug, Default)]
pub struct FiredQueries {
    /// Those whose lines prove a finding.
    pub proving: BTreeSet<QueryId>,
    /// Those whose lines a finding may do without: it shows what a program said last and cannot tell what that means.
    pub quoting: BTreeSet<QueryId>,
}

/// What a bundle's findings are about.
pub struct Explained<'a> {
    queries: &'a FiredQueries,
    lines: KnownHere<'a>,
    names: BTreeSet<&'a str>,
}

impl<'a> Explained<'a> {
    /// Takes the queries of rules that fired, the findings, and what lines mean.
    pub fn of(queries: &'a FiredQueries, findings: &'a [Finding], lines: KnownHere<'a>) -> Self {
        Self { queries, lines, names: names(findings) }
    }

    /// Returns the number of lines that rules which fired matched; a line that is only quoted counts unless its meaning is known, for
    /// nothing else would tell it.
    pub fn lines(&self, source: &MinedSource, template: &MinedTemplate) -> u64 {
        let FiredQueries { proving, quoting } = self.queries;
        let quotes = |matched: &[QueryId]| matched.iter().any(|query| quoting.contains(query));
        let has_meaning =
            template.matched.iter().any(|(matched, _)| quotes(matched)) && self.has_meaning(source, template);
        let is_told = |matched: &[QueryId]| {
            matched.iter().any(|query| proving.contains(query)) || (!has_meaning && quotes(matched))
        };
        template.matched.iter().filter(|(matched, _)| is_told(matched)).map(|(_, lines)| lines).sum()
    }

    fn has_meaning(&self, source: &MinedSource, template: &MinedTemplate) -> bool {
        match self.lines.find_at(&template.text, &source.source.origin) {
            Some((_, line)) => !line.benign,
            None => self.lines.find_general(&template.text).is_some(),
        }
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
        let matched = source.templates.iter().filter(|other| self.lines(source, other) * 2 > other.lines);
        matched.take(COMPARED).any(|other| Track::of(other).moves_with(track, span))
    }
}

/// Returns names that lines may have only because they are about an object of a finding. A node or a namespace is in too many lines.
fn names(findings: &[Finding]) -> BTreeSet<&str> {
    let is_telling = |object: &&ObjectRef| !["Node", "Namespace"].contains(&&*object.kind) && object.name.len() >= 8;
    findings.iter().flat_map(|finding| &finding.objects).filter(is_telling).map(|object| &*object.name).collect()
}
