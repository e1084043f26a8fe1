//! Trouble that fields other than conditions report: states, errors, counts.

use jiff::SignedDuration;

use super::places::Place;
use super::trouble::Trouble;
use super::words::{Tone, tone_of_state};
use crate::model::{Severity, measure};
use crate::resource::{Resource, scalar_at};
use crate::yaml::{Kind, Node};

/// Endings of the names of fields that hold a state: `phase`, `currentState`, `PostgresClusterStatus`.
const STATES: [&str; 7] = ["health", "phase", "result", "robustness", "state", "status", "condition"];
/// Beginnings of the names of fields whose state is not that of now.
const NOT_NOW: [&str; 6] = ["desire", "expected", "initial", "old", "prev", "target"];
/// Fields of a status that are empty unless something is wrong.
const ERRORS: [&str; 7] =
    ["attachError", "detachError", "error", "errorMessage", "failureMessage", "failureReason", "problems"];
/// Wanted numbers in the spec and numbers in the status that have to reach them.
const COUNTS: [(&str, &str); 3] =
    [("replicas", "readyReplicas"), ("replicas", "availableReplicas"), ("instances", "readyInstances")];
/// Fields outside of the status that hold a state: group, kind, path. Rancher keeps what RKE2 says of a snapshot there.
const ELSEWHERE: [(&str, &str, &[&str]); 1] = [("rke.cattle.io", "ETCDSnapshot", &["snapshotFile", "status"])];
/// Mappings of a status that repeat for people what conditions say: Fleet's `status.display`.
const REPEATED: [&str; 1] = ["display."];
/// Phases of the beginning, which an object leaves soon.
const BEGINNINGS: [&str; 3] = ["Pending", "Provisioning", "Scheduling"];
/// An object that is still at its beginning after this time is stuck.
const STUCK: SignedDuration = SignedDuration::from_hours(1);
/// Longest state, in bytes; anything longer is a message.
const LONGEST_STATE: usize = 64;
/// Most troubles of one kind.
const MOST: usize = 50;

