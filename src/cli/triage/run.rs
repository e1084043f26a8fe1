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
use crate::cli::inputs::{InputError, Inputs};
use crate::cli::lines::{print_line, print_text};
use crate::cli::rules;
use crate::triage::input::InputFiles;
use crate::triage::ticket::TicketList;
use crate::triage::{self, Options, Shard, Store};

/// Analyses new and changed files and prints a summary.
pub fn run(args: &RunArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<ExitCode, ExitCode> {
    let rules = checked(rules::chosen(&args.rules, err)?, err)?;
    let options = options(args).map_err(|error| usage_error(err, error))?;
    let files = input_files(args).map_err(|error| usage_error(err, error))?;
    let path = args.store.as_deref().unwrap_or(Path::new(""));
    check(args, path).map_err(|error| usage_error(err, error))?;
    let mut store = Store::open(path).map_err(|error| usage_error(err, error))?;
    let line = Line::new(args.quiet);
    let outcome = triage::analyze_archive(&mut store, &files, &rules, &options, &line);
    drop(line);
    let done = outcome.map_err(|error| usage_error(err, error))?;
    done.trouble.iter().for_each(|what| drop(print_line(err, format_args!("warning: {what}"))));
    if !args.quiet {
        let text = summary::text(&done, &store).map_err(|error| usage_error(err, error))?;
        // The guard of standard output reports errors at the end.
        let _ = print_text(out, &text);
    }
    Ok(ExitCode::Success)
}

/// Fails if the store would replace what the run reads. In a folder that is read, a store of earlier runs is no bundle.
fn check(args: &RunArgs, store: &Path) -> Result<(), InputError> {
    let mut inputs = Inputs::default();
    inputs.add_rules(&args.rules);
    inputs.add_all("the bundle", args.inputs.iter().filter(|input| input.is_file()));
    inputs.add_all("the table of tickets", args.meta.iter());
    inputs.check(store)
}

fn options(args: &RunArgs) -> anyhow::Result<Options> {
    Ok(Options {
        worker_limits: worker_limits(&args.workers)?,
        limits: args.limits.0,
        retry: args.retry,
        again: args.again,
        inputs: args.inputs.iter().map(|input| input.display().to_string()).collect(),
        tickets: args.meta.as_deref().map(TicketList::read).transpose()?,
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
