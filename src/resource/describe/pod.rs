//! Fields of a Pod in the output of `kubectl describe pod`. A field that kubectl omits when it is not set is absent; a field that it
//! never prints is unknown.

use super::common::{Happened, events, flag, labels, metadata, number, owner, quantities, time};
use super::out::{Fields, Out};
use super::outline::{Section, View};
use crate::yaml::Kind;

/// Phases; kubectl prints words of its own in their place, too.
const PHASES: [&str; 5] = ["Failed", "Pending", "Running", "Succeeded", "Unknown"];

/// Returns the fields of a Pod.
pub(super) fn fields(pod: View<'_>) -> Fields {
    let at = pod.start();
    let metadata = metadata(pod, [("ownerReferences", owner(pod))]);
    let node = pod.value("Node").map(|part| {
        let name = pod.slice(&part).split('/').next().map_or(0, str::len);
        Out::text(part.start..part.start + name)
    });
    let sidecars = sidecars(pod);
    let is_sidecar = |section: &Section| sidecars.contains(&section.line.start);
    let init_container = |own: View<'_>, section: &Section| init_container(own, section, is_sidecar(section));
    let init_status = |own: View<'_>, section: &Section| init_container_status(own, section, is_sidecar(section));
    let spec = Out::map(
        at,
        [
            ("nodeName", Some(node.unwrap_or(Out::Absent(at)))),
            ("serviceAccountName", pod.value("Service Account").map(Out::text)),
            ("nodeSelector", pod.get("Node-Selectors").map(|_| labels(pod, "Node-Selectors", '='))),
            ("readinessGates", pod.get("Readiness Gates").is_none().then_some(Out::Absent(at))),
            ("containers", Some(list(pod, "Containers", at, container))),
            ("initContainers", Some(list(pod, "Init Containers", at, init_container))),
            ("volumes", Some(list(pod, "Volumes", at, volume))),
        ],
    );
    let ips = pod.below("IPs");
    let addresses = ips.sections.iter().filter(|line| ips.slice(&line.key) == "IP");
    let addresses = addresses.map(|line| Out::map(line.line.start, [("ip", Some(Out::text(line.value.clone())))]));
    let state = Out::map(
        at,
        [
            ("phase", phase(pod)),
            ("reason", Some(Out::maybe(pod.value("Reason"), at))),
            ("message", Some(Out::maybe(pod.value("Message"), at))),
            ("podIP", Some(Out::maybe(pod.value("IP"), at))),
            ("podIPs", Some(Out::List(at, addresses.collect()))),
            ("nominatedNodeName", Some(Out::maybe(pod.value("NominatedNodeName"), at))),
            ("startTime", pod.value("Start Time").and_then(|part| time(pod, part))),
            ("conditions", Some(conditions(pod, at))),
            ("containerStatuses", Some(list(pod, "Containers", at, container_status))),
            ("initContainerStatuses", Some(list(pod, "Init Containers", at, init_status))),
        ],
    );
    [("metadata", metadata), ("spec", spec), ("status", state)].map(|(key, value)| (key.to_owned(), value)).into()
}

/// Returns the phase. kubectl prints `Terminating (lasts 40m)` in its place unless the pod has ended; then its containers show which one it is.
fn phase(pod: View<'_>) -> Option<Out> {
    let part = pod.value("Status")?;
    let text = pod.slice(&part);
    if PHASES.contains(&text) {
        return Some(Out::text(part));
    }
    let containers = pod.below("Containers");
    let phase =
        if containers.sections.iter().any(|section| has_begun(containers.of(section))) { "Running" } else { "Pending" };
    text.starts_with("Terminating").then(|| Out::Made(Kind::String, part, phase.to_owned()))
}

/// Returns the sections below a key as items; absent without the key.
fn list(pod: View<'_>, key: &str, at: usize, item: impl Fn(View<'_>, &Section) -> Option<Out>) -> Out {
    match pod.get(key) {
        Some(section) => {
            Out::List(section.line.start, section.below.iter().filter_map(|part| item(pod.of(part), part)).collect())
        }
        None => Out::Absent(at),
    }
}

/// Returns whether a container runs or has run.
fn has_begun(own: View<'_>) -> bool {
    ["State", "Last State"].iter().filter_map(|key| own.value(key)).any(|state| own.slice(&state) != "Waiting")
}

/// Returns where the init containers begin that are sidecars. kubectl does not print restartPolicy, but only a sidecar (`Always`) has not ended
/// when the next one begins, or when the pod is initialized.
fn sidecars(pod: View<'_>) -> Vec<usize> {
    let conditions = pod.below("Conditions");
    let mut rows = conditions.sections.iter().filter_map(|row| condition(conditions, row));
    let mut goes_on = rows.any(|row| row == ("Initialized", "True"));
    let containers = pod.below("Init Containers");
    let mut found = Vec::new();
    for section in containers.sections.iter().rev() {
        let own = containers.of(section);
        if goes_on && state_of(own) != "Terminated" {
            found.push(section.line.start);
        }
        goes_on |= has_begun(own);
    }
    found
}

/// Returns the word of a container's state; empty if it has none.
fn state_of(own: View<'_>) -> &str {
    own.value("State").map_or("", |state| own.slice(&state))
}

/// Returns type and status in a row of conditions.
fn condition<'s>(rows: View<'s>, row: &Section) -> Option<(&'s str, &'s str)> {
    let mut words = rows.slice(&row.line).split_whitespace();
    words.next().zip(words.next())
}

fn init_container(own: View<'_>, section: &Section, is_sidecar: bool) -> Option<Out> {
    let at = section.line.start;
    let policy = if is_sidecar { made("Always", Kind::String, at) } else { Out::Absent(at) };
    Some(with(container(own, section)?, "restartPolicy", policy))
}

