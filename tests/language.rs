//! The rule language: rules in `tests/language/rules`, each for one statement of the reference, with their tests.
//!
//! `gleaner rules test tests/language` runs the same cases.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests fail loudly")]

#[path = "language/order.rs"]
mod order;

use std::collections::BTreeSet;
use std::path::Path;

use gleaner::internals::rule::load::{self, Loaded};
use gleaner::internals::rule::{RuleSet, Source, Streams, compile};
use gleaner::internals::verify::{self, Case, TestSource};
use gleaner::model::{Analysis, Finding, Lang};

/// The rules of the language.
fn language() -> Loaded {
    load::folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/language")).unwrap()
}

fn streams() -> Streams {
    Streams::parse(load::embedded().streams).unwrap()
}

fn compiled(sources: Vec<Source>) -> RuleSet {
    compile(sources, &streams())
        .unwrap_or_else(|errors| panic!("{}", errors.iter().map(ToString::to_string).collect::<String>()))
}

/// One case of a file of tests, with the rules that it names.
fn case(set: &RuleSet, test: &Source, name: &str) -> (RuleSet, Case) {
    let source = TestSource::parse(test).unwrap();
    let case = source.cases().unwrap().into_iter().find(|case| case.name == name).unwrap();
    (set.subset(&source.rules).unwrap(), case)
}

fn analysis_of(id: &str, name: &str, change: impl FnOnce(&mut Case)) -> Analysis {
    analysis_in(Lang::En, id, name, change)
}

fn analysis_in(lang: Lang, id: &str, name: &str, change: impl FnOnce(&mut Case)) -> Analysis {
    let loaded = language();
    let set = compiled(loaded.sources);
    let test = loaded.tests.iter().find(|test| test.stem() == id).unwrap();
    let (set, mut case) = case(&set, test, name);
    change(&mut case);
    verify::analyze_in(lang, &set, &streams(), &case).unwrap()
}

fn one(analysis: &Analysis) -> &Finding {
    assert_eq!(analysis.findings.len(), 1, "{:#?}", analysis.rules);
    &analysis.findings[0]
}

#[test]
fn every_sentence_holds() {
    let loaded = language();
    let set = compiled(loaded.sources);
    let report = verify::run(&set, &streams(), &loaded.tests);
    let failures: Vec<String> = report.failures.iter().map(ToString::to_string).collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
    assert!(set.warnings.is_empty(), "{:?}", set.warnings);
    let tested: BTreeSet<String> =
        loaded.tests.iter().flat_map(|test| TestSource::parse(test).unwrap().rules).collect();
    let untested: Vec<&str> = set.rules.iter().map(|r| r.id.as_str()).filter(|id| !tested.contains(*id)).collect();
    assert!(untested.is_empty(), "no case for {untested:?}");
}

#[test]
fn evidence_is_deep_named_and_held() {
    let analysis = analysis_of("evidence-is-what-held", "one of two containers", |_| {});
    let shown: Vec<(&str, &str, String)> = one(&analysis)
        .evidence
        .iter()
        .map(|e| (e.fact.as_str(), e.field.as_deref().unwrap_or(""), e.value_text().unwrap_or_default().into_owned()))
        .collect();
    assert_eq!(
        shown,
        [
            ("pod", "status.phase", "Failed".to_owned()),
            ("pod", "metadata.namespace", "a".to_owned()),
            ("status", "status.containerStatuses[1].restartCount", "7".to_owned()),
            ("image", "data.web", "old".to_owned()),
            ("owner", "", "not in yamls/namespaced/a/".to_owned()),
        ]
    );
}

/// Returns the evidence of a finding: fields, and files for lines; sorted.
fn proofs(analysis: &Analysis, subject: &str) -> Vec<String> {
    let about = |finding: &&Finding| finding.objects.first().is_some_and(|object| object.name == subject);
    let finding = analysis.findings.iter().find(about).unwrap();
    let file = |entry: &str| entry.rsplit('/').next().unwrap().to_owned();
    let shown = finding.evidence.iter().map(|proof| proof.field.clone().unwrap_or_else(|| file(&proof.entry)));
    let mut shown: Vec<String> = shown.collect();
    shown.sort();
    shown
}

#[test]
fn evidence_of_any_is_that_of_the_alternative_that_matched() {
    let analysis = analysis_of("any-joins-each-alternative", "three proofs of one volume, two of others", |_| {});
    let all = ["longhorn-manager.log", "message", "metadata.name", "metadata.name", "spec.engine", "spec.failedAt"];
    let all = [&all[..], &["spec.nodeID", "spec.spared", "spec.volumeName", "status.robustness"]].concat();
    assert_eq!(proofs(&analysis, "v1"), all);
    // What the alternative on events asks of the volume is true of it, too, but proves nothing without an event.
    assert_eq!(
        proofs(&analysis, "v2"),
        ["longhorn-manager.log", "metadata.name", "metadata.name", "spec.spared", "status.robustness"]
    );
}

