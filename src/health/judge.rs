//! Health that one object reports: its conditions, its progress, and words that mean trouble.

use std::collections::BTreeSet;

use crate::expr::{Value, World, display};
use crate::inventory;
use crate::model::difference::Health;
use crate::model::{ReportedState, measure};
use crate::resource::{Resource, ResourceId, scalar_at};
use crate::yaml::Node;

/// Kinds that come and go in a healthy cluster, or that only hold measurements.
pub const PASSING: [&str; 6] = ["Event", "Lease", "PodMetrics", "NodeMetrics", "EndpointSlice", "ControllerRevision"];

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

/// Returns the health that an object reports; none if the bundle holds too little of it.
pub fn judge(world: &World, id: ResourceId, resource: &Resource) -> Option<Health> {
    let cell = || {
        resource
            .cells()
            .and_then(|cells| scalar_at(cells, &["STATUS"]))
            .map(|cell| ReportedState::word(cell.to_owned()))
    };
    let state = inventory::state(resource).or_else(cell);
    if is_unconfigured(resource) {
        return None;
    }
    let told = troubles(world, id);
    if told.is_none() && state.is_none() {
        return None;
    }
    let mut troubles = told.unwrap_or_default();
    let words = state.iter().flat_map(ReportedState::words);
    troubles.extend(words.filter(|word| BAD_STATES.contains(&&*word.to_lowercase())).cloned());
    troubles.extend(used_up(resource));
    Some(Health { state, troubles: troubles.into_iter().collect() })
}

/// Returns true for an object that reports trouble because nothing is set up: Longhorn's backup target without address.
fn is_unconfigured(resource: &Resource) -> bool {
    let is_target = &*resource.group == "longhorn.io" && &*resource.kind == "BackupTarget";
    is_target && scalar_at(resource.body(), &["spec", "backupTargetURL"]).is_none_or(str::is_empty)
}

/// Returns what a quota leaves nothing of: `pods: 10 of 10 used`.
fn used_up(resource: &Resource) -> Vec<String> {
    let is_quota = resource.group.is_empty() && &*resource.kind == "ResourceQuota";
    let Some(status) = resource.body().get("status").filter(|_| is_quota) else { return Vec::new() };
    let names = status.get("hard").into_iter().flat_map(Node::entries).map(|(name, _)| name);
    let full = names.filter_map(|name| {
        let (limit, used) = (scalar_at(status, &["hard", &name])?, scalar_at(status, &["used", &name])?);
        let (most, now) = (measure::quantity(limit)?, measure::quantity(used)?);
        (most > 0.0 && now >= most).then(|| format!("{name}: {used} of {limit} used"))
    });
    full.collect()
}

/// Returns problems found by the functions of rules; none if they cannot be decided.
fn troubles(world: &World, id: ResourceId) -> Option<BTreeSet<String>> {
    let object = Value::Resource(id);
    let mut troubles = BTreeSet::new();
    let status = world.call("kstatus", std::slice::from_ref(&object)).ok()?;
    let status = status.as_str()?;
    if !matches!(status, "Current" | "NotFound") {
        let message = world.call("kstatus", &[object.clone(), Value::borrowed("message")]).ok()?;
        troubles.insert(match message.as_str().unwrap_or_default() {
            "" => status.to_owned(),
            message => format!("{status}: {message}"),
        });
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
