//! The tables of the rule language name what the program knows, all of it and nothing else.

use std::collections::BTreeSet;

use gleaner::rule::error::Code;
use gleaner::rule::source::{AREAS, KEYS, PRODUCTS, REQUIRED};

use crate::page::{Page, code, codes};
use crate::rules::{piece, streams};

fn page() -> Page {
    Page::read("docs/rule-language.md")
}

#[test]
fn the_keys_of_a_rule() {
    let page = page();
    let rows = &page.table(&["key", "needed", "what it holds"]).rows;
    let keys: BTreeSet<&str> = rows.iter().map(|row| code(&row[0])).collect();
    assert_eq!(keys, BTreeSet::from(KEYS));
    let required: BTreeSet<&str> = rows.iter().filter(|row| row[1] == "yes").map(|row| code(&row[0])).collect();
    assert_eq!(required, BTreeSet::from(REQUIRED));
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
    for row in &page.table(&["modifier", "for", "means"]).rows {
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
