//! The shipped rules as a whole: they compile, pass their tests, and do not fire on the healthy sample.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests fail loudly")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use gleaner::internals::bundle::{Bundle, Limits};
use gleaner::internals::pipeline::{self, Options};
use gleaner::internals::rule::load::{self, Loaded};
use gleaner::internals::rule::{Knowledge, RuleSet, Source, Streams, check, compile};
use gleaner::internals::verify::{self, TestSource};
use gleaner::model::{Analysis, Finding, Lang, TimedText};
use rayon::prelude::*;

fn shipped() -> (Loaded, Streams, RuleSet) {
    let loaded = load::embedded();
    let streams = Streams::parse(loaded.streams.clone()).unwrap();
    let set = compile(loaded.sources.clone(), &streams)
        .unwrap_or_else(|errors| panic!("{}", errors.iter().map(ToString::to_string).collect::<String>()));
    (loaded, streams, set)
}

#[test]
fn every_rule_test_passes() {
    let (loaded, streams, set) = shipped();
    let report = verify::run(&set, &streams, &loaded.tests);
    let failures: Vec<String> = report.failures.iter().map(ToString::to_string).collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
    assert!(report.passed >= 2 * set.rules.len(), "only {} cases for {} rules", report.passed, set.rules.len());
}

/// Returns true if the text contains a Chinese character.
fn is_chinese(text: &str) -> bool {
    text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c))
}

/// Returns what a finding says, without commands.
fn texts(finding: &Finding) -> impl Iterator<Item = &TimedText> {
    let steps = finding.remedy.iter().flat_map(|step| [Some(&step.action), step.caution.as_ref()]);
    let texts = [&finding.title, &finding.message, &finding.impact, &finding.cause];
    texts.into_iter().chain(&finding.verify).chain(steps.flatten())
}

/// Rules whose translations were seen, and texts that are not as they should be.
#[derive(Default)]
struct Texts {
    seen: BTreeSet<String>,
    untranslated: BTreeSet<String>,
    unknown: Vec<String>,
    stepless: BTreeSet<String>,
    /// Steps whose command no name or path of the bundle fits.
    left_out: BTreeSet<String>,
}

impl Texts {
    fn add(&mut self, set: &RuleSet, name: &str, english: &Analysis, chinese: &Analysis) {
        assert_eq!(chinese.issues, english.issues, "{name}");
        assert_eq!(chinese.findings.len(), english.findings.len(), "{name}");
        for (own, found) in english.findings.iter().zip(&chinese.findings) {
            assert_eq!(found.fingerprint, own.fingerprint);
            let unknown = texts(own).filter(|text| text.as_str().contains("(unknown)"));
            self.unknown.extend(unknown.map(|text| format!("{}, {name}: {text}", own.rule)));
            if own.remedy.is_empty() {
                self.stepless.insert(format!("{}, {name}", own.rule));
            }
            let steps = own.remedy.iter().filter(|step| step.action.contains("the command is left out"));
            self.left_out.extend(steps.map(|step| format!("{}, {name}: {}", own.rule, step.action)));
            if set.find(&own.rule).unwrap().texts.all().translations.is_empty() {
                continue;
            }
            self.seen.insert(own.rule.clone());
            let english = texts(found).filter(|text| !is_chinese(text));
            self.untranslated.extend(english.map(|text| format!("{}: {text}", own.rule)));
            let runs = |finding: &Finding| finding.remedy.iter().map(|s| s.run.clone()).collect::<Vec<_>>();
            assert_eq!(runs(found), runs(own));
        }
    }

    fn join(mut self, other: Self) -> Self {
        self.seen.extend(other.seen);
        self.untranslated.extend(other.untranslated);
        self.unknown.extend(other.unknown);
        self.stepless.extend(other.stepless);
        self.left_out.extend(other.left_out);
        self
    }
}

/// Compares the Chinese findings of every test with the English ones, which name no value that the bundle does not state, have a step, and leave no
/// command out.
#[test]
fn translations_are_whole_and_render_on_every_test() {
    let (loaded, streams, set) = shipped();
    let of_test = |test: &Source| {
        let source = TestSource::parse(test).unwrap();
        let set = set.subset(&source.rules).unwrap();
        let mut found = Texts::default();
        for case in source.cases().unwrap() {
            let in_language = |lang| verify::analyze_in(lang, &set, &streams, &case).unwrap();
            found.add(&set, &case.name, &in_language(Lang::En), &in_language(Lang::Zh));
        }
        found
    };
    let found = loaded.tests.par_iter().map(of_test).reduce(Texts::default, Texts::join);
    assert!(found.unknown.is_empty(), "{:#?}", found.unknown);
    assert!(found.untranslated.is_empty(), "{:#?}", found.untranslated);
    assert!(found.stepless.is_empty(), "no step is printed: {:#?}", found.stepless);
    assert!(found.left_out.is_empty(), "{:#?}", found.left_out);
    let translated: BTreeSet<String> =
        set.rules.iter().filter(|rule| !rule.texts.all().translations.is_empty()).map(|rule| rule.id.clone()).collect();
    assert!(translated.len() >= 2, "{translated:?}");
    assert_eq!(found.seen, translated);
}

#[test]
fn every_rule_has_a_firing_case_and_a_near_miss() {
    let (loaded, _, set) = shipped();
    let mut cases: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for test in &loaded.tests {
        for (id, count) in verify::counts(test).unwrap() {
            let sum = cases.entry(id).or_default();
            sum.0 += count.firing;
            sum.1 += count.silent;
        }
    }
    let lacking: Vec<&str> = set
        .rules
        .iter()
        .map(|rule| rule.id.as_str())
        .filter(|id| !cases.get(*id).is_some_and(|(firing, silent)| *firing > 0 && *silent > 0))
        .collect();
    assert!(lacking.is_empty(), "without a firing case or a near miss: {lacking:?}");
    let known: BTreeSet<&str> = set.rules.iter().map(|rule| rule.id.as_str()).collect();
    assert!(cases.keys().all(|id| known.contains(id.as_str())), "tests of rules that do not exist");
}

#[test]
fn shipped_rules_have_no_warnings() {
    let (loaded, streams, _) = shipped();
    let known = Knowledge::of_api();
    let set = check(loaded.sources, &streams, &known).unwrap();
    let warnings: Vec<String> = set.warnings.iter().map(ToString::to_string).collect();
    assert!(warnings.is_empty(), "\n{}", warnings.join("\n"));
}

#[test]
fn the_healthy_sample_is_silent_and_every_rule_answers() {
    let (_, _, set) = shipped();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/healthy");
    let bundle = Bundle::open(&path, Limits::default()).unwrap();
    let analysis = pipeline::analyze(&bundle, &set, Options::default(), &());
    assert!(analysis.findings.is_empty(), "{:#?}", analysis.findings);
    let outcomes = &analysis.rules;
    let answers = outcomes.fired.len()
        + outcomes.clean.len()
        + outcomes.clean_partly.len()
        + outcomes.not_evaluated.len()
        + outcomes.not_applicable.len();
    assert_eq!(answers, set.rules.len(), "each rule is in exactly one list");
}