#[test]
fn fingerprints_forget_times_and_uids() {
    let before = analysis_of("each-of-a-list", "two of three", |_| {});
    let after = analysis_of("each-of-a-list", "two of three", |case| {
        for object in &mut case.objects {
            object["metadata"]["uid"] = "changed".into();
            object["metadata"]["creationTimestamp"] = "2024-01-01T00:00:00Z".into();
            if let Some(count) = object.pointer_mut("/status/containerStatuses/0/restartCount") {
                *count = 77.into();
            }
        }
    });
    let prints = |analysis: &Analysis| -> BTreeSet<String> {
        analysis.findings.iter().map(|finding| finding.fingerprint.clone()).collect()
    };
    assert_eq!(prints(&before).len(), 2);
    assert_eq!(prints(&before), prints(&after));
}

#[test]
fn fingerprints_of_logs_tell_groups_and_forget_times() {
    let later = |case: &mut Case| {
        for text in case.files.values_mut() {
            *text = text.replace("T09:", "T08:");
        }
    };
    let other = |case: &mut Case| {
        for text in case.files.values_mut() {
            *text = text.replace(" v1", " v3");
        }
    };
    let prints = |change: &dyn Fn(&mut Case)| -> BTreeSet<String> {
        let analysis = analysis_of("log-groups-by-all-captures", "groups over two pods", change);
        analysis.findings.into_iter().map(|finding| finding.fingerprint).collect()
    };
    let before = prints(&|_| {});
    assert_eq!(before.len(), 2);
    assert_eq!(prints(&later), before);
    assert_eq!(prints(&other).intersection(&before).count(), 1, "that of v2, which stayed");
}

#[test]
fn evidence_of_lines_is_the_first_and_the_last_with_neighbours() {
    let analysis = analysis_of("time-of-a-line", "one disk, four times", |_| {});
    let lines = |proof: &gleaner::model::Evidence| -> Vec<(u64, bool)> {
        proof.excerpt.iter().map(|line| (line.line, line.hit)).collect()
    };
    let shown: Vec<_> = one(&analysis).evidence.iter().map(lines).collect();
    let first = vec![(1, false), (2, true), (3, false), (4, false)];
    let last = vec![(5, false), (6, false), (7, true), (8, false)];
    assert_eq!(shown, [first, last]);
}

#[test]
fn wrong_data_is_reported_once() {
    let analysis = analysis_of("wrong-data-is-false", "a number and a text", |case| {
        for name in ["second", "third"] {
            let mut object = case.objects[1].clone();
            object["metadata"]["name"] = name.into();
            case.objects.push(object);
        }
    });
    let told: Vec<String> = analysis.issues.iter().map(|issue| issue.message.to_string()).collect();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("config.data.size"), "{told:?}");
}

#[test]
fn facts_without_joins_are_given_up() {
    let analysis = analysis_of("unjoined-facts-are-given-up", "few", |case| {
        let template = case.objects[0].clone();
        for kind in ["ConfigMap", "Secret"] {
            for number in 0..2000 {
                let mut object = template.clone();
                object["kind"] = kind.into();
                object["metadata"]["name"] = format!("many-{number}").into();
                case.objects.push(object);
            }
        }
    });
    assert_eq!(analysis.findings.len(), 0);
    assert!(
        analysis.rules.not_evaluated[0].reason.to_string().contains("too many combinations"),
        "{:?}",
        analysis.rules
    );
}

#[test]
fn findings_are_translated_text_by_text() {
    let analysis = |lang| analysis_in(lang, "i18n-falls-back-to-english", "one evicted pod", |_| {});
    let (english, chinese) = (analysis(Lang::En), analysis(Lang::Zh));
    let (english, chinese) = (one(&english), one(&chinese));
    assert_eq!((english.title.as_str(), chinese.title.as_str()), ("Pod p is evicted", "Pod p 被驱逐：low disk"));
    assert_eq!((english.message.as_str(), chinese.message.as_str()), ("It ran on n1.", "它曾运行在 n1 上。"));
    assert_eq!((&chinese.impact, &chinese.cause, &chinese.verify), (&english.impact, &english.cause, &english.verify));
    let steps: Vec<_> =
        chinese.remedy.iter().map(|s| (s.action.as_str(), s.run.as_deref(), s.caution.as_deref())).collect();
    let run = Some("kubectl -n a get pod p");
    assert_eq!(steps, [("First", run, None), ("Third", None, Some("小心")), ("Fourth", None, None)]);
    assert_eq!((&chinese.fingerprint, &chinese.evidence), (&english.fingerprint, &english.evidence));
}
