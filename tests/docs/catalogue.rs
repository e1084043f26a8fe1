//! The pages of rules match the rules; `UPDATE=1 cargo test --test docs catalogue` rewrites them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::page::root;

/// All files below a folder, relative to it, with their texts; sorted.
fn files(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(next) = waiting.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                let text = fs::read_to_string(&path).unwrap();
                found.push((path.strip_prefix(folder).unwrap().to_owned(), text));
            }
        }
    }
    found.sort();
    found
}

fn write_pages(folder: &Path) {
    let mut command = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("gleaner"));
    // Not in the checkout: the pages are about what the program embeds.
    let elsewhere = tempfile::tempdir().unwrap();
    command.current_dir(elsewhere.path()).args(["rules", "docs", "-o"]).arg(folder).assert().success();
}

#[test]
fn pages_are_current() {
    if std::env::var_os("UPDATE").is_some() {
        write_pages(&root("docs/rules"));
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    write_pages(folder.path());
    let (made, kept) = (files(folder.path()), files(&root("docs/rules")));
    let paths = |files: &[(PathBuf, String)]| files.iter().map(|(path, _)| path.clone()).collect::<Vec<_>>();
    let advice = "UPDATE=1 cargo test --test docs catalogue writes docs/rules anew";
    assert_eq!(paths(&made), paths(&kept), "{advice}");
    for ((path, made), (_, kept)) in made.iter().zip(&kept) {
        assert_eq!(made, kept, "{}: {advice}", path.display());
    }
}

/// Checks that every page has all parts for a reader who does not know the failure, and that its links lead somewhere.
#[test]
fn pages_are_whole() {
    let folder = root("docs/rules");
    let pages = files(&folder);
    assert!(pages.len() > 30);
    for (path, text) in pages.iter().filter(|(path, _)| path.components().count() > 1) {
        for heading in ["What is wrong", "Impact", "Cause", "What to do", "How it is recognised"] {
            assert!(text.contains(&format!("\n## {heading}\n\n")), "{}: {heading}", path.display());
        }
        for (_, rest) in text.match_indices("](../").map(|(at, mark)| text.split_at(at + mark.len())) {
            let target = rest.split(')').next().unwrap();
            assert!(folder.join(target).is_file(), "{}: {target}", path.display());
        }
    }
}

#[test]
fn pages_of_rules_that_are_gone_are_removed_and_others_stay() {
    let folder = tempfile::tempdir().unwrap();
    let area = folder.path().join("storage");
    fs::create_dir(&area).unwrap();
    fs::write(area.join("gone.md"), "# gone\n\nMade by `gleaner rules docs`; do not edit.\n").unwrap();
    fs::write(area.join("notes.md"), "mine\n").unwrap();
    write_pages(folder.path());
    assert!(!area.join("gone.md").exists() && area.join("notes.md").exists());
    assert!(area.join("longhorn-volume-degraded.md").exists());
}
