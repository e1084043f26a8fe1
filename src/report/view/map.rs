//! Map of the cluster: each virtual machine with its disks, each volume with its virtual machine, and upgrades.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashMap;

use serde::Serialize;

use super::histories::Anchors;
use super::state::{self, Level, State};
use crate::model::inventory::{Claim, Condition, Inventory, Machine, NodeUpgrade, Replica, Shown, Upgrade, Volume};
use crate::model::{Analysis, ObjectRef};
use crate::report::lexicon::{Lexicon, phrase};
use crate::report::words;

/// Maximum length of a message, in characters.
const MESSAGE: usize = 400;

/// Map of a bundle; parts without data are left out.
#[derive(Serialize)]
pub struct Map<'a> {
    machines: Option<Table<MachineRow<'a>>>,
    volumes: Option<Table<VolumeRow<'a>>>,
    /// Upgrades in progress or failed; if there are none, the latest.
    upgrades: Vec<UpgradeCard<'a>>,
}

/// Rows, problems first.
#[derive(Serialize)]
struct Table<R> {
    /// `12 virtual machines, 2 with a problem`.
    summary: String,
    rows: Vec<R>,
    left_out: usize,
    missing: Option<String>,
}

#[derive(Serialize)]
struct MachineRow<'a> {
    name: &'a str,
    namespace: &'a str,
    history: Option<String>,
    level: Level,
    state: State<'a>,
    run_strategy: Option<&'a str>,
    node: Option<&'a str>,
    complaints: Vec<&'a str>,
    disks: Vec<DiskLine<'a>>,
}

/// Disk of a virtual machine: its claim and the volume that backs it.
#[derive(Serialize)]
struct DiskLine<'a> {
    claim: &'a str,
    state: State<'a>,
    /// Name of the PersistentVolume, unless the Longhorn volume has the same name.
    persistent: Option<&'a str>,
    volume: Option<VolumeLine<'a>>,
}

#[derive(Serialize)]
struct VolumeLine<'a> {
    name: &'a str,
    history: Option<String>,
    state: State<'a>,
    replicas: Vec<ReplicaLine<'a>>,
    /// `2 of 3 replicas`, if there are fewer than configured.
    lacking: Option<String>,
}

#[derive(Serialize)]
struct ReplicaLine<'a> {
    node: &'a str,
    disk: Option<&'a str>,
    state: State<'a>,
}

#[derive(Serialize)]
struct VolumeRow<'a> {
    level: Level,
    line: VolumeLine<'a>,
    claim: Option<&'a str>,
    machines: Vec<Link<'a>>,
    pods: &'a [String],
    node: Option<&'a str>,
    /// `10.7 GB, 3.2 GB on each disk`.
    size: Option<String>,
}

#[derive(Serialize)]
struct Link<'a> {
    name: &'a str,
    history: Option<String>,
}

/// Upgrade with its phase on each node and the conditions it waits for.
#[derive(Serialize)]
struct UpgradeCard<'a> {
    name: &'a str,
    /// `v1.4.1 to v1.4.2`.
    versions: String,
    state: State<'a>,
    created: Option<String>,
    /// Conditions that are not true, in the order of the upgrade.
    waits: Vec<Wait<'a>>,
    /// Number of conditions that are true.
    done: usize,
    nodes: Vec<NodeLine<'a>>,
    /// Findings about upgrades.
    findings: Vec<ExplainingFinding<'a>>,
}

#[derive(Serialize)]
struct Wait<'a> {
    name: &'a str,
    why: Option<String>,
}

#[derive(Serialize)]
struct NodeLine<'a> {
    node: &'a str,
    state: State<'a>,
    why: Option<String>,
}

/// Finding that explains an upgrade.
#[derive(Serialize)]
struct ExplainingFinding<'a> {
    title: Cow<'a, str>,
    anchor: String,
    /// `harvester/harvester#4935`.
    issues: Vec<String>,
}

