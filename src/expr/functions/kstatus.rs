//! `kstatus(obj)`: progress of an object, by the algorithm of sigs.k8s.io/cli-utils (pkg/kstatus).
//!
//! Checks for all objects come first (deletion, generation, conditions Reconciling and Stalled), then the rules of the
//! built-in type or the condition Ready; an object without any of these is current.

use crate::expr::check::shape::Kind;
use crate::expr::functions::arguments::check_one_of;
use jiff::SignedDuration;

use crate::expr::eval::stop::{Answer, Stop};
use crate::expr::eval::time;
use crate::expr::eval::value::Value;
use crate::expr::functions::function::{Caller, Function, LENIENT, Parameter, Returns, Takes};
use crate::expr::functions::object_view::ObjectView;
use crate::model::message::Reason;

/// Functions declared in this file.
pub(super) const FUNCTIONS: &[Function] = &[Function {
    name: "kstatus",
    parameters: &[
        Parameter::required("obj", Takes::Object),
        Parameter::optional("part", Takes::Text).checked(check_part),
    ],
    returns: Returns::Kind(Kind::Text),
    doc: "[its status](#health): `Current`, `InProgress`, `Failed`, `Terminating`, `NotFound` or `Unknown`; `kstatus(obj, 'message')` gives the reason",
    run: kstatus,
    options: LENIENT.example("kstatus(obj) or kstatus(obj, 'message')").reads(&["status"]),
}];

fn check_part(part: &str) -> Result<(), (String, Option<String>)> {
    check_one_of("part", part, &PARTS)
}

/// Time that a pod may wait for a node before it counts as failed.
const SCHEDULE_WINDOW: SignedDuration = SignedDuration::from_secs(15);

/// Allowed values of the second argument.
pub(super) const PARTS: [&str; 2] = ["status", "message"];

/// Status with its explanation.
struct Status {
    status: &'static str,
    message: String,
}

type Judged = Result<Status, Stop>;

fn current(message: impl Into<String>) -> Status {
    Status { status: "Current", message: message.into() }
}

fn in_progress(message: impl Into<String>) -> Status {
    Status { status: "InProgress", message: message.into() }
}

fn failed(message: impl Into<String>) -> Status {
    Status { status: "Failed", message: message.into() }
}

/// Returns the status, or its explanation with `'message'` as second argument.
pub(super) fn kstatus<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    let object = args.first().cloned().unwrap_or(Value::Null);
    let found = match &object {
        Value::Null => Status { status: "NotFound", message: "Resource not found".to_owned() },
        _ => judge(&ObjectView::new(caller.world, &object))?,
    };
    Ok(match args.get(1).and_then(Value::as_str) {
        Some("message") => Value::text(&found.message),
        _ => Value::borrowed(found.status),
    })
}

fn judge(object: &ObjectView<'_>) -> Judged {
    if let Some(status) = generic(object)? {
        return Ok(status);
    }
    let (group, kind) = object.identity()?;
    match (group.as_str(), kind.as_str()) {
        ("", "Pod") => pod(object),
        ("", "PersistentVolumeClaim") => claim(object),
        ("", "Service") => service(object),
        ("", "ConfigMap" | "Secret") | ("batch", "CronJob") => Ok(current("Resource is always ready")),
        ("apps" | "extensions", "Deployment") => deployment(object),
        ("apps" | "extensions", "ReplicaSet") => replica_set(object),
        ("apps" | "extensions", "DaemonSet") => daemon_set(object),
        ("apps", "StatefulSet") => stateful_set(object),
        ("policy", "PodDisruptionBudget") => Ok(current("AllowedDisruptions has been computed.")),
        ("batch", "Job") => job(object),
        ("apiextensions.k8s.io", "CustomResourceDefinition") => definition(object),
        _ => ready(object),
    }
}

fn generic(object: &ObjectView<'_>) -> Result<Option<Status>, Stop> {
    if object.has(&["metadata", "deletionTimestamp"])? {
        return Ok(Some(Status { status: "Terminating", message: "Resource scheduled for deletion".to_owned() }));
    }
    let (observed, latest) = (object.int(&["status", "observedGeneration"])?, object.int(&["metadata", "generation"])?);
    if let (Some(observed), Some(latest)) = (observed, latest)
        && observed != latest
    {
        let kind = object.identity()?.1;
        let message = format!("{kind} generation is {latest}, but latest observed generation is {observed}");
        return Ok(Some(in_progress(message)));
    }
    for condition in object.items(&["status", "conditions"])? {
        if !condition.is(&["status"], "True")? {
            continue;
        }
        match condition.text(&["type"])?.as_str() {
            "Reconciling" => return Ok(Some(in_progress(condition.text(&["message"])?))),
            "Stalled" => return Ok(Some(failed(condition.text(&["message"])?))),
            _ => {}
        }
    }
    Ok(None)
}

