//! Command line: arguments, files, terminal, exit codes. Only this module prints.

pub mod analyze;
pub mod args;
mod completions;
pub mod diff;
mod errors;
pub mod exit;
mod explore;
mod inputs;
mod invocation;
mod lines;
mod loaders;
mod man;
mod mcp;
pub mod output;
pub mod progress;
pub mod rules;
pub mod sample;
mod screen;
#[cfg(feature = "serve")]
mod serve;
pub mod size;
mod stdout_guard;
pub mod threads;
mod triage;
mod version;

use std::ffi::OsString;
use std::io::{self, Write};

use clap::Parser;

use args::{Cli, Command};
use errors::{print_error, usage_error};
use exit::ExitCode;
use output::OutputError;
use stdout_guard::StdoutGuard;

use crate::model::clean;

/// Runs the program: reports and lists go to `out`, everything else to `err`.
pub fn run(args: impl IntoIterator<Item = OsString>, out: &mut dyn Write, err: &mut dyn Write) -> ExitCode {
    let args: Vec<OsString> = args.into_iter().collect();
    if let Some(shell) = completions::asking_shell() {
        return completions::answer(shell, args, &mut StdoutGuard::new(out));
    }
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => {
            // Help is no error; clap knows which stream it belongs to. An argument may be the name of a file.
            let shown = error.render().to_string();
            let _ = if shown.chars().any(clean::is_hidden) { lines::print_text(err, &shown) } else { error.print() };
            return if error.use_stderr() { ExitCode::Usage } else { ExitCode::Success };
        }
    };
    if cli.command.answers_on_stdout()
        && let Err(error) = stdout_guard::check_open()
    {
        return usage_error(err, error);
    }
    run_command(cli.command, out, err)
}

/// Runs a command whose arguments were read.
fn run_command(command: Command, out: &mut dyn Write, err: &mut dyn Write) -> ExitCode {
    let mut out = StdoutGuard::new(out);
    let code = match command {
        Command::Analyze(args) => analyze::run(&args, &mut out, err),
        Command::Rules(command) => rules::run(&command, &mut out, err),
        Command::Sample(args) => sample::run(&args, &mut out, err),
        Command::Diff(args) => diff::run(&args, &mut out, err),
        Command::Mcp(args) => mcp::run(&args, answered, &mut io::stdin().lock(), &mut out, err),
        #[cfg(feature = "serve")]
        Command::Serve(args) => serve::run(&args, &mut out, err),
        Command::Events(args) => explore::events::run(&args, &mut out, err),
        Command::Timeline(args) => explore::timeline::run(&args, &mut out, err),
        Command::Grep(args) => explore::grep::run(&args, &mut out, err),
        Command::Logs(args) => explore::logs::run(&args, &mut out, err),
        Command::Describe(args) => explore::describe::run(&args, &mut out, err),
        Command::Top(args) => explore::top::run(&args, &mut out, err),
        Command::Get(args) => explore::get::run(&args, &mut out, err),
        Command::Triage(args) => triage::run(&args, &mut out, err),
        Command::Version(args) => version::run(&args, &mut out),
        Command::Completions(args) => completions::run(&args, &mut out),
        Command::Man(args) => man::run(&args, err),
        Command::TriageWorker(args) => triage::worker::run(&args, &mut out, err),
    };
    match out.finish() {
        // A report that could not be written has been reported already.
        Err(error) if code != ExitCode::Usage => {
            print_error(err, &OutputError::WriteStdout(error).into());
            code.worst(ExitCode::Usage)
        }
        _ => code,
    }
}

/// Runs a command for an answer, away from the terminal.
fn answered(arguments: Vec<OsString>) -> mcp::Output {
    let program = std::iter::once(OsString::from("gleaner"));
    let cli = match Cli::try_parse_from(program.chain(arguments)) {
        Ok(cli) => cli,
        Err(error) => return mcp::Output { code: ExitCode::Usage, text: String::new(), said: error.to_string() },
    };
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = run_command(cli.command, &mut out, &mut err);
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    mcp::Output { code, text: text(out), said: text(err) }
}
