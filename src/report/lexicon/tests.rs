//! Tests that tables and texts agree: every text is translated, and every translation is used.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

use super::*;
use crate::model::{BundleKind, Confidence, IssueKind, Severity};

const TABLES: [(&str, &Table); 2] = [("PHRASES", zh::PHRASES), ("TERMS", zh::TERMS)];
/// String literal of Rust and of templates.
const LITERAL: &str = r#""((?:[^"\\]|\\.)*)""#;

fn chinese() -> Lexicon {
    Lexicon::of(Lang::Zh)
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the files below a folder with this extension.
fn files(folder: &str, ending: &str) -> Vec<(PathBuf, String)> {
    let mut open = vec![root().join(folder)];
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

/// Returns the code without tests.
fn code(folder: &str) -> Vec<(PathBuf, String)> {
    let mut files = files(folder, "rs");
    files.retain(|(path, _)| !path.ends_with("tests.rs") && !path.ends_with("lexicon/zh.rs"));
    files.iter_mut().for_each(|(_, text)| *text = text.split("\n#[cfg(test)]").next().unwrap().to_owned());
    files
}

fn literals(pattern: &str, text: &str) -> Vec<String> {
    let pattern = Regex::new(&pattern.replace("LITERAL", LITERAL)).unwrap();
    pattern.captures_iter(text).filter_map(|found| Some(found.iter().last()??.as_str().replace("\\n", "\n"))).collect()
}

/// Returns the phrases in code and templates; of singular and plural, the plural.
fn asked() -> BTreeSet<String> {
    let templates = templates().into_iter();
    let asked = templates.flat_map(|(_, text)| {
        [literals(r"\bt\(\s*LITERAL", &text), literals(r"\bcount\([^)]*?LITERAL,\s*LITERAL\)", &text)].concat()
    });
    // The terminal summary is English only.
    let code = code("src/report").into_iter().filter(|(path, _)| !path.to_str().unwrap().contains("/text/"));
    let of_code = code.flat_map(|(_, text)| {
        let simple = literals(r"\b(?:t|self)\s*\.(?:say|fill)\(\s*LITERAL", &text);
        let counted = literals(r#"\bt\.count(?:_with)?\([^"]*?LITERAL,\s*LITERAL"#, &text);
        let named = literals(r"\(one, many\) =\s*\(\s*LITERAL,\s*LITERAL", &text);
        [simple, counted, named].concat()
    });
    asked.chain(of_code).collect()
}

#[test]
fn what_is_said_is_in_the_table_and_the_other_way_round() {
    let asked = asked();
    let known: BTreeSet<String> = zh::PHRASES.iter().map(|(english, _)| (*english).to_owned()).collect();
    let missing: Vec<_> = asked.difference(&known).collect();
    let unused: Vec<_> = known.difference(&asked).collect();
    assert!(missing.is_empty(), "to be added to zh::PHRASES: {missing:#?}");
    assert!(unused.is_empty(), "nobody says, so take them out of zh::PHRASES: {unused:#?}");
}

#[test]
fn phrases_are_said_as_literals() {
    let other = Regex::new(r#"\bt\.(?:say|fill)\(\s*[^"\s]"#).unwrap();
    for (path, text) in code("src/report").iter().filter(|(path, _)| !path.ends_with("template.rs")) {
        assert!(!other.is_match(text), "{}: {:?}", path.display(), other.find(text));
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
fn tables_are_sorted_and_keep_the_names() {
    let names = |text: &str| -> BTreeSet<String> {
        let name = |piece| if let placeholder::Piece::Name(name) = piece { Some(name.to_owned()) } else { None };
        placeholder::pieces(text).filter_map(name).collect()
    };
    for (table, entries) in TABLES {
        assert!(entries.windows(2).all(|pair| pair[0].0 < pair[1].0), "zh::{table} is not sorted");
        for (english, chinese) in entries {
            assert_eq!(names(english), names(chinese), "{english}");
            assert!(!chinese.is_empty(), "{english}");
        }
    }
}

#[test]
fn every_value_has_its_term() {
    let mut values: BTreeSet<String> = Severity::ALL.iter().map(|one| one.as_str().to_owned()).collect();
    values.extend(Confidence::ALL.iter().map(|one| one.as_str().to_owned()));
    use IssueKind as K;
    let kinds = [K::Archive, K::Limit, K::Layout, K::Path, K::Document, K::Log, K::Rule];
    values.extend(kinds.iter().map(|kind| kind.as_str().to_owned()));
    values.extend(BundleKind::ALL.iter().map(|kind| kind.title().to_owned()));
    for (_, text) in code("src/report/view") {
        values.extend(literals(r"State::new\(LITERAL", &text));
        values.extend(literals(r"(?:MomentKind|Source)::\w+ => LITERAL", &text));
        values.extend(literals(r"const (?:CAUSE|FOLDED): &str = LITERAL", &text));
        values.extend(literals(r#"(?m)^ +\(LITERAL, (?:count\(|rules\.|volumes\.)"#, &text));
    }
    for (_, rule) in files("rules", "yaml") {
        values.extend(rule.lines().filter_map(|line| line.strip_prefix("area: ")).map(|area| area.trim().to_owned()));
    }
    let missing: Vec<_> = values.iter().filter(|value| look_up(zh::TERMS, value).is_none()).collect();
    assert!(missing.is_empty(), "to be added to zh::TERMS: {missing:#?}");
    let source: String = code("src").into_iter().map(|(_, text)| text).collect();
    let unused: Vec<_> = zh::TERMS.iter().map(|(english, _)| *english).collect();
    let unused: Vec<_> =
        unused.into_iter().filter(|term| !values.contains(*term) && !source.contains(&format!("\"{term}\""))).collect();
    assert!(unused.is_empty(), "no value is called so: {unused:#?}");
}

#[test]
fn numbers_take_the_form_of_the_language() {
    let english = Lexicon::ENGLISH;
    assert_eq!(english.count(1, "{n} rule", "{n} rules"), "1 rule");
    assert_eq!(english.count(1_204, "{n} rule", "{n} rules"), "1,204 rules");
    assert_eq!(chinese().count(1, "{n} rule", "{n} rules"), "1 条规则");
    assert_eq!(english.some(["a", "b"], 3), "a, b and 3 more");
    assert_eq!(english.span("2026-03-01T10:00:02Z", "2026-03-01T10:00:02Z"), "2026-03-01 10:00:02 UTC");
    assert_eq!(english.span("2026-03-01T10:00:02Z", "2026-03-01T11:00:00Z"), "2026-03-01 10:00:02 to 11:00:00 UTC");
}

#[test]
fn texts_in_another_language_are_marked() {
    assert_eq!(chinese().foreign("disk is full"), Some("en"));
    assert_eq!(chinese().foreign("磁盘 sda 已满"), None);
    assert_eq!(Lexicon::ENGLISH.foreign("disk is full"), None);
}

#[test]
fn names_of_a_bundle_are_no_texts() {
    assert_eq!(chinese().fill("{n} of {all} rows", &[("all", &7)]), "7 行中显示 {n} 行", "scripts fill in the rest");
    assert_eq!(chinese().fill("{n} shown", &[("n", &"{n} {what}")]), "显示 {n} {what} 个");
}
