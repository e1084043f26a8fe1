//! Boot times of nodes, from their logs, for `boot: current` and `after_boot`.
//!
//! The kernel's first line (`Linux version`) is the best source, and so is the beginning of each kernel log where the
//! collector wrote one for each of the last boots. `-- Boot ... --` and `-- Reboot --` between the lines of other units of the
//! journal only count for boots that no kernel log covers, because units start later than the kernel.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::log::group::retained::RetainedHit;
use crate::log::group::source_hits::SourceHits;
use crate::log::pattern::query::QueryId;
use crate::log::source::origin::{LogSource, SourceOrigin};
use crate::model::Origin;
use crate::model::message::Reason;

/// Boot notes of several units that lie within this time belong to one boot.
pub(super) const START_OF_UNITS: SignedDuration = SignedDuration::from_mins(10);

/// Conditions of a query on the last boot before a hit.
#[derive(Clone, Copy, Debug)]
pub(in crate::log) struct BootCondition {
    pub current: bool,
    pub after: Option<SignedDuration>,
}

/// The boots of all nodes.
#[derive(Debug, Default)]
pub(in crate::log) struct Boots {
    nodes: BTreeMap<String, NodeBoots>,
    /// The line of the last boot in a source, by its number, and whether the lines before it are the later ones.
    last_line: BTreeMap<LogSource, (u64, bool)>,
}

/// Start of a node, and where its logs say so.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeStart {
    pub at: Timestamp,
    pub origin: Origin,
}

#[derive(Debug, Default)]
struct NodeBoots {
    /// Sorted.
    starts: Vec<NodeStart>,
    /// Time from which the logs would show a boot.
    covered_from: Option<Timestamp>,
}

impl Boots {
    /// Gathers boots from the hits of the boot query.
    pub fn of(sources: &[SourceHits], query: Option<QueryId>) -> Self {
        let Some(query) = query else { return Self::default() };
        let mut boots = Self::default();
        let mut nodes: BTreeMap<&str, Vec<&SourceHits>> = BTreeMap::new();
        for source in sources {
            if let Some(node) = source.source.node() {
                nodes.entry(node).or_default().push(source);
            }
            let lines = boot_lines(source, query).map(|hit| hit.line);
            let last = if source.newest_first { lines.min() } else { lines.max() };
            boots.last_line.extend(last.map(|line| (source.source.clone(), (line, source.newest_first))));
        }
        boots.nodes =
            nodes.into_iter().map(|(name, sources)| (name.to_owned(), NodeBoots::of(&sources, query))).collect();
        boots
    }

    /// The starts of each node, sorted.
    pub fn starts(&self) -> BTreeMap<String, Vec<NodeStart>> {
        self.nodes.iter().map(|(name, node)| (name.clone(), node.starts.clone())).collect()
    }

    /// Returns whether a hit of a source counts, or the reason why that is not known.
    pub fn admits(
        &self,
        wanted: BootCondition,
        source: &LogSource,
        node: Option<&str>,
        hit: &RetainedHit,
    ) -> Result<bool, Reason> {
        let current = if wanted.current { self.is_current(source, node, hit) } else { Ok(true) };
        match (current, wanted.after) {
            (Ok(true), Some(after)) => self.is_after(after, node, hit),
            (told, _) => told,
        }
    }

    fn is_current(&self, source: &LogSource, node: Option<&str>, hit: &RetainedHit) -> Result<bool, Reason> {
        // The ring buffer of the kernel holds no earlier boot.
        if matches!(&source.origin, SourceOrigin::Unit { unit, .. } if unit == "dmesg") {
            return Ok(true);
        }
        let Some(time) = hit.time else {
            let last = self.last_line.get(source);
            let is_later =
                |(last, newest_first): &(u64, bool)| if *newest_first { hit.line < *last } else { hit.line > *last };
            return last.map(is_later).ok_or_else(|| undated(node));
        };
        let node = self.node(node)?;
        match (node.starts.last(), node.covered_from) {
            (Some(start), _) => Ok(time >= start.at),
            (None, Some(from)) if time >= from => Ok(true),
            (None, _) => Err(Reason::BootUnknown),
        }
    }

