//! Selects the objects of histories and finds related objects.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::context::{InventoryContext, place, text};
use super::history_sources::HistorySources;
use super::machines::{claim_names, longhorn_name};
use crate::log::LogIndex;
use crate::model::inventory::{Machine, ObjectHistory, Relation, Shown, Volume};
use crate::model::{Finding, ObjectRef, ReportedState};
use crate::resource::Resource;
use crate::resource::scalar_at;

/// Most histories.
const MOST: usize = 300;
/// Most related objects of one kind.
const RELATED: usize = 12;

/// Writes histories within the limit: first for objects of findings, the worst first, then for all nodes, virtual
/// machines and volumes.
pub(super) fn histories(
    look: InventoryContext<'_>,
    logs: &LogIndex,
    findings: &[Finding],
    machines: &[Machine],
    volumes: &[Volume],
) -> Shown<ObjectHistory> {
    let mut worst: Vec<&Finding> = findings.iter().collect();
    worst.sort_by_key(|finding| (Reverse(finding.severity), &finding.rule, &finding.fingerprint));
    let named = worst.into_iter().flat_map(|finding| finding.objects.iter().cloned());
    let nodes = look.all("nodes").map(Resource::object);
    let machines =
        machines.iter().map(|m| ObjectRef::new("kubevirt.io", "VirtualMachine", Some(&m.namespace), &m.name));
    let volumes = volumes.iter().map(|v| ObjectRef::new("longhorn.io", "Volume", Some("longhorn-system"), &v.name));
    let mut subjects = BTreeSet::new();
    let mut left_out = 0;
    for subject in named.chain(nodes).chain(machines).chain(volumes) {
        if subjects.len() < MOST {
            subjects.insert(subject);
        } else if !subjects.contains(&subject) {
            left_out += 1;
        }
    }
    let sources = HistorySources::of(look, logs);
    let histories = subjects.into_iter().map(|subject| history(look, &sources, subject));
    Shown { items: histories.collect(), left_out, not_collected: None }
}

pub(super) fn history(look: InventoryContext<'_>, sources: &HistorySources<'_>, object: ObjectRef) -> ObjectHistory {
    let found = look.resolve(&object);
    let related = found.map(|found| related(look, found)).unwrap_or_default();
    // An instance and its Pods share the lifetime of their machine, Pods that of their workload, replicas that of their
    // volume.
    let own = |relation: Relation| matches!(relation, Relation::Instance | Relation::Pod | Relation::Replica);
    let also: Vec<ObjectRef> = related.iter().filter(|(relation, _)| own(*relation)).map(|(_, o)| o.clone()).collect();
    ObjectHistory {
        place: found.map(place),
        state: found.and_then(state),
        entries: sources.entries(&object, &also),
        related,
        object,
    }
}

/// Returns the state that an object reports.
pub fn state(resource: &Resource) -> Option<ReportedState> {
    let status = |key: &str| text(resource, &["status", key]);
    let word = |key: &str| status(key).map(ReportedState::word);
    match &*resource.kind {
        "VirtualMachine" => word("printableStatus"),
        "Volume" => {
            let words: Vec<String> = [status("state"), status("robustness")].into_iter().flatten().collect();
            (!words.is_empty()).then_some(ReportedState::Words(words))
        }
        "Replica" | "Engine" => word("currentState"),
        "Deployment" | "StatefulSet" | "ReplicaSet" => {
            let wanted = text(resource, &["spec", "replicas"])?;
            Some(ReportedState::Ready { ready: status("readyReplicas").unwrap_or_else(|| "0".to_owned()), wanted })
        }
        "DaemonSet" => {
            Some(ReportedState::Ready { ready: status("numberReady")?, wanted: status("desiredNumberScheduled")? })
        }
        _ => word("phase").or_else(|| word("state")),
    }
}

