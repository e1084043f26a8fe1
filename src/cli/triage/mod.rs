//! Subcommands of `gleaner triage`.

mod attempt;
mod export;
mod merge;
mod progress;
mod query;
mod report;
mod run;
mod setup;
mod summary;
pub mod worker;

use std::io::Write;

use super::args::triage::{TriageArgs, TriageCommand};
use super::exit::ExitCode;

/// Runs `triage` or one of its subcommands.
pub fn run(args: &TriageArgs, out: &mut dyn Write, err: &mut dyn Write) -> ExitCode {
    let answer = match &args.command {
        None => run::run(&args.run, out, err),
        Some(TriageCommand::Merge(args)) => merge::run(args, out, err),
        Some(TriageCommand::Query(args)) => query::run(args, out, err),
        Some(TriageCommand::Export(args)) => export::run(args, err),
        Some(TriageCommand::Report(args)) => report::run(args, out, err),
        Some(TriageCommand::Try(args)) => attempt::run(args, out, err),
    };
    // The error has been printed.
    answer.unwrap_or_else(|code| code)
}
