//! What lies between a virtual machine and its disks, from the machine down, with what is in trouble and since when.

use std::collections::{BTreeSet, HashMap};

use jiff::Timestamp;

use super::context::{InventoryContext, at, condition, conditions, text};
use super::histories::{pods_of, state};
use super::machines::{claim_names, longhorn_name};
use crate::model::inventory::{Condition, Link, Machine};
use crate::model::{ObjectRef, ReportedState};
use crate::resource::{Resource, scalar_at};
use crate::yaml::Node;

/// Most objects of one story; machines with many disks have long ones.
const MOST: usize = 60;
const LS: Option<&str> = Some("longhorn-system");

/// Engines and replicas of Longhorn by their volume.
struct VolumeParts<'a> {
    engines: ByVolume<'a>,
    replicas: ByVolume<'a>,
}

type ByVolume<'a> = HashMap<&'a str, Vec<&'a Resource>>;

fn by_volume<'a>(look: InventoryContext<'a>, kind: &str) -> ByVolume<'a> {
    let mut found = ByVolume::new();
    for part in look.all(kind) {
        if let Some(volume) = scalar_at(part.body(), &["spec", "volumeName"]) {
            found.entry(volume).or_default().push(part);
        }
    }
    found
}

/// Sets the stories of virtual machines.
pub(super) fn note(look: InventoryContext<'_>, machines: &mut [Machine]) {
    let parts = VolumeParts {
        engines: by_volume(look, "engines.longhorn.io"),
        replicas: by_volume(look, "replicas.longhorn.io"),
    };
    for machine in machines {
        machine.story = of_machine(look, &parts, &machine.namespace, &machine.name);
    }
}

/// Returns the chain of a machine; empty if nothing on it is in trouble.
fn of_machine(look: InventoryContext<'_>, parts: &VolumeParts<'_>, namespace: &str, name: &str) -> Vec<Link> {
    let namespace = Some(namespace);
    let machine = look.one("virtualmachines.kubevirt.io", namespace, name);
    let instance = look.one("virtualmachineinstances.kubevirt.io", namespace, name);
    let mut links: Vec<Link> = machine.map(of_virtual_machine).into_iter().chain(instance.map(of_instance)).collect();
    let launchers = instance.into_iter().flat_map(|instance| pods_of(look, instance, 0));
    links.extend(launchers.filter(|pod| scalar_at(pod.body(), &["status", "phase"]) != Some("Succeeded")).map(of_pod));
    let body = machine.or(instance).map(Resource::body);
    let spec = body.and_then(|body| body.path(&["spec", "template", "spec"]).or_else(|| body.get("spec")));
    let mut nodes: BTreeSet<String> = instance.and_then(|of| text(of, &["status", "nodeName"])).into_iter().collect();
    for claim in spec.into_iter().flat_map(claim_names) {
        links.extend(storage(look, parts, (namespace, claim), &mut nodes));
    }
    links.extend(nodes.iter().filter_map(|node| look.one("nodes", None, node)).map(of_node));
    links.truncate(MOST);
    if links.iter().any(|link| link.broken) { links } else { Vec::new() }
}

/// Returns a claim and what is behind it: Longhorn's volume with its image, engine, replicas and their disks.
fn storage(
    look: InventoryContext<'_>,
    parts: &VolumeParts<'_>,
    (namespace, claim): (Option<&str>, &str),
    nodes: &mut BTreeSet<String>,
) -> Vec<Link> {
    let object = ObjectRef::new("", "PersistentVolumeClaim", namespace, claim);
    let Some(found) = look.one("persistentvolumeclaims", namespace, claim) else {
        let missing = look.complete("persistentvolumeclaims", namespace);
        return vec![Link { broken: missing, ..Link::of(object) }];
    };
    let mut links =
        vec![Link { broken: scalar_at(found.body(), &["status", "phase"]) != Some("Bound"), ..link(found) }];
    let persistent = scalar_at(found.body(), &["spec", "volumeName"]);
    let persistent = persistent.and_then(|name| look.one("persistentvolumes", None, name));
    let Some(name) = persistent.and_then(longhorn_name) else { return links };
    let Some(volume) = look.one("volumes.longhorn.io", LS, &name) else {
        let missing = look.complete("volumes.longhorn.io", LS);
        links.push(Link { broken: missing, ..Link::of(ObjectRef::new("longhorn.io", "Volume", LS, &name)) });
        return links;
    };
    let replicas = parts.replicas.get(&*name).map(Vec::as_slice).unwrap_or_default();
    let engines = parts.engines.get(&*name).map(Vec::as_slice).unwrap_or_default();
    links.push(of_volume(volume, replicas));
    let image = scalar_at(volume.body(), &["spec", "backingImage"]).filter(|image| !image.is_empty());
    links.extend(image.and_then(|image| look.one("backingimages.longhorn.io", LS, image)).map(of_image));
    links.extend(engines.iter().copied().map(of_engine));
    links.extend(replicas.iter().copied().map(of_replica));
    links.extend(replicas.iter().filter_map(|replica| of_disk(look, replica)));
    nodes.extend(replicas.iter().filter_map(|replica| text(replica, &["spec", "nodeID"])));
    links
}

fn link(resource: &Resource) -> Link {
    Link { state: state(resource), ..Link::of(resource.object()) }
}

fn all_conditions(resource: &Resource) -> Vec<Condition> {
    resource.body().get("status").map(conditions).unwrap_or_default()
}

/// Returns the time at which a condition changed, if it has that status now.
fn changed(conditions: &[Condition], name: &str, to: Option<bool>) -> Option<Timestamp> {
    let found = conditions.iter().find(|condition| condition.name == name)?;
    (condition(conditions, name) == to).then_some(found.at)?
}

