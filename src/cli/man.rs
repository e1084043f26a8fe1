//! `gleaner man`: writes man pages.

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::Context;
use clap::CommandFactory;

use super::args::{Cli, ManArgs};
use super::errors::usage_error;
use super::exit::ExitCode;

/// Writes a page for the program and for each command.
pub fn run(args: &ManArgs, err: &mut dyn Write) -> ExitCode {
    match write(&args.folder) {
        Ok(()) => ExitCode::Success,
        Err(error) => usage_error(err, error),
    }
}

fn write(folder: &Path) -> anyhow::Result<()> {
    let command = Cli::command().version(env!("CARGO_PKG_VERSION")).disable_help_subcommand(true);
    fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(command, folder))
        .with_context(|| format!("cannot write man pages to `{}`", folder.display()))
}
