//! Runs the console sessions of the pages: writes their files, runs their commands and compares the output.
//! `UPDATE=1 cargo test --test docs console` writes the current output into the pages: review the difference before you
//! commit it.

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

/// Runs the commands of a block and writes the output of each below it.
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

/// Runs a block; its info string can change a file while it runs.
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
    let pages = ["docs/rule-language.md", "docs/report.md"].map(|path| (path, Page::read(path)));
    for (path, block) in pages.iter().flat_map(|(path, page)| page.blocks.iter().map(move |block| (path, block))) {
        if let Some(path) = block.beyond("yaml rule").or_else(|| block.beyond("yaml test")) {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, &block.text).unwrap();
        } else if block.is("console") {
            let shown = changed(folder.path(), block);
            sessions += 1;
            if std::env::var_os("UPDATE").is_some() {
                let page = fs::read_to_string(root(path)).unwrap();
                fs::write(root(path), page.replacen(block.text.trim_end(), shown.trim_end(), 1)).unwrap();
                continue;
            }
            assert_eq!(shown.trim_end(), block.text.trim_end(), "line {}:\n{shown}", block.line);
        }
    }
    assert!(sessions >= 6);
}
