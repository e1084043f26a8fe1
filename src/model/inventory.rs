//! State of the cluster as the bundle shows it, apart from findings: nodes, virtual machines, storage, upgrades, a
//! timeline, and the history of single objects.
//!
//! States are in the words of the cluster; reports explain them.

use jiff::Timestamp;

use super::message::{Happening, Reason};
use super::{Identities, ObjectRef, Origin, ReportedState};

/// The whole inventory. Lists are bounded, see [`Shown`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inventory {
    /// Nodes by name.
    pub nodes: Shown<NodeState>,
    /// Pods that have not ended; none if no Pods were collected.
    pub pods: Option<PodCount>,
    /// Virtual machines by namespace and name.
    pub machines: Shown<Machine>,
    /// Longhorn volumes by name.
    pub volumes: Shown<Volume>,
    /// Longhorn disks by node and path.
    pub disks: Shown<Disk>,
    /// Harvester upgrades, latest first.
    pub upgrades: Shown<Upgrade>,
    /// Moments by time.
    pub moments: Shown<Moment>,
    /// Histories by kind, namespace and name.
    pub histories: Shown<ObjectHistory>,
    /// What redaction must know of all objects; empty unless it was asked for. No report has it.
    pub identities: Identities,
}

/// Bounded list of objects.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown<T> {
    pub items: Vec<T>,
    /// Number of objects left out.
    pub left_out: usize,
    /// Reason why some or all objects may be not collected; none if the list is complete.
    pub not_collected: Option<Reason>,
}

impl<T> Default for Shown<T> {
    fn default() -> Self {
        Self { items: Vec::new(), left_out: 0, not_collected: None }
    }
}

impl<T> Shown<T> {
    /// Keeps the first `most` of a list.
    pub fn first(mut items: Vec<T>, most: usize, not_collected: Option<Reason>) -> Self {
        let left_out = items.len().saturating_sub(most);
        items.truncate(most);
        Self { items, left_out, not_collected }
    }

    /// Returns the number of objects left out where only the first `most` items are shown.
    pub fn beyond(&self, most: usize) -> usize {
        self.left_out + self.items.len().saturating_sub(most)
    }
}

/// Node of the cluster.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeState {
    pub name: String,
    pub roles: Vec<String>,
    /// Condition Ready; none when unknown.
    pub ready: Option<bool>,
    /// Cordoned: `spec.unschedulable`.
    pub cordoned: bool,
    /// Other conditions that are true and should not be, such as `DiskPressure`.
    pub pressures: Vec<String>,
    /// Pods on it that have not ended; none if Pods were not collected.
    pub pods: Option<u64>,
    /// Those Pods that are not ready.
    pub unready_pods: u64,
    /// Pods that it has room for.
    pub pod_capacity: Option<u64>,
    /// `status.capacity` as written.
    pub cpu: Option<String>,
    /// Memory in bytes.
    pub memory: Option<u64>,
    /// Version of the kubelet.
    pub kubelet: Option<String>,
}

/// Number of Pods that have not ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PodCount {
    pub all: u64,
    /// Those that are not ready, also where no node runs them yet.
    pub unready: u64,
    /// Reason why others may be not collected; none if all were.
    pub not_collected: Option<Reason>,
}

/// KubeVirt virtual machine: a VirtualMachine, or an instance without one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Machine {
    pub namespace: String,
    pub name: String,
    /// `status.printableStatus`; none without a VirtualMachine.
    pub status: Option<String>,
    /// `spec.runStrategy`, or `Always` and `Halted` for `spec.running`.
    pub run_strategy: Option<String>,
    pub instance: Option<Instance>,
    pub claims: Vec<Claim>,
    /// What lies between the machine and its disks, from the machine down; empty if nothing of it is in trouble.
    pub story: Vec<Link>,
}

/// One object between a virtual machine and its disks.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The object; for a disk its Longhorn node.
    pub object: ObjectRef,
    /// Folder of a disk.
    pub disk: Option<String>,
    pub state: Option<ReportedState>,
    /// True if it is in trouble.
    pub broken: bool,
    /// Time at which its trouble began, if the bundle says so.
    pub since: Option<Timestamp>,
}

impl Link {
    /// Returns an object of which nothing is known yet.
    pub fn of(object: ObjectRef) -> Self {
        Self { object, disk: None, state: None, broken: false, since: None }
    }

    /// Returns the kind of the object, or `Disk`.
    pub fn kind(&self) -> &str {
        if self.disk.is_some() { "Disk" } else { &self.object.kind }
    }
}

impl Machine {
    /// Returns the position of what broke first in its story: the earliest, of several the deepest.
    pub fn broke_first(&self) -> Option<usize> {
        let dated = self.story.iter().enumerate().filter(|(_, link)| link.broken);
        let dated = dated.filter_map(|(at, link)| Some((link.since?, std::cmp::Reverse(at))));
        dated.min().map(|(_, std::cmp::Reverse(at))| at)
    }
}

/// VirtualMachineInstance.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Instance {
    pub phase: Option<String>,
    pub node: Option<String>,
    /// Condition Ready.
    pub ready: Option<bool>,
    pub paused: bool,
    /// Problems that its conditions report: `LiveMigratable: ...`.
    pub complaints: Vec<String>,
}

