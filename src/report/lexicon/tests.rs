//! Tests that phrases, templates and values of data agree: every text has its row, and every row is used.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

use super::*;
use crate::model::message::{GapReason, GapSubject};
use crate::model::unexplained::{Level, Telling};
use crate::model::{BundleKind, Confidence, FindingClass, IssueKind, NotCollected, Severity};
use crate::rule::AREAS;

#[path = "../../../build/phrases.rs"]
mod generator;

/// String literal of templates and scripts.
const LITERAL: &str = r#""((?:[^"\\]|\\.)*)""#;
/// States that reports translate, as KubeVirt and Longhorn write them.
const WORDS_OF_CLUSTER: [&str; 4] = ["Stopped", "attached", "running", "stopped"];

fn chinese() -> Lexicon {
    Lexicon::of(Lang::Zh)
}

/// Returns the files below a folder with this extension.
fn files(folder: &str, ending: &str) -> Vec<(PathBuf, String)> {
    let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == ending) {
                let text = fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    found
}

/// Returns the templates of translated pages.
fn templates() -> Vec<(PathBuf, String)> {
    let mut files = files("templates", "html");
    files.retain(|(path, _)| !path.to_str().unwrap().contains("/archive/"));
    files
}

fn literals(pattern: &str, text: &str) -> Vec<String> {
    let pattern = Regex::new(&pattern.replace("LITERAL", LITERAL)).unwrap();
    pattern.captures_iter(text).map(|found| found[1].replace("\\n", "\n")).collect()
}

