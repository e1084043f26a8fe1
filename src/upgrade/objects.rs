//! Answers of official checks that no rule gives, from the objects themselves.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::ObjectRef;
use crate::model::inventory::{Shown, Upgrade};
use crate::model::message::Reason;
use crate::resource::{Collected, Resource, ResourceIndex, TypeName, scalar_at};
use crate::yaml::Node;

const BUNDLES: &str = "bundles.fleet.cattle.io";

/// Objects that fail a check, and reasons why there may be others.
#[derive(Default)]
pub(super) struct Answer {
    pub failing: BTreeSet<ObjectRef>,
    pub open: Vec<Reason>,
}

/// Answers the check of an id.
pub(super) fn answer(id: &str, resources: &ResourceIndex, upgrades: &Shown<Upgrade>) -> Answer {
    match id {
        "previous-upgrade" => previous(upgrades),
        "volumes-healthy" => short_of_replicas(resources),
        "harvester-bundle" => harvester_bundle(resources),
        "helm-bundles" => helm_bundles(resources),
        "live-migration" => node_affinity(resources),
        "pods" => unready_pods(resources),
        _ => Answer::default(),
    }
}

/// Returns true for an upgrade that keeps Harvester from starting another one.
pub(super) fn is_unfinished(upgrade: &Upgrade) -> bool {
    !matches!(upgrade.state.as_deref(), Some("Succeeded" | "Failed"))
}

fn previous(upgrades: &Shown<Upgrade>) -> Answer {
    let unfinished = upgrades.items.iter().filter(|upgrade| is_unfinished(upgrade));
    let object =
        |upgrade: &Upgrade| ObjectRef::new("harvesterhci.io", "Upgrade", Some(&upgrade.namespace), &upgrade.name);
    Answer { failing: unfinished.map(object).collect(), open: upgrades.not_collected.iter().cloned().collect() }
}

/// Detached volumes with fewer replicas than wanted; attached ones are degraded then, which a rule finds.
fn short_of_replicas(resources: &ResourceIndex) -> Answer {
    let mut replicas: BTreeMap<&str, i64> = BTreeMap::new();
    for replica in resources.all("replicas.longhorn.io") {
        if let Some(volume) = scalar_at(replica.body(), &["spec", "volumeName"]) {
            *replicas.entry(volume).or_default() += 1;
        }
    }
    let is_short = |volume: &&Resource| {
        let body = volume.body();
        let wanted = scalar_at(body, &["spec", "numberOfReplicas"]).and_then(|n| n.parse::<i64>().ok());
        let detached = scalar_at(body, &["status", "state"]) == Some("detached");
        let has = replicas.get(&*volume.name).copied().unwrap_or_default();
        // A volume with one replica is a check of its own, and one that was never attached has none yet.
        detached && has > 0 && wanted.is_some_and(|wanted| wanted > 1 && has < wanted)
    };
    Answer {
        failing: resources.all("volumes.longhorn.io").filter(is_short).map(Resource::object).collect(),
        open: missing(resources, &["volumes.longhorn.io", "replicas.longhorn.io"]),
    }
}

/// The script wants a summary of exactly `desiredReady: 1` and `ready: 1`.
fn harvester_bundle(resources: &ResourceIndex) -> Answer {
    let bundle = resources.all(BUNDLES).find(|bundle| is_of_harvester(bundle));
    let Some(bundle) = bundle else {
        let open = missing(resources, &[BUNDLES]);
        let absent = ObjectRef::new("fleet.cattle.io", "Bundle", Some("fleet-local"), "mcc-harvester");
        return Answer { failing: open.is_empty().then_some(absent).into_iter().collect(), open };
    };
    let summary = bundle.body().path(&["status", "summary"]);
    let told: BTreeMap<String, &str> = summary
        .into_iter()
        .flat_map(|summary| summary.entries())
        .map(|(key, value)| (key.into_owned(), value.text()))
        .collect();
    let ready = told.len() == 2 && ["desiredReady", "ready"].iter().all(|key| told.get(*key) == Some(&"1"));
    Answer { failing: (!ready).then(|| bundle.object()).into_iter().collect(), open: Vec::new() }
}

/// Bundles that a managed chart made, too, which the rule leaves to another one.
fn helm_bundles(resources: &ResourceIndex) -> Answer {
    let has_helm = |bundle: &Resource| bundle.body().path(&["spec", "helm"]).is_some_and(|helm| !helm.is_null());
    let ready_nowhere = |bundle: &Resource| scalar_at(bundle.body(), &["status", "summary", "ready"]) == Some("0");
    let failing = resources
        .all(BUNDLES)
        .filter(|bundle| !is_of_harvester(bundle) && has_helm(bundle) && ready_nowhere(bundle))
        .map(Resource::object);
    Answer { failing: failing.collect(), open: missing(resources, &[BUNDLES]) }
}

fn is_of_harvester(bundle: &Resource) -> bool {
    &*bundle.name == "mcc-harvester" && bundle.namespace.as_deref() == Some("fleet-local")
}

/// The webhook compares required node affinity with the labels of each node; the rules do not.
fn node_affinity(resources: &ResourceIndex) -> Answer {
    let required = ["spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"];
    let machines = resources.all("virtualmachineinstances.kubevirt.io");
    let bound = machines.filter(|machine| machine.body().path(&required).is_some_and(|affinity| !affinity.is_null()));
    let first = bound.map(Resource::object).min();
    Answer {
        failing: BTreeSet::new(),
        open: first.into_iter().map(|object| Reason::NodeAffinityNotCompared { object }).collect(),
    }
}

/// As the script asks: condition Ready is False for another reason than PodCompleted.
fn unready_pods(resources: &ResourceIndex) -> Answer {
    let mut answer = Answer { failing: BTreeSet::new(), open: missing(resources, &["pods"]) };
    for pod in resources.all("pods") {
        let conditions = pod.body().path(&["status", "conditions"]);
        let mut conditions = conditions.into_iter().flat_map(|list| list.items());
        let ready = conditions.find(|condition| scalar_at(*condition, &["type"]) == Some("Ready"));
        match ready {
            Some(ready) if is_unready(ready) => {
                answer.failing.insert(pod.object());
            }
            None if pod.partial => answer.open.push(Reason::FieldNotStated {
                field: "status.conditions".to_owned(),
                object: Box::new(pod.object()),
                entry: pod.entry.to_string(),
            }),
            _ => {}
        }
    }
    answer.open.truncate(1);
    answer
}

fn is_unready(ready: Node<'_>) -> bool {
    scalar_at(ready, &["status"]) == Some("False") && scalar_at(ready, &["reason"]) != Some("PodCompleted")
}

fn missing(resources: &ResourceIndex, names: &[&str]) -> Vec<Reason> {
    let reason = |name: &&str| match resources.collected_by_name(&TypeName::parse(name), None) {
        Collected::No(reason) => Some(reason),
        Collected::Yes | Collected::Empty => None,
    };
    names.iter().filter_map(reason).collect()
}
