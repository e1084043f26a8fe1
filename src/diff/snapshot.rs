//! Data of a bundle that is compared.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::expr::{Value, World, display};
use crate::inventory;
use crate::model::difference::Health;
use crate::model::message::Reason;
use crate::model::{ObjectRef, Origin, ReportedState};
use crate::resource::scalar_at;
use crate::resource::{Collected, Collection, Resource, ResourceId, TypeName};
use crate::yaml::Node;

/// Kinds that come and go in a healthy cluster, or that only hold measurements.
const PASSING: [&str; 6] = ["Event", "Lease", "PodMetrics", "NodeMetrics", "EndpointSlice", "ControllerRevision"];

/// States that mean trouble, in lower case: of Longhorn, KubeVirt, Pods, claims and volumes.
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

/// Compared data of a bundle's objects.
#[derive(Debug)]
pub struct Snapshot {
    pub objects: BTreeMap<ObjectRef, ObjectState>,
    collection: Arc<Collection>,
}

/// State of an object at one time.
#[derive(Clone, Debug)]
pub struct ObjectState {
    pub uid: Option<String>,
    pub type_name: TypeName,
    /// None if the bundle holds too little of the object.
    pub health: Option<Health>,
    /// Starts by container, with the last termination.
    pub restarts: BTreeMap<String, (u64, Option<String>)>,
    /// Boot id of a node.
    pub boot: Option<String>,
    pub place: Origin,
}

impl Snapshot {
    /// Copies the compared data of a bundle. Events and kinds that only hold measurements are left out.
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

    /// Returns the reason why objects of a type may be not collected, in a namespace or the whole cluster.
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

/// Returns the health that an object reports; none if the bundle holds too little of it.
fn health(world: &World, id: ResourceId, resource: &Resource) -> Option<Health> {
    let cell = || {
        resource
            .cells()
            .and_then(|cells| scalar_at(cells, &["STATUS"]))
            .map(|cell| ReportedState::word(cell.to_owned()))
    };
    let state = inventory::state(resource).or_else(cell);
    let told = troubles(world, id);
    if told.is_none() && state.is_none() {
        return None;
    }
    let mut troubles = told.unwrap_or_default();
    let words = state.iter().flat_map(ReportedState::words);
    troubles.extend(words.filter(|word| BAD_STATES.contains(&&*word.to_lowercase())).cloned());
    Some(Health { state, troubles: troubles.into_iter().collect() })
}

/// Returns problems found by the functions of rules; none if they cannot be decided.
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

/// Formats `Ready is False (ContainersNotReady)`. Messages are left out because they contain counts and times.
fn trouble(world: &World, condition: &Value<'_>) -> String {
    let part = |name| display(&world.field(condition, name)).unwrap_or_default();
    let reason = part("reason");
    let why = if reason.is_empty() { reason } else { format!(" ({reason})") };
    format!("{} is {}{why}", part("type"), part("status"))
}

/// Counts starts of the containers of a Pod.
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
