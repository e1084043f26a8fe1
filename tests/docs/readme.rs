//! The reference and the commands of all pages agree with the program.

use clap::Parser;
use gleaner::internals::bundle::Limits;
use gleaner::internals::cli::args::Cli;
use gleaner::internals::cli::exit::ExitCode;
use gleaner::internals::cli::size;

use crate::page::{Page, code, pages};

#[test]
fn exit_codes() {
    let page = Page::read("docs/reference.md");
    let told: Vec<(String, String)> =
        page.table(&["code", "meaning"]).rows.iter().map(|row| (row[0].clone(), row[1].replace('`', ""))).collect();
    let known = ExitCode::TABLE.map(|(code, meaning)| (code.code().to_string(), meaning.to_owned()));
    assert_eq!(told, known);
}

#[test]
fn limits() {
    let page = Page::read("docs/reference.md");
    let known: Vec<(&str, u64)> = Limits::TABLE.iter().map(|limit| (limit.flag, limit.get(&Limits::DEFAULT))).collect();
    let rows = &page.table(&["flag", "default", "bounds"]).rows;
    let told: Vec<(&str, u64)> = rows.iter().map(|row| (code(&row[0]), size::parse(&row[1]).unwrap())).collect();
    assert_eq!(told, known);
}

/// Returns the arguments of every `gleaner ...` in the blocks of a page, without shell syntax.
fn commands(page: &Page) -> Vec<Vec<String>> {
    let lines = page.blocks.iter().flat_map(|block| block.text.lines());
    let lines = lines.map(|line| line.trim_start_matches("$ ")).filter(|line| line.starts_with("gleaner "));
    let bare = |line: &str| line.split(['#', '|', '>']).next().unwrap_or_default().to_owned();
    lines.map(|line| bare(line).split_whitespace().map(str::to_owned).collect()).collect()
}

#[test]
fn every_command_is_understood() {
    let pages = pages();
    let with_commands = pages.iter().filter(|page| !commands(&Page::read(page)).is_empty()).count();
    assert!(with_commands >= 10, "only {with_commands} of {} pages have commands", pages.len());
    for path in pages {
        for words in commands(&Page::read(&path)) {
            assert!(Cli::try_parse_from(&words).is_ok(), "{path}: {}", words.join(" "));
        }
    }
}
