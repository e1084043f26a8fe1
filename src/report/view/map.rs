//! Map of the cluster: each virtual machine with its disks, and each volume with its virtual machine.

use std::cmp::Reverse;
use std::collections::HashMap;

use serde::Serialize;

use super::histories::{self, Anchors, FindingLinks};
use super::state::{self, Level, State};
use crate::model::inventory::{Claim, Inventory, Link, Machine, Replica, Shown, Volume};
use crate::model::{Finding, ObjectRef};
use crate::report::lexicon::{Lexicon, phrase};
use crate::report::words;

/// Maximum number of findings of an object in the story of a machine.
const FINDINGS: usize = 5;

/// Map of a bundle; parts without data are left out.
#[derive(Serialize)]
pub struct Map<'a> {
    machines: Option<Table<MachineRow<'a>>>,
    volumes: Option<Table<VolumeRow<'a>>>,
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
    story: Option<Story<'a>>,
}

/// What lies between a machine in trouble and its disks, from the machine down.
#[derive(Serialize)]
struct Story<'a> {
    /// `Volume pvc-1`; none if the bundle does not say when anything broke.
    first: Option<String>,
    links: Vec<LinkLine<'a>>,
}

#[derive(Serialize)]
struct LinkLine<'a> {
    kind: &'a str,
    name: &'a str,
    history: Option<String>,
    disk: Option<&'a str>,
    state: Option<State<'a>>,
    since: Option<String>,
    first: bool,
    findings: FindingLinks<'a>,
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
    machines: Vec<User<'a>>,
    pods: &'a [String],
    users_known: bool,
    node: Option<&'a str>,
    node_known: bool,
    /// `10.7 GB, 3.2 GB on each disk`.
    size: Option<String>,
}

#[derive(Serialize)]
struct User<'a> {
    name: &'a str,
    history: Option<String>,
}

impl<'a> Map<'a> {
    /// Builds the map, with links to the histories on the page.
    pub fn of(inventory: &'a Inventory, findings: &'a [Finding], histories: &Anchors, t: Lexicon) -> Option<Self> {
        let about = histories::by_object(findings);
        let volumes: HashMap<&str, &Volume> = inventory.volumes.items.iter().map(|v| (v.name.as_str(), v)).collect();
        let machine =
            |m| MachineRow { story: Story::of(m, &about, histories, t), ..MachineRow::of(m, &volumes, histories, t) };
        let volume = |v| VolumeRow::of(v, histories, t);
        let machines = |n| t.fill(phrase::VirtualMachines { n });
        let of_volumes = |n| t.fill(phrase::Volumes { n });
        let map = Self {
            machines: table(&inventory.machines, machine, |row| (row.level, false), machines, t),
            volumes: table(&inventory.volumes, volume, |row| (row.level, !row.machines.is_empty()), of_volumes, t),
        };
        (map.machines.is_some() || map.volumes.is_some()).then_some(map)
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
            story: None,
        }
    }
}

impl<'a> Story<'a> {
    fn of(
        machine: &'a Machine,
        about: &HashMap<&ObjectRef, Vec<&'a Finding>>,
        histories: &Anchors,
        t: Lexicon,
    ) -> Option<Self> {
        let first = machine.broke_first();
        let links: Vec<_> = machine
            .story
            .iter()
            .enumerate()
            .map(|(at, link)| {
                let findings = of_the_story(about.get(&link.object).map_or(&[][..], Vec::as_slice), &machine.story);
                LinkLine::of(link, Some(at) == first, &findings, histories, t)
            })
            .collect();
        let named = first.and_then(|at| machine.story.get(at)).map(|link| {
            let what = link.disk.as_deref().unwrap_or(&link.object.name);
            format!("{} {what}", link.kind())
        });
        (!links.is_empty()).then_some(Self { first: named, links })
    }
}

/// Returns the findings about an object that belong to a story: those whose subject is in the story first, and none whose
/// subject is of a kind that the story has an object of. A node is named by findings about each of its other machines.
fn of_the_story<'a>(findings: &[&'a Finding], story: &[Link]) -> Vec<&'a Finding> {
    let in_story = |object: &ObjectRef| story.iter().any(|link| link.object == *object);
    let another_one = |object: &ObjectRef| story.iter().any(|link| link.object.kind == object.kind);
    let (mut own, related): (Vec<_>, Vec<_>) =
        findings.iter().copied().partition(|finding| finding.objects.first().is_none_or(in_story));
    own.extend(related.into_iter().filter(|finding| !finding.objects.first().is_some_and(another_one)));
    own
}

impl<'a> LinkLine<'a> {
    fn of(link: &'a Link, first: bool, findings: &[&'a Finding], histories: &Anchors, t: Lexicon) -> Self {
        let level = if link.broken { Level::Bad } else { Level::Good };
        Self {
            kind: link.kind(),
            name: &link.object.name,
            history: histories.get(&link.object),
            disk: link.disk.as_deref(),
            state: link.state.as_ref().map(|state| State::named(histories::state_in_words(state, t), level)),
            since: link.since.map(words::instant),
            first,
            findings: FindingLinks::of(findings, FINDINGS),
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
            User {
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
            users_known: volume.users_known,
            node: volume.node.as_deref(),
            node_known: volume.node_known,
            size: size.map(|size| t.list([Some(size), actual].into_iter().flatten())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::specimen;

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
        let map = Map::of(&inventory, &[], &Anchors::default(), Lexicon::ENGLISH).unwrap();
        let machines = map.machines.unwrap();
        assert_eq!(machines.summary, "2 virtual machines, 1 with a problem");
        assert_eq!(machines.rows.iter().map(|row| row.name).collect::<Vec<_>>(), ["b", "a"]);
    }

    #[test]
    fn a_story_leaves_out_findings_about_other_machines() {
        let object = |kind: &str, name: &str| ObjectRef::new("", kind, Some("n"), name);
        let about =
            |subject: ObjectRef| Finding { objects: vec![subject, object("Node", "node-0")], ..specimen::finding() };
        let story = [object("VirtualMachine", "a"), object("Node", "node-0")].map(Link::of);
        let findings = [
            about(object("VirtualMachine", "b")),
            about(object("Pod", "virt-handler-1")),
            about(object("VirtualMachine", "a")),
        ];
        let kept = of_the_story(&findings.iter().collect::<Vec<_>>(), &story);
        let names: Vec<_> = kept.iter().map(|finding| finding.objects[0].name.as_str()).collect();
        assert_eq!(names, ["a", "virt-handler-1"]);
    }
}
