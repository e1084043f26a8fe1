//! The sessions of the pages, done step by step: its files are written, its commands run, their output compared.

#![cfg(unix)]

use std::fs;
use std::path::Path;

use crate::page::{Block, Page, root};

/// Runs a command in a folder; both outputs and the exit code.
fn gleaner(folder: &Path, line: &str) -> (String, i32) {
    let mut words = line.split_whitespace();
    assert_eq!(words.next(), Some("gleaner"), "{line}");
    let output = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("gleaner"))
        .env("NO_COLOR", "1")
        .current_dir(folder)
        .args(words)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    (text, output.status.code().unwrap())
}

/// Runs the commands of a block and writes what they say below each.
fn session(folder: &Path, block: &Block) -> String {
    let mut shown = String::new();
    let mut code = 0;
    for line in block.text.lines().filter_map(|line| line.strip_prefix("$ ")) {
        let text;
        (text, code) = if line == "echo $?" { (format!("{code}\n"), 0) } else { gleaner(folder, line) };
        shown.push_str(&format!("$ {line}\n{text}"));
    }
    shown
}

/// How many rules and tests there are changes with every shipped rule.
fn without_totals(text: &str) -> String {
    let counted = |line: &str| {
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let total = rest.starts_with(" rules checked") || rest.starts_with(" passed");
        if total { format!("N{rest}") } else { line.to_owned() }
    };
    text.lines().map(counted).collect::<Vec<_>>().join("\n")
}

/// Runs a block whose info may change a file for its time.
fn changed(folder: &Path, block: &Block) -> String {
    let Some(change) = block.beyond("console with") else { return session(folder, block) };
    let (change, path) = change.rsplit_once(" in ").unwrap();
    let (old, new) = change.split_once(" as ").unwrap();
    let path = folder.join(path);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(old), "{old} is not in {}", path.display());
    fs::write(&path, text.replacen(old, new, 1)).unwrap();
    let shown = session(folder, block);
    fs::write(&path, text).unwrap();
    shown
}

#[test]
fn sessions_work_as_written() {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(root("samples"), folder.path().join("samples")).unwrap();
    let mut sessions = 0;
    let pages = ["docs/rule-language.md", "docs/report.md"].map(Page::read);
    for block in pages.iter().flat_map(|page| &page.blocks) {
        if let Some(path) = block.beyond("yaml rule").or_else(|| block.beyond("yaml test")) {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, &block.text).unwrap();
        } else if block.is("console") {
            let shown = changed(folder.path(), block);
            assert_eq!(without_totals(&shown), without_totals(&block.text), "line {}:\n{shown}", block.line);
            sessions += 1;
        }
    }
    assert!(sessions >= 6);
}
