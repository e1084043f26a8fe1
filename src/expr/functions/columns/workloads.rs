//! Computed columns of Jobs and CronJobs.

use crate::expr::eval::stop::{Answer, Stop};
use crate::expr::eval::time;
use crate::expr::eval::value::Value;
use crate::expr::functions::columns::cell_values::{Computed, age, is_deleted};
use crate::expr::functions::object_view::ObjectView;

/// Computes STATUS, COMPLETIONS and DURATION of a Job.
pub(super) fn job<'a>(object: &ObjectView<'a>) -> Computed<'a> {
    let succeeded = object.int_or(&["status", "succeeded"], 0)?;
    let parallelism = object.int_or(&["spec", "parallelism"], 0)?;
    let completions = match object.int(&["spec", "completions"])? {
        Some(completions) => format!("{succeeded}/{completions}"),
        None if parallelism > 1 => format!("{succeeded}/1 of {parallelism}"),
        None => format!("{succeeded}/1"),
    };
    Ok(vec![
        ("STATUS", Value::borrowed(job_status(object)?)),
        ("COMPLETIONS", Value::text(&completions)),
        ("DURATION", job_duration(object)?),
    ])
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
    let active = object.items(&["status", "active"])?.len();
    Ok(vec![
        ("ACTIVE", Value::Int(i64::try_from(active).unwrap_or(i64::MAX))),
        ("LAST SCHEDULE", age(object.world, &object.get(&["status", "lastScheduleTime"])?)?),
    ])
}