    fn is_after(&self, after: SignedDuration, node: Option<&str>, hit: &RetainedHit) -> Result<bool, Reason> {
        let long = |from: Timestamp, time: Timestamp| time.duration_since(from) >= after;
        match (hit.time, hit.mark.uptime) {
            (Some(time), _) => {
                let node = self.node(node)?;
                match (node.starts.iter().rfind(|start| start.at <= time), node.covered_from) {
                    (Some(start), _) => Ok(long(start.at, time)),
                    (None, Some(from)) if from <= time && long(from, time) => Ok(true),
                    (None, _) => Err(Reason::BootUnknown),
                }
            }
            (None, Some(uptime)) => Ok(SignedDuration::from_micros(i64::try_from(uptime).unwrap_or(i64::MAX)) >= after),
            (None, None) => Err(undated(node)),
        }
    }

    fn node(&self, name: Option<&str>) -> Result<&NodeBoots, Reason> {
        let name = name.ok_or(Reason::NodeUnknown)?;
        self.nodes.get(name).ok_or_else(|| Reason::NoBootLogs { node: name.to_owned() })
    }
}

fn undated(node: Option<&str>) -> Reason {
    match node {
        Some(node) => Reason::NoTimeForBoots { node: node.to_owned() },
        None => Reason::NoTimeForBootsOfItsNode,
    }
}

fn boot_lines(source: &SourceHits, query: QueryId) -> impl Iterator<Item = &RetainedHit> {
    source.kept.get(&query).into_iter().flat_map(|kept| &kept.hits)
}

fn is_kernel(source: &SourceHits) -> bool {
    let SourceOrigin::Unit { unit, .. } = &source.source.origin else { return false };
    ["kernel", "dmesg"].contains(&unit.as_str()) || unit.starts_with("syslog") || unit.starts_with("messages")
}

/// Returns true for the journal of all units.
fn is_journal(source: &SourceHits) -> bool {
    matches!(&source.source.origin, SourceOrigin::Unit { unit, .. } if unit == "journal")
}

impl NodeBoots {
    fn of(sources: &[&SourceHits], query: QueryId) -> Self {
        let times = |source: &SourceHits, marker: bool| {
            let hits = boot_lines(source, query);
            let of_kind =
                hits.filter(|hit| hit.detail.as_ref().is_some_and(|d| d.sample.text.starts_with("-- ") == marker));
            let entry = &source.source.entry;
            let start = |hit: &RetainedHit| {
                Some(NodeStart { at: hit.time?, origin: Origin::line(Arc::clone(entry), hit.line) })
            };
            of_kind.filter_map(start).collect::<Vec<_>>()
        };
        // journalctl separates boots, so a journal without such a line is of one boot.
        let shows_boots =
            |source: &SourceHits| is_kernel(source) || is_journal(source) && times(source, true).is_empty();
        let kernels = || sources.iter().filter(|source| shows_boots(source));
        let mut starts: Vec<NodeStart> = kernels().flat_map(|source| times(source, false)).collect();
        starts.extend(generations(sources));
        let covered_from = kernels().filter_map(|source| source.first).min();
        let covered_to = kernels().filter_map(|source| source.last).max();
        let mut markers: Vec<NodeStart> = sources.iter().flat_map(|source| times(source, true)).collect();
        markers.sort_unstable();
        markers.retain(|start| covered_from.is_none_or(|from| start.at < from) || covered_to < Some(start.at));
        markers.dedup_by(|later, earlier| later.at.duration_since(earlier.at) <= START_OF_UNITS);
        starts.extend(markers);
        starts.sort_unstable();
        Self { starts, covered_from }
    }
}

/// Beginnings of several kernel logs: the collector writes one for each of the last boots.
fn generations(sources: &[&SourceHits]) -> Vec<NodeStart> {
    let is_of_kernel =
        |source: &&&SourceHits| matches!(&source.source.origin, SourceOrigin::Unit { unit, .. } if unit == "kernel");
    let start = |source: &&SourceHits| {
        let origin = Origin { entry: Arc::clone(&source.source.entry), line: None };
        Some(NodeStart { at: source.first?, origin })
    };
    let starts: Vec<NodeStart> = sources.iter().filter(is_of_kernel).filter_map(start).collect();
    if starts.len() > 1 { starts } else { Vec::new() }
}
