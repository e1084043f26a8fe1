//! Claims, persistent volumes, and Longhorn's objects behind them.

use super::edge::Dependency;
use super::lookup::{Lookup, is_well, text};
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
    let pod = look.owned_by(claim).find(|owned| (&*owned.group, &*owned.kind) == ("", "Pod") && !is_well(owned))?;
    Some(Dependency::object(pod, "metadata.ownerReferences"))
}

pub fn of_persistent_volume(volume: &Resource) -> Vec<Dependency> {
    let of_longhorn = text(volume, &["spec", "csi", "driver"]) == Some(DRIVER);
    let handle = text(volume, &["spec", "csi", "volumeHandle"]).filter(|_| of_longhorn);
    handle.map(|name| longhorn("Volume", name, "spec.csi.volumeHandle")).into_iter().collect()
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
        "Node" => vec![Dependency::part(&resource.name, NodePart::Storage, "metadata.name")],
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

/// A volume depends on the node that it is attached to, and on those engines and replicas that do not run.
fn of_volume(look: &Lookup<'_>, volume: &Resource) -> Vec<Dependency> {
    let attached = text(volume, &["status", "currentNodeID"]).or_else(|| text(volume, &["spec", "nodeID"]));
    let attached = attached.map(|node| Dependency::part(node, NodePart::Storage, "status.currentNodeID"));
    let parts = ["engines.longhorn.io", "replicas.longhorn.io"].into_iter();
    let parts = parts.flat_map(|name| parts_of(look, name, &volume.name)).filter(|part| !is_well(part));
    let parts = parts.map(|part| Dependency::object(part, "spec.volumeName"));
    let share = look.one("sharemanagers.longhorn.io", volume.namespace.as_deref(), &volume.name);
    let share = share.filter(|share| !is_well(share));
    let share = share.map(|share| Dependency::object(share, "metadata.name"));
    attached.into_iter().chain(parts).chain(share).collect()
}

/// Engines or replicas of a volume. Dumps of rule tests and tables have no labels.
fn parts_of<'i>(look: &Lookup<'i>, name: &'static str, volume: &str) -> Vec<&'i Resource> {
    let labelled: Vec<&Resource> = look.labelled(name, VOLUME_LABEL, volume).collect();
    match labelled.is_empty() {
        false => labelled,
        true => look.with_field(name, &["spec", "volumeName"], volume),
    }
}

fn of_instance_manager(manager: &Resource) -> Vec<Dependency> {
    let node = text(manager, &["spec", "nodeID"]).map(|node| Dependency::part(node, NodePart::Kubelet, "spec.nodeID"));
    let pod = Dependency::named("", "Pod", manager.namespace.as_deref(), &manager.name, "metadata.name");
    node.into_iter().chain([pod]).collect()
}

/// A share manager depends on its pod, which serves the volume over NFS.
fn of_share_manager(look: &Lookup<'_>, share: &Resource) -> Option<Dependency> {
    let pod = look.one("pods", share.namespace.as_deref(), &format!("share-manager-{}", share.name))?;
    (!is_well(pod)).then(|| Dependency::object(pod, "metadata.name"))
}