/// Returns the phrases of the templates.
fn of_templates() -> BTreeSet<String> {
    let of =
        |text: &str| [literals(r"\bt\(\s*LITERAL", text), literals(r#"\bcount\([^)"]*?,\s*LITERAL\)"#, text)].concat();
    templates().iter().flat_map(|(_, text)| of(text)).collect()
}

/// Returns the values of data that reports translate. Words that code chooses have a name instead.
fn values() -> BTreeSet<String> {
    let classes = FindingClass::ALL.map(FindingClass::as_str);
    let severities = Severity::ALL.map(Severity::as_str);
    let confidences = Confidence::ALL.map(Confidence::as_str);
    let issues = IssueKind::ALL.map(IssueKind::as_str);
    let kinds = BundleKind::ALL.iter().map(|kind| kind.title());
    let words = classes
        .into_iter()
        .chain(severities)
        .chain(confidences)
        .chain(issues)
        .chain(kinds)
        .chain(Telling::ALL.map(Telling::as_str))
        .chain(Level::ALL.map(Level::as_str))
        .chain(WORDS_OF_CLUSTER)
        .chain(AREAS);
    words.map(str::to_owned).collect()
}

#[test]
fn every_text_has_its_row_and_every_row_is_used() {
    let used: BTreeSet<String> = of_templates().into_iter().chain(values()).collect();
    let missing: Vec<_> = used.iter().filter(|text| phrase::row(text).is_none()).collect();
    assert!(missing.is_empty(), "to be added to phrases.csv: {missing:#?}");
    let unused: Vec<_> = phrase::UNNAMED.iter().filter(|text| !used.contains(**text)).collect();
    assert!(unused.is_empty(), "used by no template and no value, so name them or remove them: {unused:#?}");
}

#[test]
fn rows_with_faults_are_named() {
    let generated = |rows: &str| generator::generate(&format!("name,english,singular,chinese\n{rows}"));
    let items =
        generated("NODES,Nodes,,\u{8282}\u{70b9}\n,Pod,,Pod\nRules,\"{n} rules, {x}\",{n} rule,{n} {x}").unwrap();
    for part in ["pub const NODES: Phrase", "pub n: u64", "pub x: &'p dyn Display", r#"&["Pod"]"#] {
        assert!(items.contains(part), "{part} is not in {items}");
    }
    for (rows, fault) in [
        (",Nodes,,", "line 2: the English or the Chinese is missing"),
        (",Nodes,x", "line 2: not four columns"),
        (",Yes, no,,x", "line 2: not four columns"),
        (",\"Nodes,,x", "line 2: a quote"),
        (",B,,x\n,A,,x", "line 3: rows are unique and in the byte order"),
        (",A,,x\n,A,,x", "line 3: rows are unique"),
        (",{n} nodes,,{m} x", "line 2: English and Chinese have different parts"),
        (",Nodes,Node,x", "line 2: a singular needs {n}"),
        (",{n} nodes,{m} node,{n} x", "line 2: a singular needs {n}"),
    ] {
        let error = generated(rows).unwrap_err();
        assert!(error.starts_with(fault), "{error}");
    }
}

#[test]
fn templates_have_no_text_of_their_own() {
    let code = Regex::new(r"(?s)\{%.*?%\}|\{#.*?#\}|\{\{.*?\}\}").unwrap();
    let spoken = Regex::new(r#"(?:aria-label|placeholder|title|alt|data-says|data-shown)="([^"]*)""#).unwrap();
    let tag = Regex::new("(?s)<[^>]*>").unwrap();
    let letters = |text: &str| text.chars().any(char::is_alphabetic);
    for (path, text) in templates() {
        let text = code.replace_all(&text, "");
        for attribute in spoken.captures_iter(&text) {
            assert!(!letters(&attribute[1]), "{}: {}", path.display(), &attribute[0]);
        }
        for between in tag.split(&text) {
            assert!(!letters(&between.replace("&nbsp;", "")), "{}: {between:?}", path.display());
        }
    }
}

#[test]
fn scripts_say_nothing_of_their_own() {
    // The displayed texts come from data attributes.
    let shown = Regex::new(r"(?:textContent|ariaLabel|dataset\.\w+) = ").unwrap();
    for (path, text) in files("templates", "js") {
        for line in text.lines().filter(|line| shown.is_match(line)) {
            assert!(literals("LITERAL", line).iter().all(String::is_empty), "{}: {line}", path.display());
        }
    }
}

#[test]
fn numbers_take_the_form_of_the_language() {
    let english = Lexicon::ENGLISH;
    for (n, said, counted) in [(1, "1 rule", "1 finding"), (1_204, "1,204 rules", "1,204 findings")] {
        assert_eq!(english.fill(phrase::Rules { n }), said);
        assert_eq!(english.count(n, "{n} findings"), counted);
    }
    assert_eq!(chinese().fill(phrase::Rules { n: 1 }), "1 条规则");
    assert_eq!(chinese().count(1, "{n} findings"), "1 个问题");
    assert_eq!(english.some(["a", "b"], 3), "a, b and 3 more");
    let (from, to) = ("2026-03-01T10:00:02Z".parse().unwrap(), "2026-03-01T11:00:00Z".parse().unwrap());
    assert_eq!(english.span(from, from), "2026-03-01 10:00:02 UTC");
    assert_eq!(english.span(from, to), "2026-03-01 10:00:02 to 11:00:00 UTC");
    assert_eq!(english.instant(from), "2026-03-01 10:00:02 UTC");
    let why = GapReason::DayOfRules { day: to };
    let gap = NotCollected { what: GapSubject::TimeOfCollection, why };
    let about = BundleFacts { collected_at: Some(to), not_collected: vec![gap], ..BundleFacts::default() };
    assert_eq!(english.about(&about).span(from, to), "59m to 0s before the collection");
    assert_eq!(english.about(&about).instant(from), "59m before the collection");
}

#[test]
fn texts_in_another_language_are_marked() {
    assert_eq!(chinese().foreign("disk is full"), Some("en"));
    assert_eq!(chinese().foreign("磁盘 sda 已满"), None);
    assert_eq!(Lexicon::ENGLISH.foreign("disk is full"), None);
}

#[test]
fn names_of_a_bundle_are_no_texts() {
    let rows = chinese().term("{n} of {all} rows");
    assert_eq!(fill(rows, &[("all", &7)]), "7 行中显示 {n} 行", "scripts fill in the rest");
    assert_eq!(fill("显示 {n} 个", &[("n", &"{n} {what}")]), "显示 {n} {what} 个");
}
