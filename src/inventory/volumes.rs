//! Longhorn volumes with their replicas, and disks.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

use super::context::{InventoryContext, MOST, at, condition, conditions, flag, number, text};
use super::machines::longhorn_name;
use crate::model::inventory::{Disk, Machine, Replica, Shown, Volume};
use crate::resource::Resource;
use crate::resource::scalar_at;
use crate::yaml::Node;

const VOLUMES: &str = "volumes.longhorn.io";
const REPLICAS: &str = "replicas.longhorn.io";
const NODES: &str = "nodes.longhorn.io";
const ATTACHMENTS: &str = "volumeattachments.storage.k8s.io";
/// Owner kind under which Longhorn lists the Pods of a virtual machine.
const MACHINE: &str = "VirtualMachineInstance";
/// Longhorn's default when the setting was never written.
const OVER_PROVISIONING: u64 = 100;

/// Lists all volumes by name.
pub(super) fn volumes(look: InventoryContext<'_>) -> Shown<Volume> {
    let mut replicas: BTreeMap<&str, Vec<Replica>> = BTreeMap::new();
    for resource in look.all(REPLICAS) {
        if let Some(volume) = scalar_at(resource.body(), &["spec", "volumeName"]) {
            replicas.entry(volume).or_default().push(replica(resource));
        }
    }
    let of = |resource| volume(resource, replicas.get(name_of(resource)).cloned().unwrap_or_default());
    let mut volumes: Vec<Volume> = look.all(VOLUMES).map(of).collect();
    // Nearly no cluster has lost a volume.
    let uses = LazyCell::new(|| Uses::of(look));
    volumes.extend(look.all("persistentvolumes").filter_map(|persistent| lost(look, &uses, persistent)));
    volumes.sort_by(|a, b| a.name.cmp(&b.name));
    Shown::first(volumes, MOST, look.not_collected(VOLUMES).or_else(|| look.not_collected(REPLICAS)))
}

/// Returns a Longhorn volume that a PersistentVolume names and that does not exist. Where it is attached and what uses it
/// is known from Kubernetes only.
fn lost<'a>(
    look: InventoryContext<'a>,
    uses: &LazyCell<Uses<'a>, impl FnOnce() -> Uses<'a>>,
    persistent: &Resource,
) -> Option<Volume> {
    let name = longhorn_name(persistent)?;
    let body = persistent.body();
    let of_claim = |key: &str| scalar_at(body, &["spec", "claimRef", key]);
    let gone = look.exists(VOLUMES, Some("longhorn-system"), &name) == Some(false);
    let claim = of_claim("name").map(|claim| (of_claim("namespace").unwrap_or_default(), claim));
    gone.then(|| Volume {
        name,
        node: uses.nodes(&persistent.name),
        node_known: look.complete(ATTACHMENTS, None),
        pods: claim.and_then(|claim| uses.pods.get(&claim)).cloned().unwrap_or_default(),
        users_known: claim.is_none_or(|(namespace, _)| look.complete("pods", Some(namespace))),
        claim: claim.map(|(namespace, claim)| format!("{namespace}/{claim}")),
        ..Volume::default()
    })
}

/// Where PersistentVolumes are attached and which Pods mount claims, as Kubernetes has it.
struct Uses<'a> {
    nodes: BTreeMap<&'a str, BTreeSet<&'a str>>,
    /// Pods that have not ended, by namespace and claim.
    pods: BTreeMap<(&'a str, &'a str), Vec<String>>,
}

impl<'a> Uses<'a> {
    fn of(look: InventoryContext<'a>) -> Self {
        let mut uses = Self { nodes: BTreeMap::new(), pods: BTreeMap::new() };
        look.all(ATTACHMENTS).for_each(|attachment| uses.add_attachment(attachment));
        look.all("pods").for_each(|pod| uses.add_pod(pod));
        uses
    }

    fn add_attachment(&mut self, attachment: &'a Resource) {
        let body = attachment.body();
        let persistent = scalar_at(body, &["spec", "source", "persistentVolumeName"]);
        let node = scalar_at(body, &["spec", "nodeName"]).filter(|_| flag(body, &["status", "attached"]) == Some(true));
        if let Some((persistent, node)) = persistent.zip(node) {
            self.nodes.entry(persistent).or_default().insert(node);
        }
    }

    fn add_pod(&mut self, pod: &'a Resource) {
        let ended = matches!(scalar_at(pod.body(), &["status", "phase"]), Some("Succeeded" | "Failed"));
        let Some(namespace) = pod.namespace.as_deref().filter(|_| !ended) else { return };
        let volumes = pod.body().path(&["spec", "volumes"]).into_iter().flat_map(|list| list.items());
        let claims = volumes.filter_map(|volume| scalar_at(volume, &["persistentVolumeClaim", "claimName"]));
        for claim in claims.collect::<BTreeSet<_>>() {
            self.pods.entry((namespace, claim)).or_default().push(format!("{namespace}/{}", pod.name));
        }
    }

    /// Returns the nodes to which a PersistentVolume is attached.
    fn nodes(&self, persistent: &str) -> Option<String> {
        self.nodes.get(persistent).map(|nodes| nodes.iter().copied().collect::<Vec<_>>().join(", "))
    }
}

