//! What of a bundle is compared.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::expr::{Value, World, display};
use crate::inventory;
use crate::model::difference::Health;
use crate::model::message::Reason;
use crate::model::{ObjectRef, Origin};
use crate::resource::scalar_at;
use crate::resource::{Collected, Collection, Resource, ResourceId, TypeName};
use crate::yaml::Node;

/// Kinds that come and go while a cluster is well, or that only measure it.
const PASSING: [&str; 6] = ["Event", "Lease", "PodMetrics", "NodeMetrics", "EndpointSlice", "ControllerRevision"];

/// States that say by themselves that something is wrong, in lower case; of Longhorn, KubeVirt, Pods, claims and volumes.
const BAD_STATES: [&str; 16] = [
    "backoff",
    "crashloopbackoff",
    "datavolumeerror",
    "degraded",
    "err",
    "errimagepull",
    "error",
    "errorpvcnotfound",
    "errorunschedulable",
    "evicted",
    "failed",
    "faulted",
    "imagepullbackoff",
    "lost",
    "notready",
    "oomkilled",
];

/// What a bundle shows of its objects, as far as it is compared.
#[derive(Debug)]
pub struct Snapshot {
    pub objects: BTreeMap<ObjectRef, ObjectState>,
    collection: Arc<Collection>,
}

/// An object at one time.
#[derive(Clone, Debug)]
pub struct ObjectState {
    pub uid: Option<String>,
    pub type_name: TypeName,
    /// None where the bundle holds too little of it to tell.
    pub health: Option<Health>,
    /// Starts by container, with how it ended last.
    pub restarts: BTreeMap<String, (u64, Option<String>)>,
    /// Of a node: which start of the machine it is.
    pub boot: Option<String>,
    pub place: Origin,
}

impl Snapshot {
    /// The objects of a bundle. Events and what only measures are left out.
    pub fn of(world: &World) -> Self {
        let resources = &world.resources;
        let ids = resources.types().iter().flat_map(|name| resources.of_type(name));
        let objects = ids.map(|&id| (id, resources.resource(id)));
        let compared = objects.filter(|(_, it)| it.source.is_none() && !PASSING.contains(&&*it.kind));
        Self {
            objects: compared.map(|(id, it)| (it.object(), state(world, id, it))).collect(),
            collection: Arc::clone(resources.collection()),
        }
    }

    /// Why the bundle may lack objects of a type in a namespace, or of the whole cluster.
    pub fn missing(&self, name: &TypeName, namespace: Option<&str>) -> Option<Reason> {
        match self.collection.collected(name, namespace) {
            Collected::No(reason) => Some(reason),
            Collected::Yes | Collected::Empty => None,
        }
    }
}

fn state(world: &World, id: ResourceId, resource: &Resource) -> ObjectState {
    let body = resource.body();
    ObjectState {
        uid: resource.uid.as_deref().map(str::to_owned),
        type_name: resource.type_name(),
        health: health(world, id, resource),
        restarts: if &*resource.kind == "Pod" { restarts(body) } else { BTreeMap::new() },
        boot: scalar_at(body, &["status", "nodeInfo", "bootID"]).map(str::to_owned),
        place: Origin::line(resource.entry.clone(), body.line()),
    }
}

/// What an object says of itself; none where the bundle holds too little of it.
fn health(world: &World, id: ResourceId, resource: &Resource) -> Option<Health> {
    let cell = || resource.cells().and_then(|cells| scalar_at(cells, &["STATUS"])).map(str::to_owned);
    let state = inventory::state(resource).or_else(cell);
    let told = troubles(world, id);
    if told.is_none() && state.is_none() {
        return None;
    }
    let mut troubles = told.unwrap_or_default();
    let words = state.iter().flat_map(|state| state.split(", "));
    troubles.extend(words.filter(|word| BAD_STATES.contains(&&*word.to_lowercase())).map(str::to_owned));
    Some(Health { state, troubles: troubles.into_iter().collect() })
}

/// What functions of rules find wrong with an object; none where it cannot be told.
fn troubles(world: &World, id: ResourceId) -> Option<BTreeSet<String>> {
    let object = Value::Resource(id);
    let mut troubles = BTreeSet::new();
    let status = world.call("kstatus", std::slice::from_ref(&object)).ok()?;
    if !matches!(status.as_str()?, "Current" | "NotFound") {
        let message = world.call("kstatus", &[object.clone(), Value::borrowed("message")]).ok()?;
        troubles.insert(format!("{}: {}", status.as_str()?, message.as_str().unwrap_or_default()));
    }
    match world.call("unhealthy", &[object]).ok()? {
        Value::List(conditions) => troubles.extend(conditions.iter().map(|condition| trouble(world, condition))),
        Value::Undecided(_) => return None,
        _ => {}
    }
    Some(troubles)
}

/// `Ready is False (ContainersNotReady)`. Messages are left out: they count and name times.
fn trouble(world: &World, condition: &Value<'_>) -> String {
    let part = |name| display(&world.field(condition, name)).unwrap_or_default();
    let reason = part("reason");
    let why = if reason.is_empty() { reason } else { format!(" ({reason})") };
    format!("{} is {}{why}", part("type"), part("status"))
}

/// Starts of the containers of a Pod.
fn restarts(body: Node<'_>) -> BTreeMap<String, (u64, Option<String>)> {
    let lists =
        ["initContainerStatuses", "containerStatuses"].into_iter().filter_map(|key| body.path(&["status", key]));
    let container = |status: Node<'_>| {
        let name = scalar_at(status, &["name"])?.to_owned();
        let count = scalar_at(status, &["restartCount"])?.parse().ok()?;
        let last = status.path(&["lastState", "terminated"]).map(|ended| {
            let part = |key| scalar_at(ended, &[key]).unwrap_or("unknown");
            format!("{}, exit code {}", part("reason"), part("exitCode"))
        });
        Some((name, (count, last)))
    };
    lists.flat_map(|list| list.items()).filter_map(container).collect()
}