/// Returns what the fields of an object of that age report.
pub fn troubles<'w>(resource: &'w Resource, places: &[Place<'w>], age: Option<SignedDuration>) -> Vec<Trouble<'w>> {
    let mut found = states(resource, places);
    let phase = resource.body().path(&["status", "phase"]);
    found.extend(phase.filter(|phase| is_stuck(resource, phase.text(), age)).map(stuck));
    found.extend(errors(resource.body()));
    match (&*resource.group, &*resource.kind) {
        ("", "Node") => found.extend(cordoned(resource.body())),
        ("", "PersistentVolume") => found.extend(released(resource.body())),
        ("", "ResourceQuota") => found.extend(used_up(resource.body())),
        ("storage.k8s.io", "VolumeAttachment") => found.extend(not_attached(resource.body())),
        // Their counters are judged as controllers count them.
        ("apps", _) => {}
        _ => found.extend(short(resource.body())),
    }
    found
}

/// Returns the states whose words mean trouble. What is in a list may be history.
fn states<'w>(resource: &'w Resource, places: &[Place<'w>]) -> Vec<Trouble<'w>> {
    let places = places.iter().filter(|place| !place.listed && !REPEATED.contains(&&*place.path));
    let in_maps = places.flat_map(|place| {
        place.node.entries().filter(|(key, _)| is_state(key)).map(|(key, node)| (place.path.as_str(), key, node))
    });
    let told = in_maps.filter_map(|(path, key, node)| {
        let tone = tone(node)?;
        let place = if path.is_empty() { String::new() } else { format!("{path}{key}: ") };
        Some(Trouble::at(node, severity(resource, node.text(), tone), format!("{place}{}", node.text())))
    });
    let elsewhere = ELSEWHERE.iter().filter(|(group, kind, _)| (*group, *kind) == (&*resource.group, &*resource.kind));
    let elsewhere = elsewhere.filter_map(|(.., path)| resource.body().path(path));
    // A status that is one word.
    let single = resource.body().get("status").into_iter().chain(elsewhere);
    let single = single.filter_map(|node| {
        let tone = tone(node)?;
        Some(Trouble::at(node, severity(resource, node.text(), tone), node.text()))
    });
    told.chain(single).take(MOST).collect()
}

fn is_state(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    STATES.iter().any(|ending| key.ends_with(ending)) && !NOT_NOW.iter().any(|beginning| key.starts_with(beginning))
}

/// Returns true for a phase that an object of that age should have left. Of claims, the progress says so.
pub fn is_stuck(resource: &Resource, phase: &str, age: Option<SignedDuration>) -> bool {
    let is_claim = (&*resource.group, &*resource.kind) == ("", "PersistentVolumeClaim");
    !is_claim && BEGINNINGS.contains(&phase) && age.is_some_and(|age| age >= STUCK)
}

/// Returns the trouble of such a phase.
pub fn stuck(phase: Node<'_>) -> Trouble<'_> {
    Trouble::at(phase, Severity::Medium, format!("{} since its creation", phase.text()))
}

/// Returns how bad the state in a field is.
fn tone(node: Node<'_>) -> Option<Tone> {
    let state = node.as_str().filter(|text| text.len() <= LONGEST_STATE && !text.contains(char::is_whitespace))?;
    tone_of_state(state)
}

/// Returns how bad a state of an object is.
pub fn severity(resource: &Resource, state: &str, tone: Tone) -> Severity {
    let is_lost = || matches!(state.to_ascii_lowercase().as_str(), "lost" | "failed" | "faulted");
    match (&*resource.group, &*resource.kind, tone) {
        ("", "PersistentVolumeClaim" | "PersistentVolume", _) | ("longhorn.io", "Volume", _) if is_lost() => {
            Severity::Critical
        }
        ("", "Node", _) => Severity::Critical,
        (_, _, Tone::Failed) => Severity::High,
        (_, _, Tone::Short) => Severity::Medium,
    }
}

/// Returns the errors of a status: `attachError: rpc error: ...`.
fn errors(body: Node<'_>) -> Vec<Trouble<'_>> {
    let Some(status) = body.get("status") else { return Vec::new() };
    // A snapshot keeps the error of an attempt before the one that succeeded.
    if scalar_at(status, &["readyToUse"]) == Some("true") {
        return Vec::new();
    }
    let told = ERRORS.iter().filter_map(|key| {
        let node = status.get(key)?;
        let said = match node.kind() {
            Kind::Mapping => scalar_at(node, &["message"])?,
            Kind::Sequence => scalar_at(node.at(0)?, &[])?,
            Kind::String => scalar_at(node, &[])?,
            _ => return None,
        };
        Some(Trouble::at(node, Severity::Medium, format!("{key}: {said}")))
    });
    told.collect()
}

/// Returns what an operator's object lacks: `readyReplicas: 1 of 3`.
fn short(body: Node<'_>) -> Option<Trouble<'_>> {
    COUNTS.iter().find_map(|(wanted, have)| {
        let node = body.path(&["status", have])?;
        let (wanted, ready) = (body.path(&["spec", wanted])?.as_i64()?, node.as_i64()?);
        (ready < wanted).then(|| Trouble::at(node, Severity::Medium, format!("{have}: {ready} of {wanted}")))
    })
}

/// What is told of a node on which somebody disabled scheduling.
pub const CORDONED: &str = "SchedulingDisabled: cordoned, no new pods start on it";

fn cordoned(node: Node<'_>) -> Option<Trouble<'_>> {
    let field = node.path(&["spec", "unschedulable"])?;
    (field.as_bool() == Some(true)).then(|| Trouble::at(field, Severity::Low, CORDONED))
}

/// Returns that the claim of a volume is gone. With the policy Delete the volume should be gone as well.
fn released(volume: Node<'_>) -> Option<Trouble<'_>> {
    let phase = volume.path(&["status", "phase"]).filter(|phase| phase.text() == "Released")?;
    let policy = scalar_at(volume, &["spec", "persistentVolumeReclaimPolicy"]);
    Some(Trouble::at(phase, severity_of_released(policy), text_of_released(policy)))
}

pub fn severity_of_released(policy: Option<&str>) -> Severity {
    if policy == Some("Delete") { Severity::Medium } else { Severity::Low }
}

pub fn text_of_released(policy: Option<&str>) -> String {
    format!("Released: its claim is gone, reclaim policy {}", policy.unwrap_or("unknown"))
}

/// Returns that an attachment waits; why is in `attachError`.
fn not_attached(attachment: Node<'_>) -> Option<Trouble<'_>> {
    let field = attachment.path(&["status", "attached"])?;
    (field.as_bool() == Some(false)).then(|| Trouble::at(field, Severity::Medium, "attached is false"))
}

/// Returns what a quota leaves nothing of: `pods: 10 of 10 used`.
fn used_up(quota: Node<'_>) -> Vec<Trouble<'_>> {
    let Some(status) = quota.get("status") else { return Vec::new() };
    let names = status.get("hard").into_iter().flat_map(Node::entries).map(|(name, _)| name);
    let full = names.filter_map(|name| {
        let (limit, used) = (scalar_at(status, &["hard", &name])?, scalar_at(status, &["used", &name])?);
        let (most, now) = (measure::quantity(limit)?, measure::quantity(used)?);
        let text = || format!("{name}: {used} of {limit} used");
        (most > 0.0 && now >= most).then(|| Trouble::of_object(Severity::Low, text()))
    });
    full.collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::health::places::places;
    use crate::resource::IndexBuilder;
    use crate::yaml;

    /// Troubles of an object that is some hours old, with their severities.
    fn shown(api: &str, kind: &str, rest: &str, hours: i64) -> String {
        let text = format!("apiVersion: {api}\nkind: {kind}\nmetadata: {{name: a}}\n{rest}\n");
        let mut builder = IndexBuilder::default();
        builder.add_document("a.yaml".into(), &Arc::new(yaml::parse(text.into_bytes()).0));
        let index = builder.finish().0;
        let mut ids = index.types().iter().flat_map(|name| index.of_type(name));
        let resource = index.resource(*ids.next().unwrap());
        let found = troubles(resource, &places(resource), Some(SignedDuration::from_hours(hours)));
        let line = |of: Trouble<'_>| format!("{} {}", of.severity.as_str(), of.text);
        found.into_iter().map(line).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn states_errors_and_counts_of_dumps() {
        let released = "Released: its claim is gone, reclaim policy";
        for (api, kind, rest, wanted) in [
            ("longhorn.io/v1beta2", "Volume", "status: {robustness: faulted}", "critical faulted"),
            ("longhorn.io/v1beta2", "Volume", "status: {state: attached, robustness: healthy}", ""),
            ("longhorn.io/v1beta2", "Engine", "status: {currentState: error}", "high error"),
            ("longhorn.io/v1beta2", "Engine", "spec: {desireState: error}\nstatus: {desireState: error}", ""),
            (
                "longhorn.io/v1beta2",
                "BackingImage",
                "status: {diskFileStatusMap: {d: {state: failed}, e: {state: ready}}}",
                "high diskFileStatusMap.d.state: failed",
            ),
            ("velero.io/v1", "Backup", "status: {phase: PartiallyFailed}", "high PartiallyFailed"),
            ("velero.io/v1", "BackupStorageLocation", "status: {phase: Unavailable}", "medium Unavailable"),
            ("ceph.rook.io/v1", "CephCluster", "status: {ceph: {health: HEALTH_ERR}}", "high ceph.health: HEALTH_ERR"),
            ("ceph.rook.io/v1", "CephCluster", "status: {phase: Ready, ceph: {health: HEALTH_OK}}", ""),
            (
                "argoproj.io/v1alpha1",
                "Application",
                "status: {health: {status: Degraded}}",
                "medium health.status: Degraded",
            ),
            ("argoproj.io/v1alpha1", "Application", "status: {sync: {status: OutOfSync}}", ""),
            ("acid.zalan.do/v1", "postgresql", "status: {PostgresClusterStatus: CreateFailed}", "high CreateFailed"),
            ("example.org/v1", "Widget", "status: Failed", "high Failed"),
            ("example.org/v1", "Widget", "status: {history: [{state: Failed}]}", ""),
            ("example.org/v1", "Widget", "status: {state: waiting for what failed before}", ""),
            ("fleet.cattle.io/v1alpha1", "Bundle", "status: {display: {state: NotReady}}", ""),
            ("rke.cattle.io/v1", "ETCDSnapshot", "snapshotFile: {status: failed}", "high failed"),
            (
                "snapshot.storage.k8s.io/v1",
                "VolumeSnapshot",
                "status: {readyToUse: false, error: {message: boom}}",
                "medium error: boom",
            ),
            ("snapshot.storage.k8s.io/v1", "VolumeSnapshot", "status: {readyToUse: true, error: {message: boom}}", ""),
            ("logging.banzaicloud.io/v1beta1", "Flow", "status: {problems: [no output]}", "medium problems: no output"),
            ("logging.banzaicloud.io/v1beta1", "Flow", "status: {problems: []}", ""),
            (
                "storage.k8s.io/v1",
                "VolumeAttachment",
                "status: {attached: false, attachError: {message: boom}}",
                "medium attachError: boom; medium attached is false",
            ),
            ("storage.k8s.io/v1", "VolumeAttachment", "status: {attached: true}", ""),
            (
                "example.org/v1",
                "Widget",
                "spec: {replicas: 3}\nstatus: {readyReplicas: 1}",
                "medium readyReplicas: 1 of 3",
            ),
            ("example.org/v1", "Widget", "spec: {replicas: 3}\nstatus: {replicas: 3}", ""),
            ("v1", "Node", "spec: {unschedulable: true}", "low SchedulingDisabled: cordoned, no new pods start on it"),
            ("v1", "Node", "spec: {podCIDR: 10.42.0.0/24}", ""),
            (
                "v1",
                "PersistentVolume",
                "spec: {persistentVolumeReclaimPolicy: Retain}\nstatus: {phase: Released}",
                &format!("low {released} Retain"),
            ),
            (
                "v1",
                "PersistentVolume",
                "spec: {persistentVolumeReclaimPolicy: Delete}\nstatus: {phase: Released}",
                &format!("medium {released} Delete"),
            ),
            ("v1", "PersistentVolume", "status: {phase: Failed}", "critical Failed"),
            ("v1", "PersistentVolume", "status: {phase: Available}", ""),
        ] {
            assert_eq!(shown(api, kind, rest, 48), wanted, "{kind}: {rest}");
        }
    }

    #[test]
    fn an_object_leaves_its_first_phase_within_an_hour() {
        let machine = |hours| shown("cluster.x-k8s.io/v1beta1", "Machine", "status: {phase: Provisioning}", hours);
        assert_eq!((machine(0).as_str(), machine(1).as_str()), ("", "medium Provisioning since its creation"));
        assert_eq!(shown("v1", "PersistentVolumeClaim", "status: {phase: Pending}", 9), "", "its progress says so");
    }
}