/// PersistentVolumeClaim with its volumes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Claim {
    pub name: String,
    /// None if claims were not collected.
    pub exists: Option<bool>,
    pub phase: Option<String>,
    /// Name of its PersistentVolume.
    pub volume: Option<String>,
    /// None if PersistentVolumes were not collected or the claim names none.
    pub volume_exists: Option<bool>,
    /// Name of the Longhorn volume.
    pub longhorn: Option<String>,
    /// None if Longhorn volumes were not collected or the volume has another driver.
    pub longhorn_exists: Option<bool>,
}

/// Longhorn volume.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Volume {
    pub name: String,
    /// False if only a PersistentVolume names it.
    pub exists: bool,
    pub state: Option<String>,
    pub robustness: Option<String>,
    /// Size in bytes.
    pub size: Option<u64>,
    /// Bytes that its head and snapshots use on a disk.
    pub actual_size: Option<u64>,
    /// Node to which it is attached.
    pub node: Option<String>,
    /// False if the bundle does not show whether it is attached.
    pub node_known: bool,
    /// Desired number of replicas.
    pub wanted: Option<u64>,
    pub replicas: Vec<Replica>,
    /// `namespace/name` of its claim.
    pub claim: Option<String>,
    /// `namespace/name` of the virtual machines that use it.
    pub machines: Vec<String>,
    /// `namespace/name` of other Pods that use it.
    pub pods: Vec<String>,
    /// False if the bundle does not show all that use it.
    pub users_known: bool,
}

/// Replica of a Longhorn volume.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Replica {
    pub name: String,
    pub node: Option<String>,
    /// Folder of its disk.
    pub disk: Option<String>,
    pub state: Option<String>,
    /// Time of failure.
    pub failed_at: Option<Timestamp>,
}

/// Longhorn disk; sizes in bytes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Disk {
    pub node: String,
    /// Folder or device; the disk's name if neither is known.
    pub path: String,
    pub ready: Option<bool>,
    /// Condition Schedulable.
    pub schedulable: Option<bool>,
    /// Reason why it is not schedulable, in Longhorn's words.
    pub reason: Option<String>,
    /// True if an administrator allows new replicas on it.
    pub allowed: Option<bool>,
    pub capacity: Option<u64>,
    pub available: Option<u64>,
    pub reserved: Option<u64>,
    pub scheduled: Option<u64>,
    /// Schedulable size: (capacity - reserved) x the setting `storage-over-provisioning-percentage`.
    pub limit: Option<u64>,
}

/// Harvester Upgrade.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Upgrade {
    pub namespace: String,
    pub name: String,
    /// Target version.
    pub version: Option<String>,
    pub previous_version: Option<String>,
    /// Label `harvesterhci.io/upgradeState`.
    pub state: Option<String>,
    pub created: Option<Timestamp>,
    /// Condition Completed; none while undecided.
    pub completed: Option<bool>,
    pub conditions: Vec<Condition>,
    pub nodes: Vec<NodeUpgrade>,
}

/// Progress of an upgrade on a node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeUpgrade {
    pub node: String,
    pub state: Option<String>,
    /// When the state began, as the job of the node shows it; none if no job does.
    pub since: Option<Timestamp>,
    pub reason: Option<String>,
    pub message: Option<String>,
}

/// Condition of an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Condition {
    pub name: String,
    pub status: Option<String>,
    pub reason: Option<String>,
    pub message: Option<String>,
    /// Time of its last change.
    pub at: Option<Timestamp>,
}

/// Occurrence in the cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    pub kind: MomentKind,
    pub from: Timestamp,
    /// Last time; equal to `from` if it occurred once.
    pub to: Timestamp,
    pub count: u64,
    /// Node on which it occurred, if it is one node.
    pub node: Option<String>,
    pub object: Option<ObjectRef>,
    pub text: Happening,
    pub place: Option<Origin>,
}

/// Kind of a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MomentKind {
    /// Kubernetes event of type Warning.
    Warning,
    /// Start of a node.
    Boot,
    /// Harvester upgrade, from its creation to its end.
    Upgrade,
    /// End of a certificate's validity.
    Expiry,
}

/// History of one object, by time.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectHistory {
    pub object: ObjectRef,
    /// Place of the object itself; none if the bundle only mentions it.
    pub place: Option<Origin>,
    pub state: Option<ReportedState>,
    /// Related objects, in the order of an investigation: `claim`, `volume`, `node`...
    pub related: Vec<(Relation, ObjectRef)>,
    pub entries: Shown<HistoryEntry>,
}

/// Relation of one object to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    Machine,
    Instance,
    Claim,
    PersistentVolume,
    Volume,
    Replica,
    Node,
    Pod,
    Owner,
}

/// Occurrence that concerns an object.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryEntry {
    /// None if the time is unknown.
    pub at: Option<Timestamp>,
    /// Last time, if it occurred again.
    pub until: Option<Timestamp>,
    pub count: u64,
    pub source: Source,
    pub text: Happening,
    pub place: Option<Origin>,
}

/// Source of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// The object itself: created, deleted, restarted.
    Object,
    Condition,
    /// Kubernetes event of type Normal.
    Event,
    /// Kubernetes event of type Warning.
    Warning,
    Log,
}
