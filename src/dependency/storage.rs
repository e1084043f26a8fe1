//! Claims, persistent volumes, and Longhorn's objects behind them.

use super::edge::Dependency;
use super::lookup::{Lookup, text};
use crate::model::NodePart;
use crate::resource::Resource;

const DRIVER: &str = "driver.longhorn.io";
const GROUP: &str = "longhorn.io";
/// Label of engines and replicas with the name of their volume.
const VOLUME_LABEL: &str = "longhornvolume";

pub fn of_claim(look: &Lookup<'_>, claim: &Resource) -> Vec<Dependency> {
    let volume = text(claim, &["spec", "volumeName"]);
    let mut found: Vec<Dependency> = volume
        .map(|name| Dependency::named("", "PersistentVolume", None, name, "spec.volumeName"))
        .into_iter()
        .collect();
    // A claim is filled by a data volume of its name.
    let filler = look.one("datavolumes.cdi.kubevirt.io", claim.namespace.as_deref(), &claim.name);
    found.extend(filler.and_then(|_| importer(look, claim)));
    found
}

/// The pod that imports, uploads or clones into a claim.
fn importer(look: &Lookup<'_>, claim: &Resource) -> Option<Dependency> {
    let pod =
        look.owned_by(claim).find(|owned| (&*owned.group, &*owned.kind) == ("", "Pod") && !look.is_well(owned))?;
    Some(Dependency::object(pod, "metadata.ownerReferences"))
}

pub fn of_persistent_volume(volume: &Resource) -> Vec<Dependency> {
    let of_longhorn = text(volume, &["spec", "csi", "driver"]) == Some(DRIVER);
    let handle = text(volume, &["spec", "csi", "volumeHandle"]).filter(|_| of_longhorn);
    handle.map(|name| longhorn("Volume", name, "spec.csi.volumeHandle")).into_iter().collect()
}

/// Returns whether the volume of a claim is one of Longhorn.
pub fn is_of_longhorn(look: &Lookup<'_>, namespace: Option<&str>, claim: &str) -> bool {
    let volume =
        look.one("persistentvolumeclaims", namespace, claim).and_then(|claim| text(claim, &["spec", "volumeName"]));
    let volume = volume.and_then(|name| look.one("persistentvolumes", None, name));
    volume.is_some_and(|volume| text(volume, &["spec", "csi", "driver"]) == Some(DRIVER))
}

pub fn of_attachment(attachment: &Resource) -> Vec<Dependency> {
    let volume = text(attachment, &["spec", "source", "persistentVolumeName"])
        .map(|name| Dependency::named("", "PersistentVolume", None, name, "spec.source.persistentVolumeName"));
    let node = text(attachment, &["spec", "nodeName"]);
    let node = node.map(|node| Dependency::part(node, NodePart::Kubelet, "spec.nodeName"));
    volume.into_iter().chain(node).collect()
}

/// Dependencies of an object of Longhorn.
pub fn of_longhorn(look: &Lookup<'_>, resource: &Resource, kind: &str) -> Vec<Dependency> {
    let storage_of = |keys: &[&str], by| text(resource, keys).map(|node| Dependency::part(node, NodePart::Storage, by));
    let one = |found: Option<Dependency>| found.into_iter().collect();
    match kind {
        "Volume" => of_volume(look, resource),
        "Engine" | "Replica" | "BackingImageManager" => one(storage_of(&["spec", "nodeID"], "spec.nodeID")),
        "InstanceManager" => of_instance_manager(resource),
        "Node" => of_node(look, resource),
        "ShareManager" => one(of_share_manager(look, resource)),
        "Snapshot" => one(text(resource, &["spec", "volume"]).map(|name| longhorn("Volume", name, "spec.volume"))),
        "BackupVolume" | "Backup" | "SystemBackup" => {
            let target = text(resource, &["status", "backupTargetName"])
                .or_else(|| text(resource, &["spec", "backupTargetName"]))
                .unwrap_or("default");
            vec![longhorn("BackupTarget", target, "backupTargetName")]
        }
        _ => Vec::new(),
    }
}

fn longhorn(kind: &str, name: &str, by: &'static str) -> Dependency {
    Dependency::named(GROUP, kind, Some("longhorn-system"), name, by)
}

/// A volume depends on the node that it is attached to, on what attaches it while that goes on, and on those engines and replicas that do not
/// run.
fn of_volume(look: &Lookup<'_>, volume: &Resource) -> Vec<Dependency> {
    let attached = text(volume, &["status", "currentNodeID"]).or_else(|| text(volume, &["spec", "nodeID"]));
    let attached = attached.map(|node| Dependency::part(node, NodePart::Storage, "status.currentNodeID"));
    let target = text(volume, &["spec", "nodeID"]).filter(|_| text(volume, &["status", "state"]) == Some("attaching"));
    let target = target.map(|node| Dependency::part(node, NodePart::Attach, "spec.nodeID"));
    let parts = ["engines.longhorn.io", "replicas.longhorn.io"].into_iter();
    let parts = parts.flat_map(|name| parts_of(look, name, &volume.name)).filter(|part| !look.is_well(part));
    let parts = parts.map(|part| Dependency::object(part, "spec.volumeName"));
    let share = look.one("sharemanagers.longhorn.io", volume.namespace.as_deref(), &volume.name);
    let share = share.filter(|share| !look.is_well(share));
    let share = share.map(|share| Dependency::object(share, "metadata.name"));
    attached.into_iter().chain(target).chain(parts).chain(share).collect()
}

/// Engines or replicas of a volume. Dumps of rule tests and tables have no labels.
fn parts_of<'i>(look: &Lookup<'i>, name: &'static str, volume: &str) -> Vec<&'i Resource> {
    let labelled: Vec<&Resource> = look.labelled(name, VOLUME_LABEL, volume).collect();
    match labelled.is_empty() {
        false => labelled,
        true => look.with_field(name, &["spec", "volumeName"], volume),
    }
}

/// A node of Longhorn is ready while its manager runs.
fn of_node(look: &Lookup<'_>, node: &Resource) -> Vec<Dependency> {
    let storage = Dependency::part(&node.name, NodePart::Storage, "metadata.name");
    let pods = look.labelled_in("pods", node.namespace.as_deref(), "app", "longhorn-manager");
    let own = pods.filter(|pod| text(pod, &["spec", "nodeName"]) == Some(&node.name) && !look.is_well(pod));
    std::iter::once(storage).chain(own.map(|pod| Dependency::object(pod, "manager of the node"))).collect()
}

fn of_instance_manager(manager: &Resource) -> Vec<Dependency> {
    let node = text(manager, &["spec", "nodeID"]).map(|node| Dependency::part(node, NodePart::Kubelet, "spec.nodeID"));
    let pod = Dependency::named("", "Pod", manager.namespace.as_deref(), &manager.name, "metadata.name");
    node.into_iter().chain([pod]).collect()
}

/// A share manager depends on its pod, which serves the volume over NFS.
fn of_share_manager(look: &Lookup<'_>, share: &Resource) -> Option<Dependency> {
    let pod = look.one("pods", share.namespace.as_deref(), &format!("share-manager-{}", share.name))?;
    (!look.is_well(pod)).then(|| Dependency::object(pod, "metadata.name"))
}
