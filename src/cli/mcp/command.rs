//! Commands of this program, run for an answer.

use std::ffi::OsString;

use clap::Parser;

use super::super::args::Cli;
use super::super::exit::ExitCode;

/// What a command wrote.
#[derive(Clone, Debug)]
pub struct Output {
    pub code: ExitCode,
    pub text: String,
    /// What it said on standard error.
    pub said: String,
}

/// Runs a command of this program.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> Output {
    let program = std::iter::once(OsString::from("gleaner"));
    let cli = match Cli::try_parse_from(program.chain(arguments)) {
        Ok(cli) => cli,
        Err(error) => return Output { code: ExitCode::Usage, text: String::new(), said: error.to_string() },
    };
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = crate::cli::run_command(cli.command, &mut out, &mut err);
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Output { code, text: text(out), said: text(err) }
}
