//! Commands of remedies through the whole pipeline: whatever a bundle has for a name, the command has names and paths or is left
//! out. How a shell reads them is tested next to the code.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests fail loudly")]

use std::collections::BTreeSet;

use gleaner::internals::rule::load;
use gleaner::internals::rule::{RuleSet, Source, Streams, compile};
use gleaner::internals::verify::{self, TestSource};
use gleaner::model::{Finding, Lang};
use rayon::prelude::*;

/// Words in place of a command.
const LEFT_OUT: &str = "the command is left out";

fn shipped() -> (load::Loaded, Streams, RuleSet) {
    let loaded = load::embedded();
    let streams = Streams::parse(loaded.streams.clone()).unwrap();
    let set = compile(loaded.sources.clone(), &streams).map_err(|e| e.len()).unwrap();
    (loaded, streams, set)
}

/// Returns the findings of the cases of a rule test; none if it cannot be read.
fn findings_of(test: &Source, streams: &Streams, set: &RuleSet) -> Vec<Finding> {
    let Ok(source) = TestSource::parse(test) else { return Vec::new() };
    let Ok(set) = set.subset(&source.rules) else { return Vec::new() };
    let analyses =
        source.cases().into_iter().flatten().flat_map(|case| verify::analyze_in(Lang::En, &set, streams, &case));
    analyses.flat_map(|analysis| analysis.findings).collect()
}

/// Returns the names of objects and namespaces in a rule test, the first ones.
fn names(test: &str) -> Vec<String> {
    let after = |key: &str| -> Vec<String> {
        let values = test.split(key).skip(1).map(|rest| rest.split([',', '}', ' ', '\n']).next().unwrap_or_default());
        values.filter(|name| name.len() > 3 && !name.starts_with(['"', '\'', '{'])).map(str::to_owned).collect()
    };
    let all: BTreeSet<String> =
        ["metadata: {name: ", "namespace: ", "node: ", "nodeName: "].into_iter().flat_map(after).collect();
    all.into_iter().take(2).collect()
}

#[test]
fn no_name_of_any_object_of_any_rule_test_gets_into_a_command_or_beside_one() {
    // Within a plain scalar of YAML, each character stands for itself.
    const HOSTILE: &str = "$(reboot)`reboot`;reboot&reboot|reboot>x*?~!'\"\\";
    let (loaded, streams, set) = shipped();
    let replaced = |test: &Source| -> Vec<Source> {
        let text = |name: &String| test.text.replace(name, &format!("{name}{HOSTILE}"));
        names(&test.text).iter().map(|name| Source { text: text(name), ..test.clone() }).collect()
    };
    let tests: Vec<Source> = loaded.tests.iter().flat_map(replaced).collect();
    let all: Vec<Finding> = tests.par_iter().flat_map_iter(|test| findings_of(test, &streams, &set)).collect();
    let (mut left_out, mut rules) = (0, BTreeSet::new());
    for finding in &all {
        for step in &finding.remedy {
            let run = step.run.as_deref().unwrap_or_default();
            assert!(!run.contains("reboot)"), "{}: {run}", finding.rule);
            left_out += usize::from(step.action.contains(LEFT_OUT));
        }
        let verify = finding.verify.as_ref().map_or("", |text| text.as_str());
        for sentence in verify.split(". ").filter(|sentence| sentence.contains("kubectl")) {
            let command = sentence.split_once("kubectl").map_or("", |(_, command)| command);
            assert!(!command.contains("reboot"), "{}: {verify}", finding.rule);
        }
        rules.insert(&finding.rule);
    }
    assert!(left_out > 200 && rules.len() > 100, "{left_out} commands of {} rules", rules.len());
}