fn ready(object: &ObjectView<'_>) -> Judged {
    let Some(condition) = object.condition("Ready")? else { return Ok(current("Resource is current")) };
    match condition.text(&["status"])?.as_str() {
        "True" => Ok(current("Resource is Ready")),
        "False" | "Unknown" => Ok(in_progress(condition.text(&["message"])?)),
        _ => Ok(current("Resource is current")),
    }
}

fn pod(object: &ObjectView<'_>) -> Judged {
    match object.text(&["status", "phase"])?.as_str() {
        "Succeeded" => Ok(current("Pod has completed successfully")),
        "Failed" => Ok(failed("Pod has completed, but not successfully")),
        "Running" if object.holds("Ready", "True")? => Ok(current("Pod is Ready")),
        "Running" => {
            let mut looping = Vec::new();
            for container in object.items(&["status", "containerStatuses"])? {
                if container.is(&["state", "waiting", "reason"], "CrashLoopBackOff")? {
                    looping.push(container.text(&["name"])?);
                }
            }
            if looping.is_empty() {
                return Ok(in_progress("Pod is running but is not Ready"));
            }
            Ok(failed(format!("Containers in CrashLoop state: {}", looping.join(","))))
        }
        "Pending" => pending_pod(object),
        "" => Ok(in_progress("Pod phase not available")),
        other => Ok(Status { status: "Unknown", message: format!("unknown phase {other}") }),
    }
}

fn pending_pod(object: &ObjectView<'_>) -> Judged {
    let unschedulable = match object.condition("PodScheduled")? {
        Some(condition) => condition.is(&["status"], "False")? && condition.is(&["reason"], "Unschedulable")?,
        None => false,
    };
    if !unschedulable {
        return Ok(in_progress("Pod is in the Pending phase"));
    }
    let created = time::time_of_value(&object.get(&["metadata", "creationTimestamp"])?).map_err(Stop::wrong)?;
    let (Some(created), now) = (created, object.world.now) else { return Ok(failed("Pod could not be scheduled")) };
    let now = now.ok_or_else(|| Stop::undecided(Reason::CollectionTimeUnknown))?;
    if now.duration_since(created) < SCHEDULE_WINDOW {
        return Ok(in_progress("Pod has not been scheduled"));
    }
    Ok(failed("Pod could not be scheduled"))
}

fn claim(object: &ObjectView<'_>) -> Judged {
    let phase = object.text(&["status", "phase"])?;
    if phase == "Bound" {
        return Ok(current("PVC is Bound"));
    }
    Ok(in_progress(format!("PVC is not Bound. phase: {}", if phase.is_empty() { "unknown" } else { &phase })))
}

fn service(object: &ObjectView<'_>) -> Judged {
    let waits = object.is(&["spec", "type"], "LoadBalancer")? && !object.has(&["spec", "clusterIP"])?;
    Ok(if waits { in_progress("ClusterIP not set. Service type: LoadBalancer") } else { current("Service is ready") })
}

/// Returns a status if fewer exist than desired, as controllers count them.
fn short(what: &str, have: i64, want: i64) -> Option<Status> {
    (want > have).then(|| in_progress(format!("{what}: {have}/{want}")))
}

fn too_many(have: i64, want: i64) -> Option<Status> {
    (have > want).then(|| in_progress(format!("Pending termination: {}", have - want)))
}

fn deployment(object: &ObjectView<'_>) -> Judged {
    let status = object.at(&["status"])?;
    let want = object.int_or(&["spec", "replicas"], 1)?;
    let (all, updated) = (status.int_or(&["replicas"], 0)?, status.int_or(&["updatedReplicas"], 0)?);
    let (ready, available) = (status.int_or(&["readyReplicas"], 0)?, status.int_or(&["availableReplicas"], 0)?);
    let mut progressing =
        object.int(&["spec", "progressDeadlineSeconds"])?.is_none_or(|seconds| seconds == i64::from(i32::MAX));
    if let Some(condition) = object.condition("Progressing")? {
        if condition.is(&["reason"], "ProgressDeadlineExceeded")? {
            return Ok(failed("Progress deadline exceeded"));
        }
        progressing |= condition.is(&["status"], "True")? && condition.is(&["reason"], "NewReplicaSetAvailable")?;
    }
    let counted = short("Replicas", all, want)
        .or_else(|| short("Updated", updated, want))
        .or_else(|| too_many(all, want))
        .or_else(|| short("Available", available, updated))
        .or_else(|| short("Ready", ready, want));
    if let Some(status) = counted {
        return Ok(status);
    }
    if !progressing {
        return Ok(in_progress("ReplicaSet not Available"));
    }
    if !object.holds("Available", "True")? {
        return Ok(in_progress("Deployment not Available"));
    }
    Ok(current(format!("Deployment is available. Replicas: {all}")))
}

