//! The tables of the rule language list exactly what the program supports.

use std::collections::BTreeSet;

use gleaner::internals::rule::error::Code;
use gleaner::internals::rule::{AREAS, Fit, Key, KeyTable, TABLES};
use gleaner::model::PRODUCTS;

use crate::page::{Page, code, codes, root};
use crate::rules::{piece, streams};

fn page() -> Page {
    Page::read("docs/rule-language.md")
}

fn table(what: &str) -> &'static KeyTable {
    TABLES.into_iter().find(|table| table.what == what).unwrap()
}

fn mark(key: &Key) -> &'static str {
    if key.required { "yes" } else { "" }
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// Tables that follow from the rows of keys, each with its head.
fn tables_of_keys() -> [(&'static str, Vec<String>); 4] {
    let rows = |of: &str| -> Vec<String> {
        let row = |key: &Key| format!("| `{}` | {} | {} |", key.name, mark(key), cell(key.doc));
        table(of).keys.iter().map(row).collect()
    };
    let modifiers = table("a fact").keys.iter().filter(|key| matches!(key.fit, Fit::Only(_))).map(|key| {
        let value = key.only_value().map(|value| format!(": {value}")).unwrap_or_default();
        format!("| `{}{value}` | {} | {} |", key.name, key.variants().join(", "), cell(key.doc))
    });
    let inner = TABLES.iter().filter(|table| !["a rule", "a fact", "a known line"].contains(&table.what));
    let inner = inner.flat_map(|table| {
        table.allowed().map(|key| format!("| {} | `{}` | {} | {} |", table.what, key.name, mark(key), cell(key.doc)))
    });
    [
        ("| key | needed | meaning |", rows("a rule")),
        ("| key of a known line | needed | meaning |", rows("a known line")),
        ("| modifier | for | meaning |", modifiers.collect()),
        ("| in | key | needed | meaning |", inner.collect()),
    ]
}

/// The page with these rows below the head of a table.
fn with_rows(page: &str, head: &str, rows: &[String]) -> String {
    let (before, after) =
        page.split_once(&format!("{head}\n")).unwrap_or_else(|| panic!("no table has the head {head}"));
    let (ruler, rest) = after.split_once('\n').unwrap();
    let kept: Vec<&str> = rest.split_inclusive('\n').skip_while(|line| line.starts_with('|')).collect();
    format!("{before}{head}\n{ruler}\n{}\n{}", rows.join("\n"), kept.concat())
}

/// `UPDATE=1 cargo test --test docs tables` writes the tables.
#[test]
fn tables_of_keys_are_current() {
    let path = root("docs/rule-language.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let current = tables_of_keys().iter().fold(page.clone(), |page, (head, rows)| with_rows(&page, head, rows));
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, current).unwrap();
        return;
    }
    assert_eq!(current, page, "UPDATE=1 cargo test --test docs tables writes the tables");
}

#[test]
fn areas_and_products() {
    let page = page();
    let line = |start: &str| page.text.lines().find(|line| line.starts_with(start)).unwrap();
    assert_eq!(codes(line("Areas: ")), AREAS);
    assert_eq!(codes(line("Products: ")), PRODUCTS);
}

#[test]
fn streams_with_what_they_hold() {
    let page = page();
    let streams = streams();
    let mark = |small: bool| if small { "small" } else { "" };
    let known: BTreeSet<(&str, &str, &str)> = streams
        .names()
        .map(|name| (name, streams.get(name).unwrap()))
        .map(|(name, stream)| (name, stream.about.as_str(), mark(stream.narrow)))
        .collect();
    let rows = &page.table(&["stream", "holds", ""]).rows;
    let told: BTreeSet<(&str, &str, &str)> =
        rows.iter().map(|row| (code(&row[0]), row[1].as_str(), row[2].as_str())).collect();
    assert_eq!(told, known);
    assert_eq!(rows.len(), known.len());
}

#[test]
fn error_codes_with_their_meaning() {
    let page = page();
    let rows = &page.table(&["code", "means"]).rows;
    let told: Vec<(&str, &str)> = rows.iter().map(|row| (row[0].as_str(), row[1].as_str())).collect();
    let known: Vec<(&str, &str)> = Code::ALL.iter().map(|code| (code.as_str(), code.meaning())).collect();
    assert_eq!(told, known);
}

