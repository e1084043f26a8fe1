//! The command line: arguments, files, terminal, exit codes. The only place that prints.

mod again;
pub mod analyze;
pub mod args;
mod beside;
pub mod diff;
pub mod exit;
mod files_from;
mod limits;
pub mod output;
pub mod progress;
pub mod rules;
pub mod sample;
mod screen;
pub mod size;
mod stream;
mod triage;

use std::ffi::OsString;
use std::io::Write;
use std::num::NonZeroUsize;

use anyhow::Context;
use clap::Parser;
use rayon::ThreadPool;

use args::{Cli, Command};
use exit::ExitCode;
use output::OutputError;
use stream::Watched;

/// Stack of worker threads: rules walk their expressions by recursion, bounded by the compiler.
const STACK: usize = 16 << 20;

/// Runs the program; reports and lists go to `out`, everything else to `err`.
pub fn run(args: impl IntoIterator<Item = OsString>, out: &mut dyn Write, err: &mut dyn Write) -> ExitCode {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are answers, not errors; clap knows where each goes.
            let _ = error.print();
            return if error.use_stderr() { ExitCode::Usage } else { ExitCode::Success };
        }
    };
    let mut out = Watched::new(out);
    let code = match cli.command {
        Command::Analyze(args) => analyze::run(&args, &mut out, err),
        Command::Rules(command) => rules::run(&command, &mut out, err),
        Command::Sample(args) => sample::run(&args, &mut out, err),
        Command::Diff(args) => diff::run(&args, &mut out, err),
        Command::Triage(args) => triage::run(&args, &mut out, err),
        Command::TriageWorker(args) => triage::worker::run(&args, &mut out, err),
    };
    match out.finish() {
        // What could not be written as a report has been told already.
        Err(error) if code != ExitCode::Usage => {
            tell(err, &OutputError::WriteStdout(error).into());
            code.worst(ExitCode::Usage)
        }
        _ => code,
    }
}

/// The threads that work; as many as there are processors unless told.
fn pool(threads: Option<NonZeroUsize>) -> anyhow::Result<ThreadPool> {
    let threads = threads.map_or(0, NonZeroUsize::get);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build();
    pool.context("cannot start the worker threads")
}

/// Tells an error with its causes, each on the line it explains.
fn tell(err: &mut dyn Write, error: &anyhow::Error) {
    let causes: Vec<String> = error.chain().map(ToString::to_string).collect();
    // Nobody is left to tell when standard error is closed.
    let _ = writeln!(err, "error: {}", causes.join(": "));
}
