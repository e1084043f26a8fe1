//! Templates of all sources: equal ones are added up, similar ones merged as Drain does.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::archive::Archive;
use super::compared::Compared;
use crate::known_lines::KnownHere;
use crate::log::{MinedSource, MinedTemplate, VARIES};
use crate::model::inventory::Shown;
use crate::model::unexplained::{Level, LogTemplate};
use crate::model::{Histogram, Origin};

/// Share of equal words from which two templates of one length are one.
const ALIKE: f64 = 0.6;
/// Words that stay the same in a merged template, at least: single words carry the meaning of a short one.
const FIXED: usize = 3;
/// Templates of one length, level and first word that are compared with each other.
const COMPARED: usize = 500;
/// Sources that are named.
const SOURCES: usize = 5;

/// One template in some sources.
#[derive(Clone, Debug)]
pub struct Cluster<'m> {
    pub words: Vec<&'m str>,
    level: Level,
    /// Number of the source, the template, and its lines that no finding is about.
    pub members: Vec<(usize, &'m MinedTemplate, u64)>,
    /// Beside what is usual in the cluster, if that is known.
    pub compared: Option<Compared>,
    /// Number of clusters of an archive that have it, if that is known.
    clusters: Option<u64>,
    /// Lines by the number of the known line that they are.
    known: BTreeMap<usize, u64>,
    /// Number of the general line that says what it means where the line itself is not known.
    general: Option<usize>,
}

/// Adds up equal templates of sorted sources.
pub fn equal(mined: &[MinedSource]) -> Vec<Cluster<'_>> {
    let mut equal: BTreeMap<(Level, &str), Cluster<'_>> = BTreeMap::new();
    for (at, source) in mined.iter().enumerate() {
        for template in source.templates.iter().filter(|template| !is_of_collector(source, template)) {
            let new = || Cluster {
                words: template.text.split(' ').collect(),
                level: template.level,
                members: vec![],
                compared: None,
                clusters: None,
                known: BTreeMap::new(),
                general: None,
            };
            let cluster = equal.entry((template.level, &template.text)).or_insert_with(new);
            cluster.members.push((at, template, template.lines));
        }
    }
    equal.into_values().collect()
}

/// Returns true for what a collector wrote instead of a log that it did not get.
pub fn is_of_collector(source: &MinedSource, template: &MinedTemplate) -> bool {
    let begins = ["Error from server", "error from server", "unable to retrieve container logs", "previous terminated"];
    source.lines <= 5 && begins.iter().any(|begin| template.text.starts_with(begin))
}

