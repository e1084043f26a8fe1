//! What a bundle shows of the cluster itself, beside what rules say of it: its nodes, virtual machines, storage and
//! upgrades, what happened when, and the stories of single objects.
//!
//! States are the words of the cluster; what they mean is for reports to say. Times are RFC 3339 in UTC.

use super::message::{Happening, Reason};
use super::{ObjectRef, Origin};

/// All of it. Lists are bounded, see [`Shown`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inventory {
    /// By name.
    pub nodes: Shown<NodeState>,
    /// By namespace and name.
    pub machines: Shown<Machine>,
    /// Longhorn volumes by name.
    pub volumes: Shown<Volume>,
    /// Longhorn disks by node and path.
    pub disks: Shown<Disk>,
    /// Harvester upgrades, the latest first.
    pub upgrades: Vec<Upgrade>,
    /// By time.
    pub moments: Shown<Moment>,
    /// By kind, namespace and name.
    pub stories: Shown<Story>,
}

/// The objects of a list as far as they are shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown<T> {
    pub items: Vec<T>,
    /// How many more there are.
    pub left_out: usize,
    /// Why the bundle may lack some, or all; none where it has whatever the cluster has.
    pub missing: Option<Reason>,
}

impl<T> Default for Shown<T> {
    fn default() -> Self {
        Self { items: Vec::new(), left_out: 0, missing: None }
    }
}

impl<T> Shown<T> {
    /// The first `most` of a list.
    pub fn first(mut items: Vec<T>, most: usize, missing: Option<Reason>) -> Self {
        let left_out = items.len().saturating_sub(most);
        items.truncate(most);
        Self { items, left_out, missing }
    }
}

/// A node of the cluster.
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
    /// Pods on it that have not ended; none where pods were not collected.
    pub pods: Option<u64>,
    /// Those of them that are not ready.
    pub unready_pods: u64,
    /// Pods it has room for.
    pub pod_capacity: Option<u64>,
    /// `status.capacity`, as it is written.
    pub cpu: Option<String>,
    /// Bytes.
    pub memory: Option<u64>,
    /// Version of the kubelet.
    pub kubelet: Option<String>,
}

/// A virtual machine of KubeVirt: the VirtualMachine, or the instance of one that has none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Machine {
    pub namespace: String,
    pub name: String,
    /// `status.printableStatus`; none where there is no VirtualMachine.
    pub status: Option<String>,
    /// `spec.runStrategy`, or `Always` and `Halted` for `spec.running`.
    pub run_strategy: Option<String>,
    pub instance: Option<Instance>,
    pub claims: Vec<Claim>,
}

/// A VirtualMachineInstance.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Instance {
    pub phase: Option<String>,
    pub node: Option<String>,
    /// Condition Ready.
    pub ready: Option<bool>,
    pub paused: bool,
    /// What its conditions complain of: `LiveMigratable: ...`.
    pub complaints: Vec<String>,
}

/// A PersistentVolumeClaim and what stands behind it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Claim {
    pub name: String,
    /// None where claims were not collected.
    pub exists: Option<bool>,
    pub phase: Option<String>,
    /// Name of its PersistentVolume.
    pub volume: Option<String>,
    /// None where PersistentVolumes were not collected, or the claim names none.
    pub volume_exists: Option<bool>,
    /// Name of the Longhorn volume.
    pub longhorn: Option<String>,
    /// None where Longhorn volumes were not collected, or it is of another driver.
    pub longhorn_exists: Option<bool>,
}

/// A volume of Longhorn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Volume {
    pub name: String,
    /// False where only a PersistentVolume names it.
    pub exists: bool,
    pub state: Option<String>,
    pub robustness: Option<String>,
    /// Bytes.
    pub size: Option<u64>,
    /// Bytes that its head and snapshots take on a disk.
    pub actual_size: Option<u64>,
    /// Where it is attached.
    pub node: Option<String>,
    /// Replicas it should have.
    pub wanted: Option<u64>,
    pub replicas: Vec<Replica>,
    /// `namespace/name` of the claim it belongs to.
    pub claim: Option<String>,
    /// `namespace/name` of the virtual machines that use it.
    pub machines: Vec<String>,
    /// `namespace/name` of other Pods that use it.
    pub pods: Vec<String>,
}

