//! Subcommands of `gleaner rules`, and the rules of other commands.

mod check;
mod diff;
mod docs;
mod explain;
mod file_watch;
mod foreign;
mod joins;
mod list;
mod loading;
mod new;
mod opened;
mod schema;
mod test;

use std::io::Write;

use super::args::rules::{Project, RulesCommand};
use super::exit::ExitCode;

pub use loading::{chosen, compiled, known_lines, loaded, selected, streams};
pub use opened::opened;

/// Runs a subcommand of `rules`.
pub fn run(command: &RulesCommand, out: &mut dyn Write, err: &mut dyn Write) -> ExitCode {
    let answer = match command {
        RulesCommand::List(args) => list::run(args, out, err),
        RulesCommand::Check(args) => check::run(args, out, err),
        RulesCommand::Test(args) => match args.from {
            Some(Project::Cre) => foreign::test(args, out, err),
            None => test::run(args, out, err),
        },
        RulesCommand::Import(args) => foreign::import(args, out, err),
        RulesCommand::Explain(args) => explain::run(args, out, err),
        RulesCommand::New(args) => new::run(args, out, err),
        RulesCommand::Schema => schema::run(out, err),
        RulesCommand::Diff(args) => diff::run(args, out, err),
        RulesCommand::Docs(args) => docs::run(args, out, err),
    };
    // The error has been printed.
    answer.unwrap_or_else(|code| code)
}
