//! Diagrams: nodes, Longhorn disks, volumes by robustness, rules by outcome. Every diagram also has a text.

use serde::Serialize;

use super::state::{self, State};
use super::verdict::amount;
use crate::model::inventory::{Disk, Inventory, NodeState, Volume};
use crate::model::{Analysis, RuleOutcomes};
use crate::report::lexicon::Lexicon;
use crate::report::lexicon::phrase::{self, Phrase};
use crate::report::words;

/// Maximum number of nodes and disks that are drawn.
const NODES: usize = 200;
const DISKS: usize = 300;

/// Diagrams that the bundle has data for.
#[derive(Serialize)]
pub struct Pictures<'a> {
    nodes: Vec<NodePicture<'a>>,
    nodes_left_out: usize,
    disks: Vec<DiskPicture<'a>>,
    disks_left_out: usize,
    volumes: Option<Bar>,
    rules: Bar,
}

/// Node with its state and its share of Pods.
#[derive(Serialize)]
struct NodePicture<'a> {
    name: &'a str,
    roles: String,
    state: State<'a>,
    /// `16 CPUs, 67.4 GB of memory, v1.29.9+rke2r1`.
    size: String,
    /// `45 of 110 Pods, 2 not ready`.
    pods: Option<String>,
    /// Percent of its Pod capacity.
    filled: Option<String>,
    unready: bool,
}

/// Disk; its capacity is the whole width.
#[derive(Serialize)]
struct DiskPicture<'a> {
    node: &'a str,
    path: &'a str,
    state: State<'a>,
    reason: Option<&'a str>,
    /// Percent of the capacity.
    used: Option<String>,
    scheduled: Option<String>,
    limit: Option<String>,
    /// True if more is scheduled than allowed.
    over: bool,
    /// `used 120.0 GB of 500.0 GB; scheduled 300.0 GB of at most 350.0 GB`.
    words: String,
}

/// Bar of counts side by side; their sum is the whole width.
#[derive(Serialize)]
struct Bar {
    parts: Vec<Part>,
    /// `3 healthy, 1 degraded`.
    words: String,
}

#[derive(Serialize)]
struct Part {
    /// `3 healthy`.
    words: String,
    /// CSS class of its colour.
    tone: &'static str,
    /// Percent of the whole.
    start: String,
    width: String,
}

impl<'a> Pictures<'a> {
    /// Builds the diagrams of a bundle.
    pub fn of(inventory: &'a Inventory, analysis: &Analysis, t: Lexicon) -> Self {
        Self {
            nodes: inventory.nodes.items.iter().take(NODES).map(|node| NodePicture::of(node, t)).collect(),
            nodes_left_out: inventory.nodes.beyond(NODES),
            disks: inventory.disks.items.iter().take(DISKS).map(|disk| DiskPicture::of(disk, t)).collect(),
            disks_left_out: inventory.disks.beyond(DISKS),
            volumes: robustness(&inventory.volumes.items, t),
            rules: outcomes(&analysis.rules, t),
        }
    }
}

impl<'a> NodePicture<'a> {
    fn of(node: &'a NodeState, t: Lexicon) -> Self {
        let parts = [
            node.cpu.as_ref().map(|cpu| t.fill(phrase::Cpus { n: cpu })),
            node.memory.map(|bytes| t.fill(phrase::Memory { size: &words::bytes(bytes) })),
            node.kubelet.clone(),
        ];
        let pods = |pods: u64| match node.pod_capacity.map(words::number) {
            Some(room) => t.fill(phrase::PodsOf { n: &words::number(pods), room: &room }),
            None => t.fill(phrase::Pods { n: pods }),
        };
        let unready = (node.unready_pods > 0).then(|| amount(node.unready_pods, t.say(phrase::NOT_READY), t));
        Self {
            name: &node.name,
            roles: t.list(&node.roles),
            state: state::of_node(node),
            size: t.list(parts.into_iter().flatten()),
            pods: node.pods.map(|n| t.list([Some(pods(n)), unready].into_iter().flatten())),
            filled: node.pods.zip(node.pod_capacity).and_then(|(pods, room)| percent(pods, room)),
            unready: node.unready_pods > 0,
        }
    }
}

