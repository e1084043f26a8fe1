//! docs/command-line.md is the help of the program: `UPDATE=1 cargo test --test docs command_line` writes it.

use std::fmt::Write as _;
use std::fs;

use clap::{Command, CommandFactory};
use gleaner::internals::cli::args::Cli;

use crate::page::root;

const PAGE: &str = "docs/command-line.md";

/// Columns of a help text, as wide as the program makes it at most.
const WIDTH: usize = 100;

fn page() -> String {
    let mut command = Cli::command().term_width(WIDTH).disable_help_subcommand(true);
    command.build();
    let mut text = "# Command line\n\nThis is what `--help` prints.\n".to_owned();
    write_command(&mut text, &mut command, "");
    text
}

fn write_command(text: &mut String, command: &mut Command, parents: &str) {
    let name = format!("{parents}{}", command.get_name());
    let help = command.render_long_help().to_string();
    // Writing to a String cannot fail.
    let _ = writeln!(text, "\n## {name}\n\n```text\n{}\n```", trimmed(&help));
    let parents = format!("{name} ");
    for inner in command.get_subcommands_mut().filter(|inner| !inner.is_hide_set()) {
        write_command(text, inner, &parents);
    }
}

fn trimmed(help: &str) -> String {
    help.trim_end().lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

#[test]
fn command_line() {
    let made = page();
    if std::env::var_os("UPDATE").is_some() {
        fs::write(root(PAGE), &made).unwrap();
    }
    assert!(made.contains("## gleaner rules diff") && made.contains("--fail-on"));
    let found = fs::read_to_string(root(PAGE)).unwrap_or_default();
    assert!(found == made, "{PAGE} is not current; UPDATE=1 cargo test --test docs command_line writes it");
}