fn of_virtual_machine(machine: &Resource) -> Link {
    let conditions = all_conditions(machine);
    let well = matches!(
        scalar_at(machine.body(), &["status", "printableStatus"]),
        Some("Running" | "Stopped" | "Migrating") | None
    );
    let halted = scalar_at(machine.body(), &["status", "printableStatus"]) == Some("Stopped");
    let unready = !halted && condition(&conditions, "Ready") == Some(false);
    Link { broken: !well || unready, since: changed(&conditions, "Ready", Some(false)), ..link(machine) }
}

fn of_instance(instance: &Resource) -> Link {
    let conditions = all_conditions(instance);
    let phase = scalar_at(instance.body(), &["status", "phase"]);
    let paused = condition(&conditions, "Paused") == Some(true);
    let well =
        matches!(phase, Some("Running" | "Succeeded")) && condition(&conditions, "Ready") != Some(false) && !paused;
    let since = changed(&conditions, "Paused", Some(true)).or_else(|| changed(&conditions, "Ready", Some(false)));
    let shown = if paused { Some(ReportedState::Words(vec!["Paused".to_owned()])) } else { state(instance) };
    Link { broken: !well, since, state: shown, ..Link::of(instance.object()) }
}

/// A launcher: a container that ended says when, else the condition of the pod.
fn of_pod(pod: &Resource) -> Link {
    let conditions = all_conditions(pod);
    let statuses = pod.body().path(&["status", "containerStatuses"]);
    let mut ends = statuses.into_iter().flat_map(Node::items);
    let ended = ends.find_map(|status| at(status, &["state", "terminated", "finishedAt"]));
    let well = scalar_at(pod.body(), &["status", "phase"]) == Some("Running")
        && condition(&conditions, "Ready") != Some(false);
    Link { broken: !well, since: ended.or_else(|| changed(&conditions, "Ready", Some(false))), ..link(pod) }
}

/// A volume without a usable replica says no time: it broke with the last of them.
fn of_volume(volume: &Resource, replicas: &[&Resource]) -> Link {
    let body = volume.body();
    let robustness = scalar_at(body, &["status", "robustness"]);
    let attached = scalar_at(body, &["status", "state"]) != Some("detached");
    let broken = matches!(robustness, Some("faulted" | "degraded")) || attached && robustness == Some("unknown");
    let failed = replicas.iter().filter_map(|replica| at(replica.body(), &["spec", "failedAt"])).max();
    let since = if robustness == Some("faulted") { failed } else { at(body, &["status", "lastDegradedAt"]) };
    Link { broken, since: since.filter(|_| broken), ..link(volume) }
}

/// A backing image is in trouble if no disk has its file.
fn of_image(image: &Resource) -> Link {
    let files = image.body().path(&["status", "diskFileStatusMap"]);
    let files: Vec<Node<'_>> = files.into_iter().flat_map(|map| map.entries()).map(|(_, file)| file).collect();
    let bad =
        |file: &&Node<'_>| matches!(scalar_at(**file, &["state"]), Some("failed" | "failed-and-cleanup" | "unknown"));
    let broken = !files.is_empty() && files.iter().all(|file| bad(&file));
    let since = files.iter().filter_map(|file| at(*file, &["lastStateTransitionTime"])).min();
    Link { broken, since: since.filter(|_| broken), ..link(image) }
}

fn of_engine(engine: &Resource) -> Link {
    let wanted = scalar_at(engine.body(), &["spec", "desireState"]);
    let is = scalar_at(engine.body(), &["status", "currentState"]);
    Link {
        broken: matches!(is, Some("error" | "unknown")) || wanted == Some("running") && is != wanted,
        ..link(engine)
    }
}

fn of_replica(replica: &Resource) -> Link {
    let failed = at(replica.body(), &["spec", "failedAt"]);
    let lost = matches!(scalar_at(replica.body(), &["status", "currentState"]), Some("error" | "unknown"));
    Link { broken: failed.is_some() || lost, since: failed, ..link(replica) }
}

/// Returns the disk of a replica, as its Longhorn node reports it.
fn of_disk(look: InventoryContext<'_>, replica: &Resource) -> Option<Link> {
    let node = look.one("nodes.longhorn.io", LS, scalar_at(replica.body(), &["spec", "nodeID"])?)?;
    let id = scalar_at(replica.body(), &["spec", "diskID"])?;
    let disks = node.body().path(&["status", "diskStatus"]);
    let (name, disk) = disks
        .into_iter()
        .flat_map(|disks| disks.entries())
        .find(|(_, disk)| scalar_at(*disk, &["diskUUID"]) == Some(id))?;
    let conditions = conditions(disk);
    let ready = condition(&conditions, "Ready");
    let word = ready.map(|ready| if ready { "ready" } else { "not ready" }.to_owned());
    Some(Link {
        disk: scalar_at(node.body(), &["spec", "disks", &*name, "path"]).or(Some(&*name)).map(str::to_owned),
        state: word.map(ReportedState::word),
        broken: ready == Some(false),
        since: changed(&conditions, "Ready", Some(false)),
        ..Link::of(node.object())
    })
}

fn of_node(node: &Resource) -> Link {
    let conditions = all_conditions(node);
    let ready = condition(&conditions, "Ready");
    let known = conditions.iter().find(|condition| condition.name == "Ready");
    let word = known.map(|_| if ready == Some(true) { "Ready" } else { "not ready" }.to_owned());
    let broken = known.is_some() && ready != Some(true);
    let since = known.and_then(|ready| ready.at).filter(|_| broken);
    Link { state: word.map(ReportedState::word), broken, since, ..Link::of(node.object()) }
}
