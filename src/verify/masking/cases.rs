//! Hides values in the bundles of rule tests.

use std::path::Path;

use rayon::prelude::*;
use serde_json::Value;

use super::{Random, is_open};
use crate::rule::load;
use crate::rule::{RuleSet, Streams};
use crate::verify::case::Layout;
use crate::verify::{Case, TestSource, analyze, expect};

/// Rules with an optional collected fact take a list with a part of its objects as it is.
const TAKES_PARTS: [&str; 1] = ["harvester-clock-skew"];

/// Fields that redactors leave: they look for addresses, names and credentials. What hiding these would do is not promised.
const KEPT: [&str; 2] = ["uid", "osImage"];

/// Paths of the texts of an object. A redactor of texts cannot hide which kind of object it is, and leaves numbers, flags and
/// times.
fn leaves(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            let is_hidden = |key: &&String| !(KEPT.contains(&key.as_str()) || path.is_empty() && is_type(key));
            for (key, field) in fields.iter().filter(|(key, _)| is_hidden(key)) {
                leaves(field, &format!("{path}/{}", key.replace('~', "~0").replace('/', "~1")), found);
            }
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(at, item)| leaves(item, &format!("{path}/{at}"), found));
        }
        Value::String(text) if text.parse::<jiff::Timestamp>().is_err() => found.push(path.to_owned()),
        _ => {}
    }
}

fn is_type(key: &str) -> bool {
    key == "kind" || key == "apiVersion"
}

/// Hides some values: usually one, sometimes several; returns their paths.
fn hide(case: &mut Case, random: &mut Random) -> Vec<String> {
    let mut hidden = Vec::new();
    for _ in 0..=random.below(8) / 6 * 3 {
        let Some(at) = (case.objects.len() as u64).checked_sub(1).map(|last| random.below(last + 1) as usize) else {
            break;
        };
        let mut found = Vec::new();
        leaves(&case.objects[at], "", &mut found);
        if found.is_empty() {
            continue;
        }
        let path = found.swap_remove(random.below(found.len() as u64) as usize);
        if let Some(value) = case.objects[at].pointer_mut(&path) {
            *value = Value::from(random.mask());
            hidden.push(format!("objects[{at}]{path}"));
        }
    }
    hidden
}

/// Returns true if the layout has objects as they are, not rows that the test harness prints from them.
fn dumps_objects(case: &Case) -> bool {
    !matches!(case.layout, Layout::Rancher(_))
}

/// Answer of each rule of a test; none if the case cannot be written as a bundle.
fn answers(set: &RuleSet, streams: &Streams, rules: &[String], case: &Case) -> Option<Vec<&'static str>> {
    let analysis = analyze(set, streams, case).ok()?;
    Some(rules.iter().map(|rule| expect::given(rule, &analysis).0).collect())
}

#[test]
fn hidden_values_only_leave_questions_open() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tests = load::folder(folder).unwrap().tests;
    let rules = load::embedded();
    let streams = Streams::parse(rules.streams).unwrap();
    let set = crate::rule::compile(rules.sources, &streams).unwrap();
    let wrong: Vec<String> = tests
        .par_iter()
        .flat_map(|file| {
            let source = TestSource::parse(file).unwrap();
            let set = set.subset(&source.rules).unwrap();
            // The same values are hidden wherever the checkout lies.
            let mut random = Random::of(&Path::new(&file.file).strip_prefix(folder).unwrap().to_string_lossy());
            let mut wrong = Vec::new();
            for case in source.cases().unwrap().into_iter().filter(dumps_objects) {
                let Some(before) = answers(&set, &streams, &source.rules, &case) else { continue };
                for _ in 0..4 {
                    let mut masked = case.clone();
                    let hidden = hide(&mut masked, &mut random);
                    let Some(after) = answers(&set, &streams, &source.rules, &masked) else { continue };
                    for ((rule, before), after) in source.rules.iter().zip(&before).zip(after) {
                        if !is_open(before, after) && !TAKES_PARTS.contains(&rule.as_str()) {
                            wrong.push(format!("{rule} {:?}: {before} -> {after} by {hidden:?}", case.name));
                        }
                    }
                }
            }
            wrong
        })
        .collect();
    assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n"));
}
