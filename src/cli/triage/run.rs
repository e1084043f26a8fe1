//! `gleaner triage DIR --store FILE`: runs over an archive.

use std::env;
use std::io::Write;
use std::path::Path;

use super::progress::Line;
use super::setup::{checked, worker_limits};
use super::summary;
use crate::cli::args::triage::RunArgs;
use crate::cli::errors::usage_error;
use crate::cli::exit::ExitCode;
use crate::cli::rules;
use crate::triage::input::InputFiles;
use crate::triage::{self, Options, Shard, Store};

/// Analyses new and changed files and prints a summary.
pub fn run(args: &RunArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<ExitCode, ExitCode> {
    let rules = checked(rules::chosen(&args.rules, err)?, err)?;
    let options = options(args).map_err(|error| usage_error(err, error))?;
    let files = input_files(args).map_err(|error| usage_error(err, error))?;
    let path = args.store.as_deref().unwrap_or(Path::new(""));
    let mut store = Store::open(path).map_err(|error| usage_error(err, error))?;
    let line = Line::new(args.quiet);
    let outcome = triage::analyze_archive(&mut store, &files, &rules, &options, &line);
    drop(line);
    let done = outcome.map_err(|error| usage_error(err, error))?;
    done.trouble.iter().for_each(|what| drop(writeln!(err, "warning: {what}")));
    if !args.quiet {
        let text = summary::text(&done, &store).map_err(|error| usage_error(err, error))?;
        // The guard of standard output reports errors at the end.
        let _ = out.write_all(text.as_bytes());
    }
    Ok(ExitCode::Success)
}

fn options(args: &RunArgs) -> anyhow::Result<Options> {
    Ok(Options {
        worker_limits: worker_limits(&args.workers)?,
        limits: args.limits.0,
        retry: args.retry,
        again: args.again,
        inputs: args.inputs.iter().map(|input| input.display().to_string()).collect(),
    })
}

fn input_files(args: &RunArgs) -> anyhow::Result<InputFiles> {
    let environment = || Shard::of_environment(&|name| env::var(name).ok());
    let shard = args.shard.map_or_else(environment, |shard| Ok(Some(shard)))?;
    let mut files = InputFiles::new(shard.unwrap_or_default());
    args.inputs.iter().try_for_each(|input| files.add(input))?;
    files.finish();
    Ok(files)
}
