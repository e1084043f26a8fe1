//! Links between the pages lead somewhere, and paths that they name exist.

use std::collections::BTreeSet;
use std::fs;

use crate::page::root;

const PAGES: [&str; 6] =
    ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs/rule-language.md", "docs/report.md", "docs/explore.md"];

/// Returns the targets of `[text](target)` outside blocks.
fn targets(text: &str) -> Vec<&str> {
    let prose = text.split("```").step_by(2);
    prose.flat_map(|part| part.split("](").skip(1)).filter_map(|rest| rest.split(')').next()).collect()
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
    for page in PAGES {
        let text = fs::read_to_string(root(page)).unwrap();
        for target in targets(&text).into_iter().filter(|target| !target.starts_with("https://")) {
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let linked = if file.is_empty() { root(page) } else { root(page).parent().unwrap().join(file) };
            let linked = fs::read_to_string(&linked).unwrap_or_else(|e| panic!("{page}: {target}: {e}"));
            assert!(anchor.is_empty() || anchors(&linked).contains(anchor), "{page}: no heading for {target}");
        }
    }
}

/// Pages that send contributors to files.
const GUIDES: [&str; 3] = ["ARCHITECTURE.md", "CONTRIBUTING.md", "rules/streams.yaml"];

/// Returns the paths from the root that are named between backticks; those with a placeholder are left out.
fn named_paths(text: &str) -> Vec<&str> {
    let prose = text.split("```").step_by(2);
    prose
        .flat_map(|part| part.split('`').skip(1).step_by(2))
        .filter(|name| {
            ["src/", "rules/", "tests/", "docs/", "templates/", "benches/", "fuzz/"]
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