impl<'a> Map<'a> {
    /// Builds the map, with links to the histories on the page.
    pub fn of(inventory: &'a Inventory, analysis: &'a Analysis, histories: &Anchors, t: Lexicon) -> Option<Self> {
        let volumes: HashMap<&str, &Volume> = inventory.volumes.items.iter().map(|v| (v.name.as_str(), v)).collect();
        let machine = |m| MachineRow::of(m, &volumes, histories, t);
        let volume = |v| VolumeRow::of(v, histories, t);
        let machines = |n| t.fill(phrase::VirtualMachines { n });
        let of_volumes = |n| t.fill(phrase::Volumes { n });
        let map = Self {
            machines: table(&inventory.machines, machine, |row| (row.level, false), machines, t),
            volumes: table(&inventory.volumes, volume, |row| (row.level, !row.machines.is_empty()), of_volumes, t),
            upgrades: upgrades(&inventory.upgrades.items)
                .map(|upgrade| UpgradeCard::of(upgrade, analysis, t))
                .collect(),
        };
        (map.machines.is_some() || map.volumes.is_some() || !map.upgrades.is_empty()).then_some(map)
    }
}

fn table<'a, T, R>(
    shown: &'a Shown<T>,
    row: impl Fn(&'a T) -> R,
    worst: impl Fn(&R) -> (Level, bool),
    counted: impl Fn(u64) -> String,
    t: Lexicon,
) -> Option<Table<R>> {
    let mut rows: Vec<R> = shown.items.iter().map(row).collect();
    rows.sort_by_key(|row| Reverse(worst(row)));
    let bad = rows.iter().filter(|row| worst(row).0 == Level::Bad).count();
    let warn = rows.iter().filter(|row| worst(row).0 == Level::Warn).count();
    let counts = [
        Some(counted((rows.len() + shown.left_out) as u64)),
        (bad > 0).then(|| t.fill(phrase::WithAProblem { n: &words::number(bad as u64) })),
        (warn > 0).then(|| t.fill(phrase::NeedAttention { n: &words::number(warn as u64) })),
    ];
    let summary = t.list(counts.into_iter().flatten());
    let missing = shown.not_collected.as_ref().map(|why| t.message(why));
    (!rows.is_empty()).then_some(Table { summary, rows, left_out: shown.left_out, missing })
}

impl<'a> MachineRow<'a> {
    fn of(machine: &'a Machine, volumes: &HashMap<&str, &'a Volume>, histories: &Anchors, t: Lexicon) -> Self {
        let disks: Vec<_> = machine.claims.iter().map(|claim| DiskLine::of(claim, volumes, histories, t)).collect();
        let state = state::of_machine(machine);
        let instance = machine.instance.as_ref();
        // Complaints of an instance matter only while its machine should run.
        let complaints = instance.map_or(&[][..], |instance| &instance.complaints);
        let complains = if complaints.is_empty() || state.word == "Stopped" { Level::Good } else { Level::Warn };
        let worst = disks.iter().map(DiskLine::level).chain([state.level, complains]).max();
        let object = ObjectRef::new("kubevirt.io", "VirtualMachine", Some(&machine.namespace), &machine.name);
        Self {
            name: &machine.name,
            namespace: &machine.namespace,
            history: histories.get(&object),
            level: worst.unwrap_or(Level::Unknown),
            state,
            run_strategy: machine.run_strategy.as_deref(),
            node: instance.and_then(|instance| instance.node.as_deref()),
            complaints: complaints.iter().map(String::as_str).collect(),
            disks,
        }
    }
}

impl<'a> DiskLine<'a> {
    fn of(claim: &'a Claim, volumes: &HashMap<&str, &'a Volume>, histories: &Anchors, t: Lexicon) -> Self {
        let volume = claim.longhorn.as_deref().and_then(|name| volumes.get(name));
        Self {
            claim: &claim.name,
            state: state::of_claim(claim),
            persistent: claim
                .volume
                .as_deref()
                .filter(|name| Some(*name) != claim.longhorn.as_deref() || volume.is_none()),
            volume: volume.map(|volume| VolumeLine::of(volume, histories, t)),
        }
    }

