//! Computed columns of Jobs, CronJobs and ControllerRevisions.

use crate::expr::eval::stop::{Answer, Stop};
use crate::expr::eval::time;
use crate::expr::eval::value::Value;
use crate::expr::functions::columns::cell_values::{Computed, age, is_deleted};
use crate::expr::functions::object_view::ObjectView;

/// Computes STATUS, COMPLETIONS and DURATION of a Job.
pub(super) fn job<'a>(object: &ObjectView<'a>) -> Computed<'a> {
    vec![
        ("STATUS", job_status(object).map(Value::borrowed)),
        ("COMPLETIONS", completions(object)),
        ("DURATION", job_duration(object)),
    ]
}

fn completions<'a>(object: &ObjectView<'a>) -> Answer<'a> {
    let succeeded = object.int_or(&["status", "succeeded"], 0)?;
    let parallelism = object.int_or(&["spec", "parallelism"], 0)?;
    let completions = match object.int(&["spec", "completions"])? {
        Some(completions) => format!("{succeeded}/{completions}"),
        None if parallelism > 1 => format!("{succeeded}/1 of {parallelism}"),
        None => format!("{succeeded}/1"),
    };
    Ok(Value::text(&completions))
}

fn job_status(object: &ObjectView<'_>) -> Result<&'static str, Stop> {
    for condition in ["Complete", "Failed", "Suspended", "FailureTarget"] {
        if object.holds(condition, "True")? {
            return Ok(condition);
        }
    }
    Ok(if is_deleted(object)? { "Terminating" } else { "Running" })
}

fn job_duration<'a>(object: &ObjectView<'a>) -> Answer<'a> {
    let start = object.get(&["status", "startTime"])?;
    let moment = |value: &Value<'_>| time::time_of_value(value).map_err(Stop::wrong);
    match (moment(&start)?, moment(&object.get(&["status", "completionTime"])?)?) {
        (Some(start), Some(end)) => Ok(Value::Duration(end.duration_since(start))),
        _ => age(object.world, &start),
    }
}

/// Computes ACTIVE and LAST SCHEDULE of a CronJob.
pub(super) fn cron_job<'a>(object: &ObjectView<'a>) -> Computed<'a> {
    vec![("ACTIVE", active(object)), ("LAST SCHEDULE", last_schedule(object))]
}

fn active<'a>(object: &ObjectView<'a>) -> Answer<'a> {
    let active = object.items(&["status", "active"])?.len();
    Ok(Value::Int(i64::try_from(active).unwrap_or(i64::MAX)))
}

fn last_schedule<'a>(object: &ObjectView<'a>) -> Answer<'a> {
    age(object.world, &object.get(&["status", "lastScheduleTime"])?)
}

/// Computes CONTROLLER of a ControllerRevision.
pub(super) fn revision<'a>(object: &ObjectView<'a>) -> Computed<'a> {
    vec![("CONTROLLER", controller(object))]
}

/// Formats `daemonset.apps/name`.
fn controller<'a>(object: &ObjectView<'a>) -> Answer<'a> {
    for owner in object.items(&["metadata", "ownerReferences"])? {
        if matches!(owner.get(&["controller"])?, Value::Bool(true)) {
            let version = owner.text(&["apiVersion"])?;
            let group = version.split_once('/').map_or_else(String::new, |(group, _)| format!(".{group}"));
            let kind = owner.text(&["kind"])?.to_lowercase();
            return Ok(Value::text(&format!("{kind}{group}/{}", owner.text(&["name"])?)));
        }
    }
    Ok(Value::Null)
}
