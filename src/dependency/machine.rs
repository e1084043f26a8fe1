//! Virtual machines of KubeVirt with their disks, and machines of Cluster API.

use super::edge::Dependency;
use super::lookup::{Lookup, items, text};
use crate::model::NodePart;
use crate::resource::{Resource, scalar_at};

const KUBEVIRT: &str = "kubevirt.io";

/// A virtual machine depends on its instance and its disks.
pub fn of_machine(machine: &Resource) -> Vec<Dependency> {
    let namespace = machine.namespace.as_deref();
    let instance = Dependency::named(KUBEVIRT, "VirtualMachineInstance", namespace, &machine.name, "metadata.name");
    let disks = disks(machine, &["spec", "template", "spec", "volumes"]);
    std::iter::once(instance).chain(disks).collect()
}

/// An instance depends on its node, its launcher and its disks.
pub fn of_instance(look: &Lookup<'_>, instance: &Resource) -> Vec<Dependency> {
    let node = text(instance, &["status", "nodeName"]);
    let node = node.map(|node| Dependency::part(node, NodePart::Kubelet, "status.nodeName"));
    let launchers = look.owned_by(instance).filter(|owned| (&*owned.group, &*owned.kind) == ("", "Pod"));
    let launchers = launchers.filter(|pod| !look.is_well(pod));
    let launchers = launchers.map(|pod| Dependency::object(pod, "metadata.ownerReferences"));
    let disks = disks(instance, &["spec", "volumes"]);
    node.into_iter().chain(launchers).chain(disks).collect()
}

fn disks(resource: &Resource, place: &[&str]) -> Vec<Dependency> {
    let namespace = resource.namespace.as_deref();
    let of_volume = |volume| {
        let claim = scalar_at(volume, &["persistentVolumeClaim", "claimName"]);
        let filled = || scalar_at(volume, &["dataVolume", "name"]);
        let name = claim.or_else(filled)?;
        Some(Dependency::named("", "PersistentVolumeClaim", namespace, name, "spec.volumes"))
    };
    items(resource, place).filter_map(of_volume).collect()
}

pub fn of_migration(migration: &Resource) -> Vec<Dependency> {
    let instance = text(migration, &["spec", "vmiName"]);
    let of = |name| {
        Dependency::named(KUBEVIRT, "VirtualMachineInstance", migration.namespace.as_deref(), name, "spec.vmiName")
    };
    instance.map(of).into_iter().collect()
}

/// A data volume depends on its claim and on the pod that fills it.
pub fn of_data_volume(look: &Lookup<'_>, volume: &Resource) -> Vec<Dependency> {
    let namespace = volume.namespace.as_deref();
    let claim = Dependency::named("", "PersistentVolumeClaim", namespace, &volume.name, "metadata.name");
    let importer = look.one("pods", namespace, &format!("importer-{}", volume.name)).filter(|pod| !look.is_well(pod));
    let importer = importer.map(|pod| Dependency::object(pod, "metadata.name"));
    std::iter::once(claim).chain(importer).collect()
}

/// A machine of Cluster API depends on the node that it became.
pub fn of_cluster_machine(machine: &Resource) -> Vec<Dependency> {
    let node = text(machine, &["status", "nodeRef", "name"]);
    node.map(|node| Dependency::part(node, NodePart::Kubelet, "status.nodeRef")).into_iter().collect()
}
