//! Links between the pages lead somewhere, and paths that they name exist.

use std::collections::BTreeSet;
use std::fs;

use crate::page::{pages, root};

/// Returns the targets of `[text](target)` outside blocks and code.
fn targets(text: &str) -> Vec<&str> {
    let lines = text.split("```").step_by(2).flat_map(str::lines);
    let prose = lines.flat_map(|line| line.split('`').step_by(2));
    let behind_text = prose.flat_map(|part| part.split("](").skip(1));
    behind_text.filter_map(|rest| rest.split(')').next()).collect()
}

/// The anchors of a page: its headings in lower case with dashes.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let anchor = |line: &str| {
        let kept = line.trim_start_matches('#').trim().to_lowercase();
        kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-')).collect::<String>().replace(' ', "-")
    };
    headings.map(anchor).collect()
}

#[test]
fn links_lead_to_pages_and_headings() {
    let is_here = |target: &&str| !["https://", "http://"].iter().any(|scheme| target.starts_with(scheme));
    for page in pages().into_iter().filter(|page| page != SUMMARY).chain(pages_of_rules()) {
        let text = fs::read_to_string(root(&page)).unwrap();
        for target in targets(&text).into_iter().filter(is_here) {
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let linked = if file.is_empty() { root(&page) } else { root(&page).parent().unwrap().join(file) };
            assert!(linked.exists(), "{page}: {target} does not exist");
            let has_anchor = || anchors(&fs::read_to_string(&linked).unwrap()).contains(anchor);
            assert!(anchor.is_empty() || has_anchor(), "{page}: no heading for {target}");
        }
    }
}

/// Pages that list rules, which `gleaner rules docs` makes.
const INDEXES: [&str; 2] = ["rules/README.md", "rules/releases.md"];

fn pages_of_rules() -> Vec<String> {
    let names = |folder: &str| {
        let entries =
            fs::read_dir(root(folder)).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        entries.map(|name| format!("{folder}/{name}")).collect::<Vec<_>>()
    };
    let areas = names("docs/rules").into_iter().filter(|path| root(path).is_dir());
    let pages: Vec<String> =
        areas.flat_map(|area| names(&area)).chain(INDEXES.map(|page| format!("docs/{page}"))).collect();
    assert!(pages.len() > 100, "{} pages of rules", pages.len());
    pages
}

/// The table of contents of the site, in which pages of the root stand beside those of `docs/`.
const SUMMARY: &str = "docs/SUMMARY.md";

#[test]
fn the_site_has_every_page() {
    let text = fs::read_to_string(root(SUMMARY)).unwrap();
    let mut listed: Vec<String> = targets(&text).into_iter().map(str::to_owned).collect();
    listed.sort();
    let of_site = |page: &String| page != SUMMARY && page != "README.md" && !page.starts_with("deploy/");
    let mut known: Vec<String> =
        pages().into_iter().filter(of_site).map(|page| page.replacen("docs/", "", 1)).collect();
    known.extend(INDEXES.map(str::to_owned));
    known.sort();
    assert_eq!(listed, known);
}

/// Pages that send contributors to files.
const GUIDES: [&str; 3] = ["ARCHITECTURE.md", "CONTRIBUTING.md", "rules/streams.yaml"];

/// Returns the paths from the root that are named between backticks; those with a placeholder are left out.
fn named_paths(text: &str) -> Vec<&str> {
    let prose = text.split("```").step_by(2);
    prose
        .flat_map(|part| part.split('`').skip(1).step_by(2))
        .filter(|name| {
            ["src/", "rules/", "tests/", "docs/", "templates/", "benches/", "fuzz/", "deploy/", "build/"]
                .iter()
                .any(|root| name.starts_with(root))
        })
        .filter(|name| !name.contains([' ', '<', '*', '{']))
        .collect()
}

#[test]
fn named_paths_exist() {
    for page in GUIDES {
        let text = fs::read_to_string(root(page)).unwrap();
        let paths = named_paths(&text);
        assert!(!paths.is_empty(), "{page} names no path");
        for path in paths {
            assert!(root(path).exists(), "{page} names {path}, which does not exist");
        }
    }
}