/// Notes virtual machines whose claims lead to a volume, whether it is attached to them or not.
pub(super) fn note_machines(volumes: &mut [Volume], machines: &[Machine]) {
    let mut users: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for machine in machines {
        for volume in machine.claims.iter().filter_map(|claim| claim.longhorn.as_deref()) {
            users.entry(volume).or_default().push(format!("{}/{}", machine.namespace, machine.name));
        }
    }
    for volume in volumes {
        volume.machines.extend(users.get(volume.name.as_str()).into_iter().flatten().cloned());
        volume.machines.sort();
        volume.machines.dedup();
    }
}

fn name_of(resource: &Resource) -> &str {
    &resource.name
}

fn volume(resource: &Resource, replicas: Vec<Replica>) -> Volume {
    let body = resource.body();
    let bound = body.path(&["status", "kubernetesStatus"]);
    let namespace = bound.and_then(|bound| scalar_at(bound, &["namespace"])).unwrap_or_default();
    let claim = bound.and_then(|bound| scalar_at(bound, &["pvcName"]));
    let (machines, pods) = bound.map(|bound| users(bound, namespace)).unwrap_or_default();
    Volume {
        name: resource.name.to_string(),
        exists: true,
        state: text(resource, &["status", "state"]),
        robustness: text(resource, &["status", "robustness"]),
        size: number(body, &["spec", "size"]),
        actual_size: number(body, &["status", "actualSize"]),
        node: text(resource, &["status", "currentNodeID"]).or_else(|| text(resource, &["spec", "nodeID"])),
        node_known: body.get("status").is_some(),
        wanted: number(body, &["spec", "numberOfReplicas"]),
        replicas,
        claim: claim.map(|claim| format!("{namespace}/{claim}")),
        machines,
        pods,
        users_known: bound.is_some(),
    }
}

/// Returns virtual machines and other Pods that use a volume now; Longhorn keeps former users, with a time.
fn users(bound: Node<'_>, namespace: &str) -> (Vec<String>, Vec<String>) {
    let (mut machines, mut pods) = (Vec::new(), Vec::new());
    let gone = scalar_at(bound, &["lastPodRefAt"]).is_some();
    let users = bound.get("workloadsStatus").filter(|_| !gone);
    for user in users.into_iter().flat_map(|list| list.items()) {
        let named = |key: &str| scalar_at(user, &[key]).map(|name| format!("{namespace}/{name}"));
        if scalar_at(user, &["workloadType"]) == Some(MACHINE) {
            machines.extend(named("workloadName"));
        } else {
            pods.extend(named("podName"));
        }
    }
    machines.sort();
    machines.dedup();
    (machines, pods)
}

fn replica(resource: &Resource) -> Replica {
    let body = resource.body();
    Replica {
        name: resource.name.to_string(),
        node: text(resource, &["spec", "nodeID"]),
        disk: text(resource, &["spec", "diskPath"]),
        state: text(resource, &["status", "currentState"]),
        failed_at: at(body, &["spec", "failedAt"]),
    }
}

/// Lists all disks by node and path.
pub(super) fn disks(look: InventoryContext<'_>) -> Shown<Disk> {
    let setting = look.one("settings.longhorn.io", Some("longhorn-system"), "storage-over-provisioning-percentage");
    let percentage = setting.and_then(|s| number(s.body(), &["value"])).unwrap_or(OVER_PROVISIONING);
    let mut disks: Vec<Disk> = look.all(NODES).flat_map(|node| disks_of(node, percentage)).collect();
    disks.sort_by(|a, b| (&a.node, &a.path).cmp(&(&b.node, &b.path)));
    Shown::first(disks, MOST, look.not_collected(NODES))
}

fn disks_of(node: &Resource, percentage: u64) -> Vec<Disk> {
    let body = node.body();
    let states = body.path(&["status", "diskStatus"]);
    let specified = |name: &str| body.path(&["spec", "disks", name]);
    let disk = |(name, status): (std::borrow::Cow<'_, str>, Node<'_>)| {
        disk(&node.name, &name, specified(&name), status, percentage)
    };
    states.into_iter().flat_map(|all| all.entries()).map(disk).collect()
}

fn disk(node: &str, name: &str, spec: Option<Node<'_>>, status: Node<'_>, percentage: u64) -> Disk {
    let all = conditions(status);
    let why = all.iter().find(|c| condition(std::slice::from_ref(c), &c.name) == Some(false));
    let capacity = number(status, &["storageMaximum"]);
    let reserved = spec.and_then(|spec| number(spec, &["storageReserved"]));
    let room = capacity.map(|all| all.saturating_sub(reserved.unwrap_or(0)));
    let path = spec.and_then(|spec| scalar_at(spec, &["path"])).or_else(|| scalar_at(status, &["diskPath"]));
    Disk {
        node: node.to_owned(),
        path: path.unwrap_or(name).to_owned(),
        ready: condition(&all, "Ready"),
        schedulable: condition(&all, "Schedulable"),
        reason: why.and_then(|c| c.message.clone().or_else(|| c.reason.clone())),
        allowed: spec.and_then(|spec| flag(spec, &["allowScheduling"])),
        capacity,
        available: number(status, &["storageAvailable"]),
        reserved,
        scheduled: number(status, &["storageScheduled"]),
        limit: room.map(|room| u64::try_from(u128::from(room) * u128::from(percentage) / 100).unwrap_or(u64::MAX)),
    }
}
