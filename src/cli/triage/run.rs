//! `gleaner triage DIR --store FILE`: one run.

use std::env;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::Path;
use std::thread;

use anyhow::Context;

use super::args::{RunArgs, TermArgs};
use super::progress::Line;
use super::{checked, summary, usage};
use crate::cli::exit::ExitCode;
use crate::cli::rules;
use crate::triage::input::Found;
use crate::triage::{self, Options, Shard, Store, Terms};

/// Analyses what is new, and tells what was done.
pub fn run(args: &RunArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<ExitCode, ExitCode> {
    let rules = checked(rules::chosen(&args.rules, err)?, err)?;
    let options = options(args).map_err(|error| usage(err, error))?;
    let found = found(args).map_err(|error| usage(err, error))?;
    let path = args.store.as_deref().unwrap_or(Path::new(""));
    let mut store = Store::open(path).map_err(|error| usage(err, error))?;
    let line = Line::new(args.quiet);
    let outcome = triage::run(&mut store, &found, &rules, &options, &line);
    drop(line);
    let done = outcome.map_err(|error| usage(err, error))?;
    done.trouble.iter().for_each(|what| drop(writeln!(err, "warning: {what}")));
    if !args.quiet {
        let text = summary::text(&done, &store).map_err(|error| usage(err, error))?;
        // What cannot be written is told at the end.
        let _ = out.write_all(text.as_bytes());
    }
    Ok(ExitCode::Success)
}

fn options(args: &RunArgs) -> anyhow::Result<Options> {
    Ok(Options {
        terms: terms(&args.terms)?,
        limits: args.limits.0,
        retry: args.retry,
        again: args.again,
        inputs: args.inputs.iter().map(|input| input.display().to_string()).collect(),
    })
}

/// Who works: this program again, with as many threads as there are processors unless told.
pub fn terms(args: &TermArgs) -> anyhow::Result<Terms> {
    let processors = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = args.threads.map_or(processors, NonZeroUsize::get);
    let jobs = args.jobs.map_or(threads, NonZeroUsize::get);
    Ok(Terms {
        program: env::current_exe().context("cannot tell where this program is, which is needed to start workers")?,
        jobs,
        threads: threads.div_ceil(jobs),
        bundle_time: args.bundle_time,
        bundle_memory: args.bundle_memory,
    })
}

fn found(args: &RunArgs) -> anyhow::Result<Found> {
    let environment = || Shard::of_environment(&|name| env::var(name).ok());
    let shard = args.shard.map_or_else(environment, |shard| Ok(Some(shard)))?;
    let mut found = Found::new(shard.unwrap_or_default());
    args.inputs.iter().try_for_each(|input| found.add(input))?;
    found.finish();
    Ok(found)
}
