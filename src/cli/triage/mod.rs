//! `gleaner triage ...`: arguments to runs over archives, and to questions to their stores.

pub mod args;
mod attempt;
mod export;
mod merge;
mod progress;
mod query;
mod report;
mod run;
mod summary;
pub mod worker;

use std::io::Write;

use super::exit::ExitCode;
use super::{rules, tell};
use crate::rule::load::Loaded;
use crate::triage::rules::Rules;
use args::{TriageArgs, TriageCommand};

/// Runs `triage` or a sub-command of it.
pub fn run(args: &TriageArgs, out: &mut dyn Write, err: &mut dyn Write) -> ExitCode {
    let answer = match &args.command {
        None => run::run(&args.run, out, err),
        Some(TriageCommand::Merge(args)) => merge::run(args, out, err),
        Some(TriageCommand::Query(args)) => query::run(args, out, err),
        Some(TriageCommand::Export(args)) => export::run(args, err),
        Some(TriageCommand::Report(args)) => report::run(args, out, err),
        Some(TriageCommand::Try(args)) => attempt::run(args, out, err),
    };
    // Whoever ends early has told why.
    answer.unwrap_or_else(|code| code)
}

fn usage(err: &mut dyn Write, error: impl Into<anyhow::Error>) -> ExitCode {
    tell(err, &error.into());
    ExitCode::Usage
}

/// Rules that workers can run; what is wrong in them is told before any is started.
fn checked(loaded: Loaded, err: &mut dyn Write) -> Result<Rules, ExitCode> {
    let set = rules::compiled(loaded.clone(), err)?;
    Ok(Rules::new(&loaded, &set))
}

fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
