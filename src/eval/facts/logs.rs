//! Groups of lines that a log fact selects.

use std::sync::Arc;

use crate::eval::facts::candidate::{Candidate, Candidates, Reason};
use crate::expr::Value;
use crate::log::LogAnswer;

/// Selects the groups of hits that answer a query.
pub fn select_log_groups<'a>(answer: &LogAnswer, wanted: &str) -> Candidates<'a> {
    let list = answer.groups.iter().map(|group| Candidate::of(Value::Hits(Arc::clone(group)))).collect();
    Candidates { list, missing: missing_logs(answer, wanted) }
}

/// Returns why more lines may exist than were found, with the time range of the logs that were read.
pub fn missing_logs(answer: &LogAnswer, wanted: &str) -> Option<Reason> {
    if answer.sources == 0 {
        return Some(format!("the bundle has no log of {wanted}").into());
    }
    let undated = || match answer.undated {
        0 => None,
        lines => Some(format!("{lines} matching lines of {wanted} have no time")),
    };
    let reason = answer.missing.first().cloned().or_else(undated)?;
    let covered = match answer.covered {
        (Some(from), Some(to)) => format!("; those of {wanted} that are there cover {from:.0} to {to:.0}"),
        _ => String::new(),
    };
    Some(format!("{reason}{covered}").into())
}
