//! The documentation is true: its examples compile and run, its outputs are the real ones, its tables are those of
//! the program. Info strings of fenced blocks define what a block is:
//!
//! * `yaml rule [PATH]`, `yaml test [PATH]`: a rule, a rule test; PATH is where the tutorial writes it
//! * `yaml facts`: the part of a rule from `find` on; `yaml facts error`: one that must fail as the next block shows
//! * `yaml objects`: the objects that examples of expressions and texts are about
//! * `console [with OLD as NEW in PATH]`: commands with their output, in the folder of the tutorial

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "tests fail loudly"
)]

#[path = "docs/catalogue.rs"]
mod catalogue;
#[path = "docs/command_line.rs"]
mod command_line;
#[path = "docs/console.rs"]
mod console;
#[path = "docs/expressions.rs"]
mod expressions;
#[path = "docs/links.rs"]
mod links;
#[path = "docs/page.rs"]
mod page;
#[path = "docs/readme.rs"]
mod readme;
#[path = "docs/report.rs"]
mod report;
#[path = "docs/rules.rs"]
mod rules;
#[path = "docs/tables.rs"]
mod tables;
