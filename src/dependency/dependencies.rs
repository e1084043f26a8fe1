//! The direct dependencies of one component.

use super::edge::Dependency;
use super::lookup::Lookup;
use super::{machine, node, release, service, storage, workload};
use crate::model::{Component, NodePart};
use crate::resource::Resource;

/// Returns what a component depends on directly.
pub fn of(look: &Lookup<'_>, component: &Component) -> Vec<Dependency> {
    match component {
        Component::Object(object) => look.find(object).map_or_else(Vec::new, |resource| of_resource(look, resource)),
        Component::Node { node, part } => node::of_part(look, node, *part),
        Component::Cluster(service) => node::of_service(look, *service),
    }
}

fn of_resource(look: &Lookup<'_>, resource: &Resource) -> Vec<Dependency> {
    let mut found = of_object(look, resource);
    found.extend(service::of_refused(look, resource));
    found
}

fn of_object(look: &Lookup<'_>, resource: &Resource) -> Vec<Dependency> {
    match (&*resource.group, &*resource.kind) {
        ("", "Node") => vec![Dependency::part(&resource.name, NodePart::Kubelet, "metadata.name")],
        ("", "Pod") => workload::of_pod(look, resource),
        ("apps" | "batch", _) => workload::of_controller(look, resource),
        ("", "PersistentVolumeClaim") => storage::of_claim(look, resource),
        ("", "PersistentVolume") => storage::of_persistent_volume(resource),
        ("storage.k8s.io", "VolumeAttachment") => storage::of_attachment(resource),
        ("longhorn.io", kind) => storage::of_longhorn(look, resource, kind),
        ("", "Service") => service::of_service(look, resource),
        ("policy", "PodDisruptionBudget") => service::of_budget(look, resource),
        ("admissionregistration.k8s.io", _) => service::of_webhooks(resource),
        ("apiregistration.k8s.io", "APIService") => service::of_api_service(resource),
        ("apiextensions.k8s.io", "CustomResourceDefinition") => service::of_definition(resource),
        ("kubevirt.io", "VirtualMachine") => machine::of_machine(resource),
        ("kubevirt.io", "VirtualMachineInstance") => machine::of_instance(look, resource),
        ("kubevirt.io", "VirtualMachineInstanceMigration") => machine::of_migration(resource),
        ("cdi.kubevirt.io", "DataVolume") => machine::of_data_volume(look, resource),
        ("cluster.x-k8s.io", "Machine") => machine::of_cluster_machine(resource),
        _ => release::of_release(look, resource),
    }
}
