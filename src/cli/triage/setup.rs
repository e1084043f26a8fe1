//! Rules and workers of runs, from arguments.

use std::env;
use std::io::Write;
use std::num::NonZeroUsize;
use std::thread;

use anyhow::Context;

use crate::cli::args::triage::WorkerLimitArgs;
use crate::cli::exit::ExitCode;
use crate::cli::rules;
use crate::rule::load::Loaded;
use crate::triage::WorkerLimits;
use crate::triage::run::rules::Rules;

/// Compiles rules for workers; prints errors before any worker starts.
pub fn checked(loaded: Loaded, err: &mut dyn Write) -> Result<Rules, ExitCode> {
    let set = rules::compiled(loaded.clone(), err)?;
    Ok(Rules::new(&loaded, &set))
}

/// Returns the workers to use: this program, by default with one thread per processor.
pub fn worker_limits(args: &WorkerLimitArgs) -> anyhow::Result<WorkerLimits> {
    let processors = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = args.threads.map_or(processors, NonZeroUsize::get);
    let jobs = args.jobs.map_or(threads, NonZeroUsize::get);
    Ok(WorkerLimits {
        program: env::current_exe().context("cannot find this program, which is needed to start workers")?,
        jobs,
        threads: threads.div_ceil(jobs),
        bundle_time: args.bundle_time,
        bundle_memory: args.bundle_memory,
    })
}