/// Lists related objects, each once.
fn related(look: InventoryContext<'_>, resource: &Resource) -> Vec<(Relation, ObjectRef)> {
    let mut related = match (&*resource.group, &*resource.kind) {
        ("kubevirt.io", "VirtualMachine" | "VirtualMachineInstance") => of_machine(look, resource),
        ("longhorn.io", "Volume") => of_volume(look, resource),
        ("longhorn.io", "Replica" | "Engine") => volume_and_node(resource),
        ("", "PersistentVolumeClaim") => of_claim(look, resource),
        ("", "PersistentVolume") => of_persistent_volume(look, resource),
        ("", "Pod") => of_pod(look, resource),
        ("apps", "Deployment" | "StatefulSet" | "DaemonSet" | "ReplicaSet") | ("batch", "Job") => {
            pods_of(look, resource, 0).into_iter().take(RELATED).map(|pod| (Relation::Pod, pod.object())).collect()
        }
        _ => Vec::new(),
    };
    related.extend(owners(resource));
    let mut seen = BTreeSet::new();
    related.retain(|(_, object)| *object != resource.object() && seen.insert(object.clone()));
    related
}

fn node(name: &str) -> (Relation, ObjectRef) {
    (Relation::Node, ObjectRef::new("", "Node", None, name))
}

fn of_machine(look: InventoryContext<'_>, machine: &Resource) -> Vec<(Relation, ObjectRef)> {
    let namespace = machine.namespace.as_deref();
    let instance = look.one("virtualmachineinstances.kubevirt.io", namespace, &machine.name);
    let mut related: Vec<_> = instance.map(|instance| (Relation::Instance, instance.object())).into_iter().collect();
    let body = machine.body();
    let spec = body.path(&["spec", "template", "spec"]).or_else(|| body.get("spec"));
    let claims = spec.into_iter().flat_map(claim_names).take(RELATED);
    related.extend(claims.flat_map(|name| claim_and_behind(look, namespace, name)));
    related.extend(instance.and_then(|i| scalar_at(i.body(), &["status", "nodeName"])).map(node));
    related.extend(
        instance.into_iter().flat_map(|i| pods_of(look, i, 0)).take(RELATED).map(|pod| (Relation::Pod, pod.object())),
    );
    related
}

/// Returns a claim, its PersistentVolume and the Longhorn volume of that.
fn claim_and_behind(look: InventoryContext<'_>, namespace: Option<&str>, name: &str) -> Vec<(Relation, ObjectRef)> {
    let claim = ObjectRef::new("", "PersistentVolumeClaim", namespace, name);
    let found = look.one("persistentvolumeclaims", namespace, name);
    let behind = found.map(|claim| of_claim(look, claim)).unwrap_or_default();
    std::iter::once((Relation::Claim, claim)).chain(behind).collect()
}

fn of_claim(look: InventoryContext<'_>, claim: &Resource) -> Vec<(Relation, ObjectRef)> {
    let Some(name) = scalar_at(claim.body(), &["spec", "volumeName"]) else { return Vec::new() };
    let longhorn = look.one("persistentvolumes", None, name).and_then(longhorn_name);
    let volume = longhorn.map(|name| longhorn_volume(&name));
    std::iter::once((Relation::PersistentVolume, ObjectRef::new("", "PersistentVolume", None, name)))
        .chain(volume)
        .collect()
}

fn of_persistent_volume(look: InventoryContext<'_>, volume: &Resource) -> Vec<(Relation, ObjectRef)> {
    let body = volume.body();
    let namespace = scalar_at(body, &["spec", "claimRef", "namespace"]);
    let claim = scalar_at(body, &["spec", "claimRef", "name"]);
    let claim = claim.map(|name| (Relation::Claim, ObjectRef::new("", "PersistentVolumeClaim", namespace, name)));
    let longhorn = longhorn_name(volume);
    let replicas = longhorn.iter().flat_map(|name| replicas(look, name));
    let behind: Vec<_> = longhorn.iter().map(|name| longhorn_volume(name)).chain(replicas).collect();
    claim.into_iter().chain(behind).collect()
}