/// A minimal fact of each kind.
const KINDS: [(&str, &str); 8] = [
    ("resource", "resource: pods"),
    ("event", "event: {reason: Failed}"),
    ("log", "log: etcd"),
    ("file", "file: {path: x}"),
    ("each", "each: nodes"),
    ("value", "value: 1 + 1"),
    ("sequence", "sequence: {steps: [{name: x, log: etcd, match: some text}]}"),
    ("any", "any: [{resource: pods}]"),
];

/// A value for each modifier.
fn sample(modifier: &str) -> &'static str {
    match modifier {
        "where" => "1 == 1",
        "optional" | "collect" | "multiline" => "true",
        "match" | "except" => "some text",
        "jq" => ".message == \"some text\"",
        "since" => "24h",
        "by" => "[]",
        "at_least" => "3",
        "silence" => "unknown",
        "undated" => "skip",
        "within" | "after_boot" => "5m",
        "distinct" | "max" => "word",
        "boot" => "current",
        "namespace" | "name" | "labels" => "x",
        other => panic!("no value for {other}"),
    }
}

/// The codes of what is wrong with a fact that has a modifier.
fn wrong(kind: &str, modifier: &str) -> Vec<Code> {
    let needed = match (kind.split(':').next(), modifier) {
        (Some("log"), "match") => "",
        (Some("log" | "event"), "within") => "    match: some text\n    at_least: 3\n",
        (Some("log"), _) | (Some("event"), "distinct" | "max") => "    match: some (?<word>text)\n",
        _ => "",
    };
    let fact = format!(
        "find:\n  one:\n    {kind}\n{needed}    {modifier}: {}\nwhen: {}\n",
        sample(modifier),
        if kind.starts_with("value") { "one == 2" } else { "1 == 1" }
    );
    piece(&fact).err().into_iter().flatten().map(|error| error.code).collect()
}

#[test]
fn kinds_and_the_modifiers_that_fit_them() {
    let page = page();
    let kinds: Vec<&str> =
        page.table(&["kind", "looks for", "the name then means"]).rows.iter().map(|row| code(&row[0])).collect();
    assert_eq!(kinds, KINDS.map(|(kind, _)| kind));
    for row in &page.table(&["modifier", "for", "meaning"]).rows {
        for modifier in codes(&row[0]) {
            let modifier = modifier.split(':').next().unwrap();
            for (kind, fact) in KINDS {
                let expected = if row[1].split(", ").any(|fit| fit == kind) { vec![] } else { vec![Code::Misfit] };
                assert_eq!(wrong(fact, modifier), expected, "{modifier} of {kind}");
            }
        }
    }
}

/// The fields that a fact has, as the error about an unknown one lists them.
fn fields(fact: &str) -> BTreeSet<String> {
    let text = format!("find:\n  one:\n    {fact}\nwhen: one.nonsense == 1\n");
    let errors = piece(&text).unwrap_err();
    let hint = errors.iter().find(|error| error.code == Code::UnknownField).unwrap().hint.clone().unwrap();
    hint.trim_start_matches("it has: ").split(", ").map(str::to_owned).collect()
}

#[test]
fn fields_of_groups_and_files() {
    let page = page();
    let kinds = &page.table(&["kind", "looks for", "the name then means"]).rows;
    let facts = [("event", "event: {}"), ("log", "log: etcd\n    match: some text"), ("file", "file: {path: x}")];
    for (kind, fact) in facts {
        let row = kinds.iter().find(|row| code(&row[0]) == kind).unwrap();
        let told = codes(&row[2])[0].split(' ').map(|field| field.trim_start_matches('.').to_owned());
        assert_eq!(told.collect::<BTreeSet<_>>(), fields(fact), "{kind}");
    }
    let hits = &page.table(&["field", "means"]).rows;
    let told: BTreeSet<String> = hits
        .iter()
        .flat_map(|row| codes(&row[0]))
        .map(|field| field.trim_start_matches('.').trim_end_matches(".x").to_owned())
        .filter(|field| field != "x")
        .collect();
    assert_eq!(told, fields(facts[1].1));
}

#[test]
fn ways_to_read_a_file() {
    let page = page();
    let rows = &page.table(&["`as`", "`.data`"]).rows;
    for shape in rows.iter().flat_map(|row| codes(&row[0])) {
        piece(&format!("find:\n  one:\n    file: {{path: x, as: {shape}}}\n")).unwrap();
    }
    assert!(rows.len() > 4);
}
