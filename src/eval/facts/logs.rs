//! Groups of lines that a log fact selects.

use std::sync::Arc;

use crate::eval::facts::candidate::{Candidate, Candidates, Searched};
use crate::expr::Value;
use crate::log::LogAnswer;
use crate::model::message::{LogNames, Reason, SharedReason};

/// Selects the groups of hits that answer a query.
pub fn select_log_groups<'a>(answer: &LogAnswer, wanted: &LogNames) -> Candidates<'a> {
    let list = answer.groups.iter().map(|group| Candidate::of(Value::Hits(Arc::clone(group)))).collect();
    Candidates { list, incomplete: missing_logs(answer, wanted), searched: searched(answer) }
}

/// Returns whether logs were read, and all lines of them could be read and placed. Of logs that no pod writes there is nothing more
/// to read.
pub fn searched(answer: &LogAnswer) -> Searched {
    match answer.undated == 0 && answer.gaps.iter().all(Reason::is_gap) {
        true => Searched::of(answer.sources > 0 || answer.unwritten),
        false => Searched::Doubtful,
    }
}

/// Returns why more lines may exist than were found, with the time range of the logs that were read.
pub fn missing_logs(answer: &LogAnswer, wanted: &LogNames) -> Option<SharedReason> {
    if answer.sources == 0 {
        let logs = wanted.clone();
        return Some(if answer.unwritten { Reason::NoPodWrites { logs } } else { Reason::NoLog { logs } }.into());
    }
    let undated = || match answer.undated {
        0 => None,
        count => Some(Reason::LinesUndated { count, logs: wanted.clone() }),
    };
    let reason = answer.gaps.first().cloned().or_else(undated)?;
    let reason = match answer.covered {
        (Some(from), Some(to)) => Reason::Covered { reason: Box::new(reason), logs: wanted.clone(), from, to },
        _ => reason,
    };
    Some(reason.into())
}
