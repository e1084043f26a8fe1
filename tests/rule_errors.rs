//! Golden diagnostics: each `tests/rule-errors/NAME.yaml` against `NAME.out`.
//!
//! `test-*` are rule tests, all others rules; `warn-*` are checked with what is known of objects, `strict-*` as a library.
//! A file contains one rule, or several that begin with a line `# file: PATH`. `UPDATE=1` rewrites the
//! outputs; review them as someone who knows kubectl but not Rust.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr, reason = "tests fail loudly")]

use std::fs;
use std::path::{Path, PathBuf};

use gleaner::internals::rule::load::embedded;
use gleaner::internals::rule::{Knowledge, RuleError, RuleSet, Source, Streams, check, check_strictly};
use gleaner::internals::verify;

const MARK: &str = "# file: ";

/// The rules of a case.
fn sources(case: &Path, text: &str) -> Vec<Source> {
    let name = case.file_name().unwrap().to_string_lossy();
    if !text.starts_with(MARK) {
        return vec![Source { file: format!("rules/{name}"), text: text.to_owned() }];
    }
    let parts = text.split(MARK).skip(1);
    let rules = parts.map(|part| part.split_once('\n').unwrap());
    rules.map(|(file, text)| Source { file: file.to_owned(), text: text.to_owned() }).collect()
}

/// Returns the output of `rules check`; only the cases of warnings know objects, so others may name any field.
fn shown(case: &Path, streams: &Streams, known: &Knowledge, set: &RuleSet) -> String {
    let name = case.file_name().unwrap().to_string_lossy().into_owned();
    if name.starts_with("test-") {
        let test = Source { file: format!("tests/rules/{name}"), text: fs::read_to_string(case).unwrap() };
        return told(&verify::check(&test, set, streams));
    }
    let strict = name.starts_with("strict-");
    let known = if strict || name.starts_with("warn-") { known } else { &Knowledge::default() };
    let check = if strict { check_strictly } else { check };
    let found = match check(sources(case, &fs::read_to_string(case).unwrap()), streams, known) {
        Ok(set) => set.warnings,
        Err(errors) => errors,
    };
    told(&found)
}

fn told(found: &[RuleError]) -> String {
    found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rule-errors");
    let mut cases: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    cases.sort();
    cases
}

#[test]
fn every_mistake_is_reported_as_recorded() {
    let streams = Streams::parse(embedded().streams).unwrap();
    let (cases, known) = (cases(), Knowledge::of_api());
    let set = check(embedded().sources, &streams, &Knowledge::default()).unwrap();
    assert!(cases.len() >= 60, "only {} cases", cases.len());
    let mut wrong = Vec::new();
    for case in cases {
        let (shown, golden) = (shown(&case, &streams, &known, &set), case.with_extension("out"));
        if shown.is_empty() {
            wrong.push(format!("{} compiles without complaint", case.display()));
        } else if std::env::var_os("UPDATE").is_some() {
            fs::write(&golden, &shown).unwrap();
        } else if fs::read_to_string(&golden).unwrap_or_default() != shown {
            wrong.push(format!("{}:\n{shown}", case.display()));
        }
    }
    assert!(wrong.is_empty(), "differs from the .out files; UPDATE=1 rewrites them\n{}", wrong.join("\n"));
}

/// A rule that reads fields that cannot be checked.
const UNTOLD: &str = r#"
id: untold
title: "{{ pod.metadata.labels.app }} {% for key, value in pod.metadata.annotations | items %}{{ value.x }}{% endfor %}"
severity: low
confidence: hint
area: workload
find:
  pod:
    resource: pods
    where: pod.metadata.labels['example.org/any'] == 'x' && pod.spec.nodeSelector.any == 'y'
  widget:
    resource: widgets.example.org
    where: widget.spec.any.thing == pod.metadata.name
  config:
    resource: configmaps
    where: json(config.data.any).deep[0].field == widget.metadata.name
    optional: true
  mode:
    each: widget.status.modes
    where: mode.value.any == 1
  values:
    value: "{'a': pod, 'b': 1}"
when: owner(pod).spec.any == 1 && values.a.spec.any == 1 && get(widget.spec.ref, 'shop').any == 1 && condition(pod, 'Ready').reason == 'x'
message: "{{ rows | map(attribute='pod') | first }} {{ widget.any }} {{ json(config.data.x).y }}"
impact: "i"
cause: "c"
remedy: [{do: "d"}]
"#;

#[test]
fn fields_that_cannot_be_checked_give_no_error() {
    let streams = Streams::parse(embedded().streams).unwrap();
    let source = Source { file: "rules/untold.yaml".to_owned(), text: UNTOLD.to_owned() };
    let set = check(vec![source], &streams, &Knowledge::of_api()).unwrap_or_else(|errors| panic!("{}", told(&errors)));
    let codes: Vec<&str> = set.warnings.iter().map(|warning| warning.code.as_str()).collect();
    // The type is not known; nothing else is doubtful.
    assert_eq!(codes, ["R101"], "{}", told(&set.warnings));
}

/// Every `FACT.spec.field` and `FACT.status.field` of the built-in rules, with a letter too many.
#[test]
fn misspelt_fields_of_built_in_rules_are_found() {
    let known = Knowledge::of_api();
    let streams = Streams::parse(embedded().streams).unwrap();
    let path = regex::Regex::new(
        r"\b(?:volume|node|pod|upgrade|replica|engine|cluster|machine)\.(?:spec|status)\.[a-zA-Z]{3,}\b",
    )
    .unwrap();
    let (mut tried, mut missed) = (0, Vec::new());
    for source in embedded().sources {
        let conditions = source.text.split("\nmessage:").next().unwrap();
        let lines: Vec<_> = conditions.match_indices("where:").map(|(at, _)| at).collect();
        // An object that is one of several sources of a fact is a value, which has no type.
        let is_value = |fact: &str| conditions.contains(&format!("\n  {fact}:\n    value:"));
        let found = lines.iter().filter_map(|at| path.find_at(conditions, *at));
        let typed = found.filter(|found| !found.as_str().split('.').next().is_some_and(is_value));
        let places = typed.map(|found| found.end());
        for end in places.take(1) {
            let text = format!("{}Q{}", &source.text[..end], &source.text[end..]);
            let broken = Source { text, ..source.clone() };
            let found = match check(vec![broken], &streams, &known) {
                Ok(set) => set.warnings,
                Err(errors) => errors,
            };
            tried += 1;
            let named = |error: &RuleError| matches!(error.code.as_str(), "R103" | "R028" | "R113");
            if !found.iter().any(|error| named(error) && error.to_string().contains('Q')) {
                missed.push(source.file.clone());
            }
        }
    }
    assert!(tried >= 40, "only {tried} rules read such a field");
    assert!(missed.is_empty(), "{tried} tried, not found in {missed:#?}");
}
