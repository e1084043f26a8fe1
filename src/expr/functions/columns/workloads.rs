//! Columns of Deployments, ReplicaSets, DaemonSets, StatefulSets, Jobs and CronJobs.

use crate::expr::eval::stop::{Answer, Stop};
use crate::expr::eval::time;
use crate::expr::eval::value::Value;
use crate::expr::functions::columns::cell_values::{Cells, age, count, each, field, joined, labels};
use crate::expr::functions::object_view::ObjectView;

pub(super) const DEPLOYMENT: [&str; 6] = ["READY", "UP-TO-DATE", "AVAILABLE", "CONTAINERS", "IMAGES", "SELECTOR"];
pub(super) const REPLICA_SET: [&str; 6] = ["DESIRED", "CURRENT", "READY", "CONTAINERS", "IMAGES", "SELECTOR"];
pub(super) const DAEMON_SET: [&str; 9] =
    ["DESIRED", "CURRENT", "READY", "UP-TO-DATE", "AVAILABLE", "NODE SELECTOR", "CONTAINERS", "IMAGES", "SELECTOR"];
pub(super) const STATEFUL_SET: [&str; 3] = ["READY", "CONTAINERS", "IMAGES"];
pub(super) const JOB: [&str; 6] = ["STATUS", "COMPLETIONS", "DURATION", "CONTAINERS", "IMAGES", "SELECTOR"];
pub(super) const CRON_JOB: [&str; 8] =
    ["SCHEDULE", "TIMEZONE", "SUSPEND", "ACTIVE", "LAST SCHEDULE", "CONTAINERS", "IMAGES", "SELECTOR"];

const TEMPLATE: &[&str] = &["spec", "template", "spec", "containers"];

fn ratio<'a>(have: i64, want: i64) -> Value<'a> {
    Value::text(&format!("{have}/{want}"))
}

/// Returns names, images and selector.
fn made_of<'a>(object: &ObjectView<'a>, containers: &[&str]) -> Result<[Value<'a>; 2], Stop> {
    Ok([joined(&each(object, containers, "name")?), joined(&each(object, containers, "image")?)])
}

/// Formats labels, then expressions, in the syntax of `kubectl get -l`.
fn selector<'a>(object: &ObjectView<'a>) -> Answer<'a> {
    let plain = labels(object, &["spec", "selector", "matchLabels"])?;
    let mut parts: Vec<String> = plain.as_str().map(str::to_owned).into_iter().collect();
    for expression in object.items(&["spec", "selector", "matchExpressions"])? {
        let key = expression.text(&["key"])?;
        let values = crate::expr::functions::columns::cell_values::texts(&expression, &["values"])?.join(",");
        parts.push(match expression.text(&["operator"])?.as_str() {
            "In" => format!("{key} in ({values})"),
            "NotIn" => format!("{key} notin ({values})"),
            "DoesNotExist" => format!("!{key}"),
            _ => key,
        });
    }
    Ok(joined(&parts))
}

fn replicas<'a>(object: &ObjectView<'a>) -> Answer<'a> {
    Ok(ratio(object.int_or(&["status", "readyReplicas"], 0)?, object.int_or(&["spec", "replicas"], 1)?))
}

pub(super) fn deployment<'a>(object: &ObjectView<'a>) -> Cells<'a> {
    let [containers, images] = made_of(object, TEMPLATE)?;
    Ok(vec![
        replicas(object)?,
        count(object, &["status", "updatedReplicas"])?,
        count(object, &["status", "availableReplicas"])?,
        containers,
        images,
        selector(object)?,
    ])
}

pub(super) fn replica_set<'a>(object: &ObjectView<'a>) -> Cells<'a> {
    let [containers, images] = made_of(object, TEMPLATE)?;
    Ok(vec![
        Value::Int(object.int_or(&["spec", "replicas"], 1)?),
        count(object, &["status", "replicas"])?,
        count(object, &["status", "readyReplicas"])?,
        containers,
        images,
        selector(object)?,
    ])
}

pub(super) fn daemon_set<'a>(object: &ObjectView<'a>) -> Cells<'a> {
    let [containers, images] = made_of(object, TEMPLATE)?;
    Ok(vec![
        count(object, &["status", "desiredNumberScheduled"])?,
        count(object, &["status", "currentNumberScheduled"])?,
        count(object, &["status", "numberReady"])?,
        count(object, &["status", "updatedNumberScheduled"])?,
        count(object, &["status", "numberAvailable"])?,
        labels(object, &["spec", "template", "spec", "nodeSelector"])?,
        containers,
        images,
        selector(object)?,
    ])
}

pub(super) fn stateful_set<'a>(object: &ObjectView<'a>) -> Cells<'a> {
    let [containers, images] = made_of(object, TEMPLATE)?;
    Ok(vec![replicas(object)?, containers, images])
}

pub(super) fn job<'a>(object: &ObjectView<'a>) -> Cells<'a> {
    let [containers, images] = made_of(object, TEMPLATE)?;
    let succeeded = object.int_or(&["status", "succeeded"], 0)?;
    let parallelism = object.int_or(&["spec", "parallelism"], 0)?;
    let completions = match object.int(&["spec", "completions"])? {
        Some(completions) => ratio(succeeded, completions),
        None if parallelism > 1 => Value::text(&format!("{succeeded}/1 of {parallelism}")),
        None => ratio(succeeded, 1),
    };
    Ok(vec![
        Value::borrowed(job_status(object)?),
        completions,
        job_duration(object)?,
        containers,
        images,
        selector(object)?,
    ])
}

fn job_status(object: &ObjectView<'_>) -> Result<&'static str, Stop> {
    for (condition, shown) in
        [("Complete", "Complete"), ("Failed", "Failed"), ("Suspended", "Suspended"), ("FailureTarget", "FailureTarget")]
    {
        if object.holds(condition, "True")? {
            return Ok(shown);
        }
    }
    Ok(if crate::expr::functions::columns::cell_values::is_deleted(object)? { "Terminating" } else { "Running" })
}

fn job_duration<'a>(object: &ObjectView<'a>) -> Answer<'a> {
    let start = object.get(&["status", "startTime"])?;
    let moment = |value: &Value<'_>| time::time_of_value(value).map_err(Stop::wrong);
    match (moment(&start)?, moment(&object.get(&["status", "completionTime"])?)?) {
        (Some(start), Some(end)) => Ok(Value::Duration(end.duration_since(start))),
        _ => age(object.world, &start),
    }
}

pub(super) fn cron_job<'a>(object: &ObjectView<'a>) -> Cells<'a> {
    let containers = ["spec", "jobTemplate", "spec", "template", "spec", "containers"];
    let [containers, images] = made_of(object, &containers)?;
    let suspended = matches!(object.get(&["spec", "suspend"])?, Value::Bool(true));
    Ok(vec![
        field(object, &["spec", "schedule"])?,
        field(object, &["spec", "timeZone"])?,
        Value::borrowed(if suspended { "True" } else { "False" }),
        Value::Int(i64::try_from(object.items(&["status", "active"])?.len()).unwrap_or(i64::MAX)),
        age(object.world, &object.get(&["status", "lastScheduleTime"])?)?,
        containers,
        images,
        labels(object, &["spec", "jobTemplate", "spec", "selector", "matchLabels"])?,
    ])
}
