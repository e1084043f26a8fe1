//! The cluster at a glance: a tile for each thing that support asks for first, leading to its list.

use serde::Serialize;

use super::bundle::Sheet;
use super::state::{self, Level};
use super::upgrade;
use crate::model::inventory::{Inventory, Machine, PodCount, Shown, Volume};
use crate::model::{Analysis, NodeFacts};
use crate::report::lexicon::{Lexicon, phrase};
use crate::report::words;

/// One tile.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Tile {
    label: &'static str,
    /// `2 of 3 ready`, `not collected`.
    value: String,
    note: Option<String>,
    level: Level,
    /// Anchor of its list; none if there is no list.
    href: Option<&'static str>,
}

/// Returns the tiles of a page. `unhealthy` if the page lists objects in trouble without a finding.
pub fn tiles(analysis: &Analysis, inventory: &Inventory, sheet: &Sheet<'_>, unhealthy: bool, t: Lexicon) -> Vec<Tile> {
    let harvester = analysis.bundle.kind == "harvester" || analysis.bundle.versions.contains_key("harvester");
    // Without objects in trouble, nodes show how many of their Pods are not ready.
    let known_nodes = (!inventory.nodes.items.is_empty()).then_some("nodes");
    let list_of_pods = if unhealthy { Some("unhealthy") } else { known_nodes };
    let tiles = [
        Some(nodes(&analysis.bundle.nodes, inventory, t)),
        Some(pods(inventory.pods.as_ref(), list_of_pods, t)),
        Some(volumes(&inventory.volumes, t)),
        machines(&inventory.machines, t),
        Some(versions(sheet, t)),
        harvester.then(|| upgrades(inventory, t)),
    ];
    tiles.into_iter().flatten().collect()
}

impl Tile {
    fn not_collected(label: &'static str, t: Lexicon) -> Self {
        let value = t.say(phrase::NOT_COLLECTED).to_owned();
        Self { label, value, note: None, level: Level::Unknown, href: None }
    }

    fn none(label: &'static str, t: Lexicon) -> Self {
        Self { label, value: t.say(phrase::NONE).to_owned(), note: None, level: Level::Good, href: None }
    }

    /// Says that there may be more than the tile counts.
    fn partly(self, partly: bool, t: Lexicon) -> Self {
        let caveat = partly.then(|| t.say(phrase::SOME_NOT_COLLECTED).to_owned());
        let notes: Vec<String> = self.note.into_iter().chain(caveat).collect();
        Self { note: (!notes.is_empty()).then(|| t.list(notes)), ..self }
    }
}

fn nodes(nodes: &[NodeFacts], inventory: &Inventory, t: Lexicon) -> Tile {
    let label = t.say(phrase::NODES);
    if nodes.is_empty() {
        return Tile::not_collected(label, t);
    }
    let unknown = nodes.iter().filter(|node| node.ready.is_none()).count();
    let strained = inventory.nodes.items.iter().map(state::of_node).filter(|state| state.level == Level::Warn);
    let note = match (unknown, strained.count()) {
        (0, 0) => None,
        (0, n) => Some(t.fill(phrase::NeedAttention { n: &n })),
        (n, _) => Some(t.fill(phrase::ReadinessUnknown { n: &n })),
    };
    let value = super::nodes_ready(nodes, t).unwrap_or_else(|| words::number(unknown as u64));
    let level = match nodes.iter().any(|node| node.ready == Some(false)) {
        true => Level::Bad,
        false if unknown > 0 => Level::Unknown,
        false if note.is_some() => Level::Warn,
        false => Level::Good,
    };
    Tile { label, value, note, level, href: Some("nodes") }
}

fn pods(count: Option<&PodCount>, list: Option<&'static str>, t: Lexicon) -> Tile {
    let label = t.say(phrase::PODS_NOT_READY);
    let Some(PodCount { all, unready, not_collected }) = count else { return Tile::not_collected(label, t) };
    let tile = Tile {
        label,
        value: t.fill(phrase::NumberOf { n: &words::number(*unready), all: &words::number(*all) }),
        note: None,
        level: if *unready > 0 { Level::Warn } else { Level::Good },
        href: list,
    };
    tile.partly(not_collected.is_some(), t)
}

fn volumes(volumes: &Shown<Volume>, t: Lexicon) -> Tile {
    let label = t.say(phrase::LONGHORN_VOLUMES);
    if volumes.items.is_empty() {
        return if volumes.not_collected.is_some() { Tile::not_collected(label, t) } else { Tile::none(label, t) };
    }
    let of_level = |level| volumes.items.iter().filter(|volume| state::of_volume(volume).level == level).count();
    let states = [phrase::DOES_NOT_EXIST, phrase::FAULTED, phrase::DEGRADED];
    let told = states.map(|word| {
        let count = volumes.items.iter().filter(|volume| state::of_volume(volume).word == word.english()).count();
        let word = if word.english() == phrase::DOES_NOT_EXIST.english() { phrase::MISSING } else { word };
        (count > 0).then(|| super::verdict::amount(count as u64, t.say(word), t))
    });
    let all = (volumes.items.len() + volumes.left_out) as u64;
    let trouble = t.list(told.into_iter().flatten());
    let (value, note) = match trouble.is_empty() {
        true => (words::number(all), Some(t.say(phrase::NONE_DEGRADED).to_owned())),
        false => (trouble, Some(t.fill(phrase::OfAll { all: &words::number(all) }))),
    };
    let level = match (of_level(Level::Bad), of_level(Level::Warn)) {
        (0, 0) => Level::Good,
        (0, _) => Level::Warn,
        _ => Level::Bad,
    };
    Tile { label, value, note, level, href: Some("volumes") }.partly(volumes.not_collected.is_some(), t)
}