    fn level(&self) -> Level {
        self.volume.as_ref().map_or(self.state.level, |volume| volume.level().max(self.state.level))
    }
}

impl<'a> VolumeLine<'a> {
    fn of(volume: &'a Volume, histories: &Anchors, t: Lexicon) -> Self {
        let have = volume.replicas.len() as u64;
        let lacking = volume.wanted.filter(|wanted| have < *wanted);
        Self {
            name: &volume.name,
            history: histories.get(&ObjectRef::new("longhorn.io", "Volume", Some("longhorn-system"), &volume.name)),
            state: state::of_volume(volume),
            replicas: volume.replicas.iter().map(|replica| ReplicaLine::of(replica, t)).collect(),
            lacking: lacking.map(|wanted| t.fill(phrase::ReplicasOf { have: &have, wanted: &wanted })),
        }
    }

    fn level(&self) -> Level {
        let replicas = self.replicas.iter().any(|r| r.state.level == Level::Bad) || self.lacking.is_some();
        self.state.level.max(if replicas { Level::Warn } else { Level::Good })
    }
}

impl<'a> ReplicaLine<'a> {
    fn of(replica: &'a Replica, t: Lexicon) -> Self {
        let node = replica.node.as_deref().unwrap_or(t.say(phrase::NOT_SCHEDULED));
        Self { node, disk: replica.disk.as_deref(), state: state::of_replica(replica) }
    }
}

impl<'a> VolumeRow<'a> {
    fn of(volume: &'a Volume, histories: &Anchors, t: Lexicon) -> Self {
        let line = VolumeLine::of(volume, histories, t);
        let machine = |name: &'a String| {
            let (namespace, machine) = name.split_once('/').unwrap_or(("", name));
            Link {
                name,
                history: histories.get(&ObjectRef::new("kubevirt.io", "VirtualMachine", Some(namespace), machine)),
            }
        };
        let size = volume.size.map(words::bytes);
        let actual = volume.actual_size.map(words::bytes);
        let actual = actual.map(|size| t.fill(phrase::OnEachDisk { size: &size }));
        Self {
            level: line.level(),
            line,
            claim: volume.claim.as_deref(),
            machines: volume.machines.iter().map(machine).collect(),
            pods: &volume.pods,
            node: volume.node.as_deref(),
            size: size.map(|size| t.list([Some(size), actual].into_iter().flatten())),
        }
    }
}

/// Returns the upgrades that are not completed; if there are none, the latest.
pub(super) fn upgrades(all: &[Upgrade]) -> impl Iterator<Item = &Upgrade> {
    let open = |upgrade: &&Upgrade| upgrade.completed != Some(true);
    let latest = if all.iter().any(|upgrade| open(&upgrade)) { None } else { all.first() };
    all.iter().filter(open).chain(latest)
}

impl<'a> UpgradeCard<'a> {
    fn of(upgrade: &'a Upgrade, analysis: &'a Analysis, t: Lexicon) -> Self {
        let state = state::of_upgrade(upgrade);
        let is_true = |condition: &&Condition| condition.status.as_deref() == Some("True");
        let open = state.level != Level::Good;
        Self {
            name: &upgrade.name,
            versions: versions(upgrade, t),
            created: upgrade.created.map(words::instant),
            waits: upgrade.conditions.iter().filter(|c| !is_true(c)).map(Wait::of).collect(),
            done: upgrade.conditions.iter().filter(is_true).count(),
            nodes: upgrade.nodes.iter().map(NodeLine::of).collect(),
            findings: if open { known(upgrade, analysis) } else { Vec::new() },
            state,
        }
    }
}