/// Merges templates that differ in few words and mean the same, as far as their meaning is known.
pub fn merged(mut clusters: Vec<Cluster<'_>>) -> Vec<Cluster<'_>> {
    clusters.sort_by(|a, b| b.lines().cmp(&a.lines()).then_with(|| a.words.cmp(&b.words)).then(a.level.cmp(&b.level)));
    let mut found: Vec<Cluster<'_>> = Vec::new();
    let mut alike: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for cluster in clusters {
        let first = cluster.words.first().copied().unwrap_or_default();
        let key = (cluster.words.len(), cluster.level, first, cluster.meaning());
        let candidates = alike.entry(key).or_default();
        let merges = |at: &&usize| found.get(**at).is_some_and(|other| other.is_like(&cluster));
        let known = candidates.iter().take(COMPARED).find(merges).copied();
        match known.and_then(|at| found.get_mut(at)) {
            Some(other) => other.join(&cluster),
            None => {
                candidates.push(found.len());
                found.push(cluster);
            }
        }
    }
    found
}

impl<'m> Cluster<'m> {
    /// Returns whether another template of the same length differs in few words, and enough of them stay.
    fn is_like(&self, other: &Self) -> bool {
        let pairs = || self.words.iter().zip(&other.words);
        let same = pairs().filter(|(a, b)| a == b).count();
        let fixed = pairs().filter(|(a, b)| a == b && **a != VARIES).count();
        same as f64 >= ALIKE * self.words.len() as f64 && fixed >= FIXED
    }

    fn join(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).filter(|(a, b)| a != b).for_each(|(a, _)| *a = VARIES);
        self.members.extend(&other.members);
        self.compared = self.compared.max(other.compared);
        self.clusters = self.clusters.max(other.clusters);
        other.known.iter().for_each(|(number, lines)| *self.known.entry(*number).or_default() += lines);
    }

    /// Notes which known lines these are, before they are merged with similar ones, and takes out the harmless ones; returns true if no
    /// other is left. What a program says to be fatal never is harmless.
    pub fn recognise(&mut self, known: KnownHere<'_>, mined: &[MinedSource]) -> bool {
        let text = self.text();
        self.general = known.find_general(&text);
        if known.find(&text).is_none() {
            return false;
        }
        let (level, counts) = (self.level, &mut self.known);
        self.members.retain(|(at, template, lines)| {
            let found = mined.get(*at).and_then(|source| known.find_at(&text, &source.source.origin));
            let harmless = found.is_some_and(|(_, line)| line.benign);
            if let (Some((number, _)), false) = (found, harmless) {
                *counts.entry(number).or_default() += *lines;
            }
            !harmless || (level == Level::Fatal && template.stated)
        });
        self.members.is_empty()
    }

    /// Notes in how many clusters of an archive these are, before they are merged; returns true if they are no news in most of them.
    /// What a program ends with, and a failure whose meaning is known, never is.
    pub fn compare_with(&mut self, archive: &Archive) -> bool {
        let clusters = archive.clusters_with(self.level, &self.text());
        self.clusters = Some(clusters);
        archive.is_common(clusters) && self.level != Level::Fatal && self.known.is_empty()
    }

    /// Returns the number of the known line that most of the lines are.
    pub fn known(&self) -> Option<usize> {
        self.known.iter().find(|(_, lines)| **lines * 2 > self.lines()).map(|(number, _)| *number)
    }

    /// Returns the number of the line that says what it means: a known one or a general one.
    fn meaning(&self) -> Option<usize> {
        self.known().or(self.general)
    }

    /// Takes out the lines that `explained` counts of a template in a source; returns false if no other is left.
    pub fn without(&mut self, mined: &[MinedSource], explained: impl Fn(&MinedSource, &MinedTemplate) -> u64) -> bool {
        for (at, template, lines) in &mut self.members {
            *lines = template.lines - mined.get(*at).map_or(0, |source| explained(source, template));
        }
        self.members.retain(|(_, _, lines)| *lines > 0);
        !self.members.is_empty()
    }

    pub fn level(&self) -> Level {
        self.level
    }

    pub fn text(&self) -> String {
        self.words.join(" ")
    }

    /// Returns true if its words say that something could not go on, whatever its level: `Update failed: fatal: ...`.
    pub fn speaks_of_end(&self) -> bool {
        let is_end =
            |word: &&str| ["fatal", "panic"].iter().any(|end| word.trim_end_matches(':').eq_ignore_ascii_case(end));
        self.words.iter().any(is_end)
    }

    pub fn lines(&self) -> u64 {
        self.members.iter().map(|(_, _, lines)| lines).sum()
    }

    /// Returns the first line of the first source.
    pub fn sample(&self) -> &'m str {
        self.members.iter().min_by_key(|(at, template, _)| (*at, template.first.1)).map_or("", |(_, t, _)| &t.sample)
    }

    /// Returns the sources with the number of lines, the most lines first.
    pub fn sources(&self) -> Vec<(usize, u64)> {
        let mut sources: BTreeMap<usize, u64> = BTreeMap::new();
        self.members.iter().for_each(|(at, _, lines)| *sources.entry(*at).or_default() += lines);
        let mut sources: Vec<(usize, u64)> = sources.into_iter().collect();
        sources.sort_by_key(|(at, lines)| (std::cmp::Reverse(*lines), *at));
        sources
    }

    pub fn times(&self) -> Histogram {
        let mut times = Histogram::default();
        self.members.iter().for_each(|(_, template, _)| times.merge(&template.times));
        times
    }

    pub fn first(&self) -> Option<Timestamp> {
        self.members.iter().filter_map(|(_, template, _)| template.first.0).min()
    }

    pub fn last(&self) -> Option<Timestamp> {
        self.members.iter().filter_map(|(_, template, _)| template.last.0).max()
    }

    /// Returns what reports show.
    pub fn shown(&self, mined: &[MinedSource], known: KnownHere<'_>) -> LogTemplate {
        let entry = |at: usize| mined.get(at).map_or_else(|| "".into(), |source| source.source.entry.clone());
        let named = |(at, _): (usize, u64)| entry(at).to_string();
        let times = || self.members.iter();
        let first = times().min_by_key(|(at, t, _)| (t.first.0.is_none(), t.first.0, *at, t.first.1));
        let last = times().max_by_key(|(at, t, _)| (t.last.0, std::cmp::Reverse(*at), t.last.1));
        let place = |found: Option<&(usize, &MinedTemplate, u64)>, line: fn(&MinedTemplate) -> u64| {
            found.map_or_else(|| Origin::entry(""), |(at, template, _)| Origin::line(entry(*at), line(template)))
        };
        LogTemplate {
            text: self.text(),
            level: self.level,
            lines: self.lines(),
            sources: Shown::first(self.sources().into_iter().map(named).collect(), SOURCES, None),
            first: self.first(),
            first_at: place(first, |template| template.first.1),
            last: self.last(),
            last_at: place(last, |template| template.last.1),
            sample: self.sample().to_owned(),
            times: self.times(),
            clusters: self.clusters,
            known: self.meaning().and_then(|number| known.get(number)),
        }
    }
}