/// None if no virtual machine is known: most clusters have none.
fn machines(machines: &Shown<Machine>, t: Lexicon) -> Option<Tile> {
    let level = |machine| state::of_machine(machine).level;
    let troubled = machines.items.iter().filter(|machine| level(machine) == Level::Bad).count();
    let all = (machines.items.len() + machines.left_out) as u64;
    let tile = Tile {
        label: t.say(phrase::VIRTUAL_MACHINES),
        value: words::number(all),
        note: (troubled > 0).then(|| t.fill(phrase::WithAProblem { n: &troubled })),
        level: machines.items.iter().map(level).max().unwrap_or(Level::Good),
        href: Some("machines"),
    };
    (all > 0).then(|| tile.partly(machines.not_collected.is_some(), t))
}

fn versions(sheet: &Sheet<'_>, t: Lexicon) -> Tile {
    let label = t.say(phrase::VERSIONS);
    let mut versions = sheet.versions();
    let Some(value) = versions.next() else { return Tile::not_collected(label, t) };
    Tile { label, value, note: versions.next(), level: Level::Good, href: Some("facts") }
}

/// The upgrade in progress, or the latest.
fn upgrades(inventory: &Inventory, t: Lexicon) -> Tile {
    let label = t.say(phrase::UPGRADE_LABEL);
    let upgrades = &inventory.upgrades;
    let Some(latest) = upgrade::shown(&upgrades.items).next() else {
        return if upgrades.not_collected.is_some() { Tile::not_collected(label, t) } else { Tile::none(label, t) };
    };
    let state = state::of_upgrade(latest);
    Tile {
        label,
        value: t.term(&state.word).to_owned(),
        note: Some(upgrade::versions(latest, t)),
        level: state.level,
        href: Some("upgrades"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::BundleFacts;
    use crate::report::specimen;

    const T: Lexicon = Lexicon::ENGLISH;

    fn told(analysis: &Analysis, inventory: &Inventory) -> Vec<(String, Level)> {
        let tiles = tiles(analysis, inventory, &Sheet::of(&analysis.bundle, T), true, T);
        let words = |tile: Tile| match tile.note {
            Some(note) => format!("{}: {} ({note})", tile.label, tile.value),
            None => format!("{}: {}", tile.label, tile.value),
        };
        tiles.into_iter().map(|tile| (tile.level, words(tile))).map(|(level, words)| (words, level)).collect()
    }

    #[test]
    fn what_was_not_collected_is_not_zero() {
        let analysis = Analysis { bundle: BundleFacts::default(), ..specimen::empty() };
        let missing = |why: &str| Some(why.into());
        let inventory = Inventory {
            volumes: Shown::first(vec![], 9, missing("volumes")),
            upgrades: Shown::first(vec![], 9, missing("upgrades")),
            ..Inventory::default()
        };
        let mut harvester = analysis.clone();
        harvester.bundle.kind = "harvester".into();
        let values: Vec<_> = told(&harvester, &inventory);
        let words: Vec<&str> = values.iter().map(|(words, _)| words.as_str()).collect();
        assert_eq!(
            words,
            [
                "Nodes: not collected",
                "Pods not ready: not collected",
                "Longhorn volumes: not collected",
                "Versions: not collected",
                "Upgrade: not collected"
            ]
        );
        assert!(values.iter().all(|(_, level)| *level == Level::Unknown));
        assert_eq!(told(&analysis, &Inventory::default()).len(), 4, "other clusters have no upgrades of Harvester");
    }

    #[test]
    fn what_was_collected_is_counted() {
        let analysis = specimen::small();
        let volume = |robustness: &str| Volume {
            exists: true,
            state: Some("attached".into()),
            robustness: Some(robustness.into()),
            ..Volume::default()
        };
        let volumes = [volume("faulted"), volume("degraded"), volume("healthy"), Volume::default()];
        let inventory = Inventory {
            pods: Some(PodCount { all: 46, unready: 2, not_collected: Some("others".into()) }),
            volumes: Shown::first(volumes.to_vec(), 9, None),
            machines: Shown::first(vec![Machine { status: Some("Running".into()), ..Machine::default() }], 9, None),
            ..Inventory::default()
        };
        let expected = [
            ("Nodes: 1 of 2 ready (readiness of 1 not collected)", Level::Unknown),
            ("Pods not ready: 2 of 46 (some not collected)", Level::Warn),
            ("Longhorn volumes: 1 missing, 1 faulted, 1 degraded (of 4)", Level::Bad),
            ("Virtual machines: 1", Level::Good),
            ("Versions: Harvester v1.4.1 (Kubernetes v1.30.2+rke2r1)", Level::Good),
            ("Upgrade: none", Level::Good),
        ];
        assert_eq!(told(&analysis, &inventory), expected.map(|(words, level)| (words.to_owned(), level)));
    }
}