impl<'a> DiskPicture<'a> {
    fn of(disk: &'a Disk, t: Lexicon) -> Self {
        let used = disk.capacity.zip(disk.available).map(|(all, free)| all.saturating_sub(free));
        let share = |part: Option<u64>| percent(part?, disk.capacity?);
        let size = |bytes: Option<u64>| bytes.map_or_else(|| t.say(phrase::UNKNOWN).to_owned(), words::bytes);
        Self {
            node: &disk.node,
            path: &disk.path,
            state: state::of_disk(disk),
            reason: disk.reason.as_deref(),
            used: share(used),
            scheduled: share(disk.scheduled),
            limit: share(disk.limit),
            over: disk.scheduled.zip(disk.limit).is_some_and(|(scheduled, limit)| scheduled > limit),
            words: t.fill(phrase::DiskSpace {
                used: &size(used),
                capacity: &size(disk.capacity),
                scheduled: &size(disk.scheduled),
                limit: &size(disk.limit),
            }),
        }
    }
}

fn robustness(volumes: &[Volume], t: Lexicon) -> Option<Bar> {
    let count = |words: &[Phrase]| {
        let is_one = |volume: &&Volume| words.iter().any(|word| state::of_volume(volume).word == word.english());
        volumes.iter().filter(is_one).count()
    };
    let [absent, faulted, degraded, healthy, detached] =
        [phrase::DOES_NOT_EXIST, phrase::FAULTED, phrase::DEGRADED, phrase::HEALTHY, phrase::DETACHED];
    let others = volumes.len() - count(&[absent, faulted, degraded, healthy, detached]);
    let parts = [
        (phrase::MISSING, count(&[absent]), "bad"),
        (faulted, count(&[faulted]), "bad"),
        (degraded, count(&[degraded]), "warn"),
        (phrase::IN_TRANSITION, others, "unknown"),
        (healthy, count(&[healthy]), "good"),
        (detached, count(&[detached]), "idle"),
    ];
    (!volumes.is_empty()).then(|| bar(&parts, t))
}

fn outcomes(rules: &RuleOutcomes, t: Lexicon) -> Bar {
    let parts = [
        (phrase::FIRED, rules.fired.len(), "bad"),
        (phrase::NOT_EVALUATED, rules.not_evaluated.len(), "unknown"),
        (phrase::CLEAN_WHERE_COLLECTED, rules.clean_partly.len(), "warn"),
        (phrase::CLEAN, rules.clean.len(), "good"),
        (phrase::NOT_APPLICABLE, rules.not_applicable.len(), "idle"),
    ];
    bar(&parts, t)
}

fn bar(counts: &[(Phrase, usize, &'static str)], t: Lexicon) -> Bar {
    let all: usize = counts.iter().map(|(_, count, _)| count).sum();
    let mut before = 0;
    let mut parts = Vec::new();
    for (label, count, tone) in counts.iter().filter(|(_, count, _)| *count > 0) {
        let share = |count: usize| percent(count as u64, all as u64).unwrap_or_default();
        let words = amount(*count as u64, t.say(*label), t);
        parts.push(Part { words, tone, start: share(before), width: share(*count) });
        before += count;
    }
    Bar { words: t.list(parts.iter().map(|part| &part.words)), parts }
}

/// `12.5%`, at most 100; none if the whole is zero.
pub(super) fn percent(part: u64, whole: u64) -> Option<String> {
    (whole > 0).then(|| format!("{:.2}%", (part as f64 / whole as f64 * 100.0).min(100.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const T: Lexicon = Lexicon::ENGLISH;

    #[test]
    fn shares_lie_side_by_side_and_fill_the_bar() {
        let bar = bar(&[(phrase::FAULTED, 1, "bad"), (phrase::DEGRADED, 0, "warn"), (phrase::HEALTHY, 3, "good")], T);
        let parts: Vec<_> = bar.parts.iter().map(|p| (p.words.as_str(), p.start.as_str(), p.width.as_str())).collect();
        assert_eq!(parts, [("1 faulted", "0.00%", "25.00%"), ("3 healthy", "25.00%", "75.00%")]);
        assert_eq!(bar.words, "1 faulted, 3 healthy");
    }

    #[test]
    fn unknown_values_are_not_drawn() {
        let disk = Disk { capacity: Some(1000), available: Some(250), ..Disk::default() };
        let picture = DiskPicture::of(&disk, T);
        assert_eq!((picture.used.as_deref(), picture.scheduled), (Some("75.00%"), None));
        assert_eq!(picture.words, "used 750 B of 1.0 kB; scheduled unknown of at most unknown");
        assert_eq!(percent(1, 0), None);
        assert_eq!(percent(7, 5).as_deref(), Some("100.00%"));
    }
}
