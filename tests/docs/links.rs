//! Links between the pages lead somewhere.

use std::collections::BTreeSet;
use std::fs;

use crate::page::root;

const PAGES: [&str; 5] = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs/rule-language.md", "docs/report.md"];

/// What `[text](target)` leads to, outside blocks.
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