fn longhorn_volume(name: &str) -> (Relation, ObjectRef) {
    (Relation::Volume, ObjectRef::new("longhorn.io", "Volume", Some("longhorn-system"), name))
}

fn replicas(look: InventoryContext<'_>, volume: &str) -> Vec<(Relation, ObjectRef)> {
    let of_it =
        look.all("replicas.longhorn.io").filter(|r| scalar_at(r.body(), &["spec", "volumeName"]) == Some(volume));
    of_it.take(RELATED).map(|replica| (Relation::Replica, replica.object())).collect()
}

fn of_volume(look: InventoryContext<'_>, volume: &Resource) -> Vec<(Relation, ObjectRef)> {
    let bound = volume.body().path(&["status", "kubernetesStatus"]);
    let told = |key: &str| bound.and_then(|bound| scalar_at(bound, &[key]));
    let claim = told("pvcName").map(|name| ObjectRef::new("", "PersistentVolumeClaim", told("namespace"), name));
    let persistent = told("pvName").map(|name| ObjectRef::new("", "PersistentVolume", None, name));
    let mut related: Vec<_> = claim.map(|claim| (Relation::Claim, claim)).into_iter().collect();
    related.extend(persistent.map(|volume| (Relation::PersistentVolume, volume)));
    related.extend(replicas(look, &volume.name));
    related.extend(scalar_at(volume.body(), &["status", "currentNodeID"]).map(node));
    related
}

fn volume_and_node(resource: &Resource) -> Vec<(Relation, ObjectRef)> {
    let volume = scalar_at(resource.body(), &["spec", "volumeName"]).map(longhorn_volume);
    volume.into_iter().chain(scalar_at(resource.body(), &["spec", "nodeID"]).map(node)).collect()
}

fn of_pod(look: InventoryContext<'_>, pod: &Resource) -> Vec<(Relation, ObjectRef)> {
    let volumes = pod.body().path(&["spec", "volumes"]);
    let claims = volumes.into_iter().flat_map(|list| list.items());
    let claims = claims.filter_map(|volume| scalar_at(volume, &["persistentVolumeClaim", "claimName"])).take(RELATED);
    let behind = claims.flat_map(|name| claim_and_behind(look, pod.namespace.as_deref(), name));
    behind.chain(scalar_at(pod.body(), &["spec", "nodeName"]).map(node)).collect()
}

/// Lists Pods that a workload owns, directly or through a ReplicaSet.
pub(super) fn pods_of<'a>(look: InventoryContext<'a>, owner: &Resource, depth: u8) -> Vec<&'a Resource> {
    let owned = owner.uid.as_deref().map(|uid| look.resources.owned_by(uid)).unwrap_or_default();
    look.resources
        .each(owned)
        .flat_map(|resource| match &*resource.kind {
            "Pod" => vec![resource],
            "ReplicaSet" if depth == 0 => pods_of(look, resource, 1),
            _ => Vec::new(),
        })
        .collect()
}

/// Lists the owners that the object names.
fn owners(resource: &Resource) -> Vec<(Relation, ObjectRef)> {
    let list = resource.body().path(&["metadata", "ownerReferences"]);
    let owner = |node| {
        let group = scalar_at(node, &["apiVersion"])?.rsplit_once('/').map_or("", |(group, _)| group);
        let (kind, name) = (scalar_at(node, &["kind"])?, scalar_at(node, &["name"])?);
        // An owner is in the same namespace or cluster-scoped.
        let namespaced = crate::resource::types::known_kind(group, kind).is_none_or(|known| known.namespaced);
        let namespace = resource.namespace.as_deref().filter(|_| namespaced);
        Some((Relation::Owner, ObjectRef::new(group, kind, namespace, name)))
    };
    list.into_iter().flat_map(|list| list.items()).filter_map(owner).take(RELATED).collect()
}