fn init_container_status(own: View<'_>, section: &Section, is_sidecar: bool) -> Option<Out> {
    let status = container_status(own, section)?;
    let started = made(if state_of(own) == "Running" { "true" } else { "false" }, Kind::Bool, section.line.start);
    Some(if is_sidecar { with(status, "started", started) } else { status })
}

/// Creates a value that follows from other lines of the text.
fn made(value: &str, kind: Kind, at: usize) -> Out {
    Out::Made(kind, at..at, value.to_owned())
}

/// Adds a field to a mapping.
fn with(map: Out, key: &str, value: Out) -> Out {
    match map {
        Out::Map(at, mut fields) => {
            fields.push((key.to_owned(), value));
            Out::Map(at, fields)
        }
        other => other,
    }
}

fn container(own: View<'_>, section: &Section) -> Option<Out> {
    let at = section.line.start;
    let resources = [
        ("limits", Some(quantities(own, "Limits").unwrap_or(Out::Absent(at)))),
        ("requests", Some(quantities(own, "Requests").unwrap_or(Out::Absent(at)))),
    ];
    let fields = [
        ("name", Some(Out::text(section.key.clone()))),
        ("image", own.value("Image").map(Out::text)),
        ("resources", Some(Out::map(at, resources))),
    ];
    (!section.key.is_empty()).then(|| Out::map(at, fields))
}

fn volume(own: View<'_>, section: &Section) -> Option<Out> {
    let kind = own.value("Type").map(|part| own.slice(&part).split(' ').next().unwrap_or_default()).unwrap_or_default();
    let source = match kind {
        "PersistentVolumeClaim" => Some(("persistentVolumeClaim", "claimName", own.value("ClaimName")?)),
        "ConfigMap" => Some(("configMap", "name", own.value("Name")?)),
        "Secret" => Some(("secret", "secretName", own.value("SecretName")?)),
        _ => None,
    };
    let mut fields = vec![("name".to_owned(), Out::text(section.key.clone()))];
    if let Some((name, key, value)) = source {
        fields.push((name.to_owned(), Out::map(value.start, [(key, Some(Out::text(value.clone())))])));
    }
    (!section.key.is_empty()).then_some(Out::Map(section.line.start, fields))
}

/// None for a container without a state: no kubelet has seen it.
fn container_status(own: View<'_>, section: &Section) -> Option<Out> {
    let at = section.line.start;
    own.value("State")?;
    let fields = [
        ("name", Some(Out::text(section.key.clone()))),
        ("image", own.value("Image").map(Out::text)),
        ("imageID", own.value("Image ID").map(Out::text)),
        ("containerID", own.value("Container ID").map(Out::text)),
        ("ready", own.value("Ready").and_then(|part| flag(own, part))),
        ("restartCount", own.value("Restart Count").and_then(|part| number(own, part))),
        ("state", Some(state(own, "State", at))),
        ("lastState", Some(state(own, "Last State", at))),
    ];
    Some(Out::map(at, fields))
}

/// Running, Waiting or Terminated with its fields; the other two are absent.
fn state(own: View<'_>, key: &str, at: usize) -> Out {
    let inner = own.below(key);
    let kind = own.value(key).map(|part| own.slice(&part)).unwrap_or_default();
    let at = own.get(key).map_or(at, |section| section.line.start);
    let when = |key: &str| inner.value(key).and_then(|part| time(inner, part));
    let told = |key: &str| Some(Out::maybe(inner.value(key), at));
    let code = |key: &str| inner.value(key).and_then(|part| number(inner, part));
    let running = || Out::map(at, [("startedAt", when("Started"))]);
    let terminated = || {
        let fields = [
            ("reason", told("Reason")),
            ("message", told("Message")),
            ("exitCode", code("Exit Code")),
            ("signal", Some(code("Signal").unwrap_or(Out::Absent(at)))),
            ("startedAt", when("Started")),
            ("finishedAt", when("Finished")),
        ];
        Out::map(at, fields)
    };
    // kubectl never prints the message of a waiting container.
    let waiting = || Out::map(at, [("reason", told("Reason"))]);
    let one = |name: &str, made: &dyn Fn() -> Out| Some(if kind == name { made() } else { Out::Absent(at) });
    Out::map(
        at,
        [
            ("running", one("Running", &running)),
            ("terminated", one("Terminated", &terminated)),
            ("waiting", one("Waiting", &waiting)),
        ],
    )
}

/// `Type Status`, without reasons; the reason of an unscheduled Pod is the message of the scheduler's last event.
fn conditions(pod: View<'_>, at: usize) -> Out {
    let Some(section) = pod.get("Conditions") else { return Out::Absent(at) };
    let refused = events(pod, None).into_iter().rfind(|event| pod.slice(&event.reason) == "FailedScheduling");
    let rows = section.below.iter().skip(1).filter_map(|row| {
        let line = pod.slice(&row.line);
        let (kind, status) = condition(pod, row)?;
        let start = row.line.start + line.rfind(status)?;
        let mut fields = vec![
            ("type".to_owned(), Out::text(row.line.start..row.line.start + kind.len())),
            ("status".to_owned(), Out::text(start..start + status.len())),
        ];
        match &refused {
            _ if kind != "PodScheduled" => {}
            _ if status == "True" => fields.push(("reason".to_owned(), Out::Absent(row.line.start))),
            Some(Happened { reason, message, .. }) => {
                fields.push(("reason".to_owned(), Out::Made(Kind::String, reason.clone(), "Unschedulable".to_owned())));
                fields.push(("message".to_owned(), Out::text(message.clone())));
            }
            None => {}
        }
        Some(Out::Map(row.line.start, fields))
    });
    Out::List(section.line.start, rows.collect())
}