/// A replica of a Longhorn volume.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Replica {
    pub name: String,
    pub node: Option<String>,
    /// Folder of its disk.
    pub disk: Option<String>,
    pub state: Option<String>,
    /// When it failed, if it did.
    pub failed_at: Option<String>,
}

/// A disk of Longhorn; sizes in bytes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Disk {
    pub node: String,
    /// Folder or device; its name where neither is known.
    pub path: String,
    pub ready: Option<bool>,
    /// Condition Schedulable.
    pub schedulable: Option<bool>,
    /// Why not, as Longhorn says it.
    pub reason: Option<String>,
    /// Whether an administrator lets Longhorn use it for new replicas.
    pub allowed: Option<bool>,
    pub capacity: Option<u64>,
    pub available: Option<u64>,
    pub reserved: Option<u64>,
    pub scheduled: Option<u64>,
    /// What may be scheduled on it: (capacity - reserved) x the setting `storage-over-provisioning-percentage`.
    pub limit: Option<u64>,
}

/// An Upgrade of Harvester.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Upgrade {
    pub namespace: String,
    pub name: String,
    /// Version it leads to.
    pub version: Option<String>,
    pub previous_version: Option<String>,
    /// Label `harvesterhci.io/upgradeState`.
    pub state: Option<String>,
    pub created: Option<String>,
    /// Condition Completed, if it is decided.
    pub completed: Option<bool>,
    pub conditions: Vec<Condition>,
    pub nodes: Vec<NodeUpgrade>,
}

/// How far an upgrade is on a node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeUpgrade {
    pub node: String,
    pub state: Option<String>,
    pub reason: Option<String>,
    pub message: Option<String>,
}

/// A condition of an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Condition {
    pub name: String,
    pub status: Option<String>,
    pub reason: Option<String>,
    pub message: Option<String>,
    /// Its last change.
    pub at: Option<String>,
}

/// Something that happened to the cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    pub kind: MomentKind,
    pub from: String,
    /// Its last time; that of `from` where it happened once.
    pub to: String,
    pub count: u64,
    /// Where it happened, if that is one node.
    pub node: Option<String>,
    pub object: Option<ObjectRef>,
    pub text: Happening,
    pub place: Option<Origin>,
}

/// What it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MomentKind {
    /// A Kubernetes event of type Warning.
    Warning,
    /// The start of a node.
    Boot,
    /// An upgrade of Harvester, from its creation to its end.
    Upgrade,
    /// The end of a certificate's validity.
    Expiry,
}

/// What the bundle tells of one object, in the order of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Story {
    pub object: ObjectRef,
    /// Where it is written down itself; none where it is only spoken of.
    pub place: Option<Origin>,
    /// Its state in the words of the cluster: `Running`, `attached, degraded`.
    pub state: Option<String>,
    /// What it has to do with, in the order in which one would look: `claim`, `volume`, `node`...
    pub related: Vec<(Relation, ObjectRef)>,
    pub chapters: Shown<Chapter>,
}

/// What one object is to another.
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

/// Something that happened to an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Chapter {
    /// None where no time is known.
    pub at: Option<String>,
    /// Its last time, where it happened again.
    pub until: Option<String>,
    pub count: u64,
    pub source: Source,
    pub text: Happening,
    pub place: Option<Origin>,
}

/// Who tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// The object itself: created, deleted, restarted.
    Object,
    Condition,
    /// A Kubernetes event of type Normal.
    Event,
    /// A Kubernetes event of type Warning.
    Warning,
    Log,
}
