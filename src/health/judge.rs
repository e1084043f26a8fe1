//! Health that one object reports: the only judgement of the list of what is not healthy and of the comparison of bundles.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};

use super::trouble::Trouble;
use super::{claims, conditions, fields, migration, places, pod, rows};
use crate::expr::{Value, World};
use crate::inventory;
use crate::model::difference::Health;
use crate::model::{ReportedState, Severity};
use crate::resource::{Resource, ResourceId, parse_time, scalar_at, table};
use crate::yaml::Node;

/// Kinds that come and go in a healthy cluster, or that only hold measurements.
pub const PASSING: [&str; 6] = ["Event", "Lease", "PodMetrics", "NodeMetrics", "EndpointSlice", "ControllerRevision"];
/// An object that was created this short before the collection may still be starting.
const STARTING: SignedDuration = SignedDuration::from_mins(3);
/// A deletion that waits this long hangs: pods have 30 seconds by default, drivers and load balancers some minutes.
const DELETING: SignedDuration = SignedDuration::from_mins(10);

/// Judges the objects of a bundle.
pub struct Judge<'w> {
    world: &'w World,
    migrated: migration::Migrated<'w>,
    /// Uids of claims that are bound.
    bound: BTreeSet<&'w str>,
}

/// What an object reports about itself.
pub struct Judgement {
    /// Without counts and times that change while the health does not.
    pub health: Health,
    /// How bad the worst trouble is; low without one.
    pub severity: Severity,
    /// Counts and times that belong to the first trouble: `311 restarts`.
    pub details: Option<String>,
    /// Line of what shows the trouble.
    pub line: u64,
    /// Last change of a bad condition; none if it is not known.
    pub since: Option<Timestamp>,
}

impl<'w> Judge<'w> {
    /// Makes a judge of the objects of a bundle.
    pub fn new(world: &'w World) -> Self {
        Self { world, migrated: migration::migrated(world), bound: claims::bound(world) }
    }

    /// Returns the health that an object reports; none if the bundle holds too little of it. It has no troubles while the object may still be
    /// starting or has just been deleted.
    pub fn of(&self, id: ResourceId) -> Option<Judgement> {
        let resource = self.world.resources.resource(id);
        let is_made = resource.source.is_some();
        if is_made || PASSING.contains(&&*resource.kind) || is_unconfigured(resource) || is_manifest(resource) {
            return None;
        }
        let cells = self.cells(resource);
        let age = self.age(resource, cells);
        let state = inventory::state(resource).or_else(|| state_of_row(cells?));
        let is_pod = (&*resource.group, &*resource.kind) == ("", "Pod");
        let (told, details) = if is_pod {
            let pod::PodState { is_known, trouble, details } = pod::state(self.world, id, resource, cells);
            (is_known.then(|| trouble.into_iter().collect()), details)
        } else {
            (self.troubles(id, resource, cells, age), None)
        };
        if told.is_none() && state.is_none() {
            return None;
        }
        let mut troubles = told.unwrap_or_default();
        let is_done = migration::is_repeated(&self.migrated, resource) || claims::is_handed_over(&self.bound, resource);
        if is_done || self.is_passing(resource, age, &troubles) {
            troubles.clear();
        }
        Some(judgement(resource, state, troubles, details))
    }

    /// Returns the cells of a row of the object, also if another source of it comes first.
    fn cells(&self, resource: &'w Resource) -> Option<Node<'w>> {
        let supplement = resource.supplement.map(|id| self.world.resources.resource(id));
        resource.cells().or_else(|| supplement?.cells())
    }

    /// Returns what the fields and cells of an object report; none if they tell nothing of its health.
    fn troubles(
        &self,
        id: ResourceId,
        resource: &'w Resource,
        cells: Option<Node<'w>>,
        age: Option<SignedDuration>,
    ) -> Option<Vec<Trouble<'w>>> {
        let of_row = cells.and_then(|cells| rows::troubles(resource, cells, age));
        let progress = self.progress(id, resource);
        let is_known = progress.is_some() || of_row.is_some();
        let mut troubles: Vec<Trouble<'w>> = progress.flatten().into_iter().collect();
        if resource.row.is_none() {
            let places = places::places(resource);
            troubles.extend(conditions::troubles(resource, &places));
            troubles.extend(fields::troubles(resource, &places, age));
        }
        troubles.extend(of_row.unwrap_or_default());
        (is_known || !troubles.is_empty()).then_some(troubles)
    }

