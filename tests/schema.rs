//! The JSON Schema of rules accepts every shipped rule and rejects what the reader rejects.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests fail loudly")]

#[path = "schema/validate.rs"]
mod validate;

use std::fs;
use std::path::Path;

use gleaner::internals::rule::load::{embedded, folder};
use gleaner::internals::rule::{Source, Streams, schema};
use serde_json::Value;

fn schema() -> Value {
    schema::rule(&Streams::parse(embedded().streams).unwrap())
}

/// Returns the errors of a rule.
fn errors(schema: &Value, rule: &Value) -> Vec<String> {
    validate::errors(schema, schema, rule, "")
}

/// Returns a rule as JSON; none if it is not a YAML mapping from texts to values.
fn json(text: &str) -> Option<Value> {
    serde_yaml::from_str(text).ok()
}

fn below(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

#[test]
fn every_rule_of_ours_is_valid() {
    let schema = schema();
    let rules: Vec<Source> =
        embedded().sources.into_iter().chain(folder(&below("tests/language")).unwrap().sources).collect();
    assert!(rules.len() > 50);
    for rule in rules {
        let value = json(&rule.text).unwrap();
        let errors = errors(&schema, &value);
        assert!(errors.is_empty(), "{}:\n{}", rule.file, errors.join("\n"));
    }
}

/// Errors of form from the golden files of the reader; errors of meaning, such as names, are left to the reader.
#[test]
fn files_that_the_reader_rejects_for_their_form_are_invalid() {
    let schema = schema();
    let files = [
        "adjust-and-steps-wrong",
        "i18n-beside-errors",
        "i18n-wrong",
        "fact-kinds",
        "keys-missing",
        "keys-unknown",
        "modifiers-misfit",
        "not-a-mapping",
        "values-wrong",
    ];
    for name in files {
        let text = fs::read_to_string(below(&format!("tests/rule-errors/{name}.yaml"))).unwrap();
        assert!(!errors(&schema, &json(&text).unwrap()).is_empty(), "{name}");
    }
}

#[test]
fn each_mistake_alone_is_invalid() {
    let schema = schema();
    let whole = "{id: x, title: t, severity: low, confidence: likely, area: vm, message: m, impact: i, cause: c, remedy: [{do: d}], i18n: {zh: {title: z, remedy: [{caution: z}]}}, \
                 find: {a: {resource: pods}}}";
    assert_eq!(errors(&schema, &json(whole).unwrap()), [""; 0]);
    for (good, bad) in [
        ("id: x", "id: X"),
        ("severity: low", "severity: lowest"),
        ("area: vm", "area: vms"),
        ("title: t", "title: ''"),
        ("title: t, ", ""),
        ("{do: d}", "{run: d}"),
        ("[{do: d}]", "[]"),
        ("{zh:", "{en:"),
        ("{title: z", "{titel: z"),
        ("{caution: z}", "{run: z}"),
        ("a: {", "a-b: {"),
        ("resource: pods", "resource: []"),
        ("resource: pods", "resource: pods, log: etcd, match: x"),
        ("resource: pods", "resource: pods, match: x"),
        ("resource: pods", "log: etcd"),
        ("resource: pods", "log: etdc, match: x"),
        ("resource: pods", "log: {}, match: x"),
        ("resource: pods", "event: {type: Bad}"),
        ("resource: pods", "file: {node: x}"),
        ("resource: pods", "resource: pods, optional: maybe"),
        ("resource: pods", "log: etcd, match: x, at_least: 0"),
        ("{resource: pods}", "pods"),
        ("find: {a: {resource: pods}}", "find: {}"),
    ] {
        assert!(whole.contains(good), "{good}");
        assert!(!errors(&schema, &json(&whole.replace(good, bad)).unwrap()).is_empty(), "{bad}");
    }
}