/// `v1.4.1 to v1.4.2`.
pub(super) fn versions(upgrade: &Upgrade, t: Lexicon) -> String {
    let version = upgrade.version.as_deref().unwrap_or(t.say(phrase::AN_UNKNOWN_VERSION));
    match upgrade.previous_version.as_deref() {
        Some(from) => t.fill(phrase::FromTo { from: &from, to: &version }),
        None => t.fill(phrase::ToVersion { version: &version }),
    }
}

impl<'a> Wait<'a> {
    fn of(condition: &'a Condition) -> Self {
        Self { name: &condition.name, why: why(&condition.reason, &condition.message) }
    }
}

impl<'a> NodeLine<'a> {
    fn of(node: &'a NodeUpgrade) -> Self {
        const UNKNOWN: &str = phrase::UNKNOWN.english();
        let word = node.state.as_deref().unwrap_or(UNKNOWN);
        let level = match word {
            "Succeeded" => Level::Good,
            UNKNOWN => Level::Unknown,
            _ if word.contains("Fail") => Level::Bad,
            _ => Level::Warn,
        };
        Self { node: &node.node, state: State::named(word, level), why: why(&node.reason, &node.message) }
    }
}

/// `Reason: message`, or the one of them that exists.
fn why(reason: &Option<String>, message: &Option<String>) -> Option<String> {
    let parts = [reason, message].into_iter().flatten().map(String::as_str);
    let why = parts.collect::<Vec<_>>().join(": ");
    let why = words::clipped(&why, MESSAGE);
    (!why.is_empty()).then(|| why.into_owned())
}

/// Returns the findings about this upgrade or about upgrades in general, with the project issues that they link to.
fn known<'a>(upgrade: &Upgrade, analysis: &'a Analysis) -> Vec<ExplainingFinding<'a>> {
    let is_it = |object: &ObjectRef| object.kind == "Upgrade" && object.name == upgrade.name;
    let about = analysis.findings.iter().filter(|f| f.area == "upgrade" || f.objects.iter().any(is_it));
    let known = about.map(|finding| ExplainingFinding {
        title: words::sentence(&finding.title, usize::MAX),
        anchor: super::finding::anchor(&finding.fingerprint),
        issues: finding.links.iter().filter_map(|link| issue(link)).collect(),
    });
    known.collect()
}

/// `harvester/harvester#4935`, from the address of an issue or pull request on GitHub.
fn issue(link: &str) -> Option<String> {
    let mut parts = link.strip_prefix("https://github.com/")?.split('/');
    let (owner, project, kind, number) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
    (matches!(kind, "issues" | "pull") && !digits.is_empty()).then(|| format!("{owner}/{project}#{digits}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_issues_are_shortened() {
        assert_eq!(
            issue("https://github.com/harvester/harvester/issues/4935").as_deref(),
            Some("harvester/harvester#4935")
        );
        assert_eq!(issue("https://github.com/a/b/pull/7#discussion").as_deref(), Some("a/b#7"));
        assert_eq!(issue("https://github.com/a/b/releases/7"), None);
        assert_eq!(issue("https://example.org/a/b/issues/7"), None);
    }

    #[test]
    fn problems_come_first() {
        let claim = |name: &str, exists| Claim {
            name: name.into(),
            exists: Some(exists),
            phase: Some("Bound".into()),
            ..Claim::default()
        };
        let machine = |name: &str, claim| Machine {
            namespace: "n".into(),
            name: name.into(),
            status: Some("Running".into()),
            claims: vec![claim],
            ..Machine::default()
        };
        let machines = vec![machine("a", claim("x", true)), machine("b", claim("y", false))];
        let inventory = Inventory { machines: Shown::first(machines, 9, None), ..Inventory::default() };
        let analysis = crate::report::specimen::empty();
        let map = Map::of(&inventory, &analysis, &Anchors::default(), Lexicon::ENGLISH).unwrap();
        let machines = map.machines.unwrap();
        assert_eq!(machines.summary, "2 virtual machines, 1 with a problem");
        assert_eq!(machines.rows.iter().map(|row| row.name).collect::<Vec<_>>(), ["b", "a"]);
    }
}