    /// Returns what `kstatus` says of an object that is not as it should be; none if it cannot be decided.
    fn progress(&self, id: ResourceId, resource: &Resource) -> Option<Option<Trouble<'w>>> {
        let object = Value::Resource(id);
        let status = self.world.call("kstatus", std::slice::from_ref(&object)).ok()?;
        let status = status.as_str()?;
        // What KubeVirt calls the observed generation of a machine is the one with which its instance started (`types.go`), so any later
        // edit looks like progress that never ends.
        let is_edited =
            status == "InProgress" && (&*resource.group, &*resource.kind) == ("kubevirt.io", "VirtualMachine");
        if matches!(status, "Current" | "NotFound") || is_edited {
            return Some(None);
        }
        let message = self.world.call("kstatus", &[object, Value::borrowed("message")]).ok()?;
        let text = match message.as_str().unwrap_or_default() {
            "" => status.to_owned(),
            message => format!("{status}: {message}"),
        };
        let severity = match status {
            "Terminating" => Severity::Low,
            "Failed" => Severity::High,
            _ => Severity::Medium,
        };
        Some(Some(Trouble::of_object(severity, text)))
    }

    /// Returns how old an object was at the collection.
    fn age(&self, resource: &Resource, cells: Option<Node<'_>>) -> Option<SignedDuration> {
        let of_row = || table::parse_age(scalar_at(cells?, &["AGE"])?);
        self.ago(resource, &["metadata", "creationTimestamp"]).or_else(of_row)
    }

    fn ago(&self, resource: &Resource, keys: &[&str]) -> Option<SignedDuration> {
        let then: Timestamp = parse_time(scalar_at(resource.body(), keys)?)?;
        Some(self.world.now?.duration_since(then))
    }

    /// Returns true for an object that may still be starting, or whose deletion has just begun.
    fn is_passing(&self, resource: &Resource, age: Option<SignedDuration>, troubles: &[Trouble<'_>]) -> bool {
        if let Some(deleting) = self.ago(resource, &["metadata", "deletionTimestamp"]) {
            return deleting < DELETING;
        }
        troubles.iter().all(|of| of.severity <= Severity::Medium) && age.is_some_and(|age| age < STARTING)
    }
}

/// Returns the word of a row that says most about its state.
fn state_of_row(cells: Node<'_>) -> Option<ReportedState> {
    let cell = ["STATUS", "STATE", "PHASE"].iter().find_map(|header| scalar_at(cells, &[header]))?;
    Some(ReportedState::word(cell.to_owned()))
}

/// Returns true for an object that reports trouble because nothing is set up: Longhorn's backup target without address.
fn is_unconfigured(resource: &Resource) -> bool {
    let is_target = (&*resource.group, &*resource.kind) == ("longhorn.io", "BackupTarget") && resource.row.is_none();
    is_target && scalar_at(resource.body(), &["spec", "backupTargetURL"]).is_none_or(str::is_empty)
}

/// Returns true for an object as somebody wrote it, which lies beside a dump: the API server gives each object an identity and a time.
/// `kubectl create --dry-run` prints `creationTimestamp: null` and `status: {}`.
fn is_manifest(resource: &Resource) -> bool {
    let states = |node: &Node<'_>| !node.is_null() && (node.entries().next().is_some() || !node.text().is_empty());
    let has = |path: &[&str]| resource.body().path(path).is_some_and(|node| states(&node));
    let of_server = [&["metadata", "uid"], &["metadata", "resourceVersion"], &["metadata", "creationTimestamp"]];
    !resource.partial && !has(&["status"]) && !of_server.into_iter().any(|path| has(path))
}

/// Returns true for a workload that nothing is left of.
fn has_none_ready(state: Option<&ReportedState>) -> bool {
    matches!(state, Some(ReportedState::Ready { ready, wanted }) if ready == "0" && wanted != "0")
}

fn judgement(
    resource: &Resource,
    state: Option<ReportedState>,
    mut troubles: Vec<Trouble<'_>>,
    details: Option<String>,
) -> Judgement {
    let conditions = resource.body().path(&["status", "conditions"]).into_iter().flat_map(Node::items);
    let is = |node: &Node<'_>, type_: &str| scalar_at(*node, &["type"]) == Some(type_);
    let shown = troubles.iter().filter_map(|of| of.node);
    let condition = shown.clone().find(|node| node.get("type").is_some());
    // What is in progress without a condition of its own is seen there.
    let ready = || conditions.clone().find(|node| is(node, "Ready"));
    let line =
        condition.or_else(|| shown.clone().next()).or_else(ready).map_or_else(|| resource.body().line(), Node::line);
    let since = condition.or_else(ready).and_then(|node| parse_time(scalar_at(node, &["lastTransitionTime"])?));
    let severity = severity(&troubles, has_none_ready(state.as_ref()));
    troubles.sort_by(|a, b| a.text.cmp(&b.text));
    troubles.dedup_by(|a, b| a.text == b.text);
    let troubles = troubles.into_iter().map(|of| of.text).collect();
    Judgement { health: Health { state, troubles }, severity, details, line, since }
}

/// Returns how bad the worst trouble is. An object that is being deleted is about to be gone: only what is critical counts.
fn severity(troubles: &[Trouble<'_>], none_ready: bool) -> Severity {
    let worst = troubles.iter().map(|of| of.severity).max().unwrap_or(Severity::Low);
    let worst = if none_ready { worst.max(Severity::High) } else { worst };
    let is_deleted = troubles.iter().any(|of| of.text.starts_with("Terminating"));
    if is_deleted && worst < Severity::Critical { Severity::Low } else { worst }
}
