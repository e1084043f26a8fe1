//! End-to-end tests: the program as its users call it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "tests fail loudly"
)]

mod asking;
mod assistant;
mod browser;
mod chinese;
mod cli;
mod collections;
mod completing;
mod containers;
mod corpus;
mod cre;
mod damaged;
mod destinations;
mod determinism;
mod diff;
mod drafts;
mod explain;
mod fixtures;
mod harness;
mod highlight;
mod hostile;
mod inventory;
mod kinds;
mod language;
mod logs;
mod machines;
mod many_findings;
mod new_rules;
mod outputs;
mod planting;
mod questions;
mod redaction;
mod rule_tests;
mod sample;
mod samples;
mod secrets;
mod serve;
mod table_health;
mod terminal;
mod triage;
mod unseen;
mod upgrade;