fn replica_set(object: &ObjectView<'_>) -> Judged {
    if object.holds("ReplicaFailure", "True")? {
        return Ok(in_progress("Replica Failure condition. Check Pods"));
    }
    let status = object.at(&["status"])?;
    let want = object.int_or(&["spec", "replicas"], 1)?;
    let all = status.int_or(&["replicas"], 0)?;
    let counted = short("Labelled", status.int_or(&["fullyLabeledReplicas"], 0)?, want)
        .or(short("Available", status.int_or(&["availableReplicas"], 0)?, want))
        .or(short("Ready", status.int_or(&["readyReplicas"], 0)?, want))
        .or_else(|| too_many(all, want));
    Ok(counted.unwrap_or_else(|| current(format!("ReplicaSet is available. Replicas: {all}"))))
}

fn daemon_set(object: &ObjectView<'_>) -> Judged {
    let status = object.at(&["status"])?;
    let Some(want) = status.int(&["desiredNumberScheduled"])? else {
        return Ok(in_progress("Missing .status.desiredNumberScheduled"));
    };
    let counted = short("Current", status.int_or(&["currentNumberScheduled"], 0)?, want)
        .or(short("Updated", status.int_or(&["updatedNumberScheduled"], 0)?, want))
        .or(short("Available", status.int_or(&["numberAvailable"], 0)?, want))
        .or(short("Ready", status.int_or(&["numberReady"], 0)?, want));
    Ok(counted.unwrap_or_else(|| current(format!("All replicas scheduled as expected. Replicas: {want}"))))
}

fn stateful_set(object: &ObjectView<'_>) -> Judged {
    if object.is(&["spec", "updateStrategy", "type"], "OnDelete")? {
        return Ok(current("StatefulSet is using the ondelete update strategy"));
    }
    let status = object.at(&["status"])?;
    let want = object.int_or(&["spec", "replicas"], 1)?;
    let (all, ready) = (status.int_or(&["replicas"], 0)?, status.int_or(&["readyReplicas"], 0)?);
    let counted = short("Replicas", all, want).or_else(|| short("Ready", ready, want)).or_else(|| too_many(all, want));
    if let Some(status) = counted {
        return Ok(status);
    }
    let updated = status.int_or(&["updatedReplicas"], 0)?;
    if let Some(partition) = object.int(&["spec", "updateStrategy", "rollingUpdate", "partition"])? {
        let rollout = short("updated", updated, want.saturating_sub(partition));
        return Ok(rollout.unwrap_or_else(|| current(format!("Partition rollout complete. updated: {updated}"))));
    }
    if let Some(status) = short("current", status.int_or(&["currentReplicas"], 0)?, want) {
        return Ok(status);
    }
    if status.text(&["currentRevision"])? != status.text(&["updateRevision"])? {
        return Ok(in_progress("Waiting for updated revision to match current"));
    }
    Ok(current(format!("All replicas scheduled as expected. Replicas: {all}")))
}

fn job(object: &ObjectView<'_>) -> Judged {
    let status = object.at(&["status"])?;
    let parallelism = object.int_or(&["spec", "parallelism"], 1)?;
    let completions = object.int_or(&["spec", "completions"], parallelism)?;
    let (succeeded, failures) = (status.int_or(&["succeeded"], 0)?, status.int_or(&["failed"], 0)?);
    if object.holds("Complete", "True")? {
        return Ok(current(format!("Job Completed. succeeded: {succeeded}/{completions}")));
    }
    if object.holds("Failed", "True")? {
        return Ok(failed(format!("Job Failed. failed: {failures}/{completions}")));
    }
    if !status.has(&["startTime"])? {
        return Ok(in_progress("Job not started"));
    }
    let active = status.int_or(&["active"], 0)?;
    Ok(current(format!("Job in progress. success:{succeeded}, active: {active}, failed: {failures}")))
}

fn definition(object: &ObjectView<'_>) -> Judged {
    for condition in object.items(&["status", "conditions"])? {
        let (type_, status) = (condition.text(&["type"])?, condition.text(&["status"])?);
        match (type_.as_str(), status.as_str()) {
            ("NamesAccepted", "False") => return Ok(failed(condition.text(&["message"])?)),
            ("Established", "False") if !condition.is(&["reason"], "Installing")? => {
                return Ok(failed(condition.text(&["message"])?));
            }
            ("Established", "True") => return Ok(current("CRD is established")),
            _ => {}
        }
    }
    Ok(in_progress("Install in progress"))
}
