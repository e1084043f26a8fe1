//! Order does not matter: neither that of facts in a rule nor that of objects in a bundle.

use gleaner::internals::rule::load;
use gleaner::internals::rule::{RuleSet, Source, Streams};
use gleaner::internals::verify::{self, TestSource};
use gleaner::model::{Analysis, Evidence, Finding};
use rayon::prelude::*;
use serde_yaml::{Mapping, Value};

use super::{compiled, language, streams};

/// The shipped rules and those of the language, with their tests.
fn all() -> (Vec<Source>, Vec<Source>) {
    let (shipped, language) = (load::embedded(), language());
    let sources = shipped.sources.into_iter().chain(language.sources).collect();
    (sources, shipped.tests.into_iter().chain(language.tests).collect())
}

/// A shuffle that depends on nothing but its seed.
fn shuffle<T>(list: &mut [T], seed: &mut u64) {
    for last in (1..list.len()).rev() {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        list.swap(last, (*seed >> 33) as usize % (last + 1));
    }
}

/// The rule with the entries of `find` and `unless`, and the alternatives of each `any`, in another order; `about`,
/// whose default follows the order, is spelled out.
fn reordered(source: &Source, about: &[String], seed: &mut u64) -> Source {
    let mut rule: Mapping = serde_yaml::from_str(&source.text).unwrap();
    for key in ["find", "unless"] {
        if let Some(Value::Mapping(facts)) = rule.get_mut(key) {
            let mut entries: Vec<(Value, Value)> = std::mem::take(facts).into_iter().collect();
            shuffle(&mut entries, seed);
            for (_, fact) in &mut entries {
                if let Some(Value::Sequence(alternatives)) = fact.get_mut("any") {
                    shuffle(alternatives, seed);
                }
            }
            facts.extend(entries);
        }
    }
    if !about.is_empty() {
        rule.insert("about".into(), about.iter().map(|name| Value::from(name.as_str())).collect::<Vec<_>>().into());
    }
    Source { file: source.file.clone(), text: serde_yaml::to_string(&rule).unwrap() }
}

fn reordered_set(sources: &[Source], set: &RuleSet, seed: &mut u64) -> RuleSet {
    let about = |source: &Source| -> Vec<String> {
        let rule = set.rules.iter().find(|rule| rule.id == source.stem()).unwrap();
        rule.about.iter().map(|&slot| rule.names[slot].clone()).collect()
    };
    compiled(sources.iter().map(|source| reordered(source, &about(source), seed)).collect())
}

/// What must stay the same: everything but the lines that objects stand in and the order of lists.
fn shown(analysis: &Analysis) -> String {
    let finding = |finding: &Finding| {
        let mut evidence: Vec<_> = finding.evidence.iter().map(proof).collect();
        evidence.sort();
        let mut objects: Vec<String> = finding.objects.iter().skip(1).map(ToString::to_string).collect();
        objects.sort();
        let subject = finding.objects.first();
        let mut plain = Finding { evidence: Vec::new(), objects: Vec::new(), ..finding.clone() };
        plain.before.changes.iter_mut().for_each(|change| change.origin.line = None);
        format!("{plain:#?}\n{subject:?} {objects:?}\n{evidence:#?}")
    };
    let mut findings: Vec<String> = analysis.findings.iter().map(finding).collect();
    findings.sort();
    format!("{:#?}\n{}", analysis.rules, findings.join("\n"))
}

fn proof(evidence: &Evidence) -> (String, Option<String>, Option<String>) {
    (evidence.entry.clone(), evidence.field.clone(), evidence.value_text().map(|value| value.into_owned()))
}

/// The rules in another order, and what shuffles the objects of the cases beside them.
struct Reordered {
    seed: u64,
    set: RuleSet,
}

/// Returns the cases of a file of tests in which another order shows.
fn differing(
    test: &Source,
    number: usize,
    set: &RuleSet,
    others: &[Reordered],
    streams: &Streams,
) -> Vec<(String, String, String)> {
    let source = TestSource::parse(test).unwrap();
    let set = set.subset(&source.rules).unwrap();
    let own = |other: &Reordered| (other.seed.wrapping_add(number as u64), other.set.subset(&source.rules).unwrap());
    let mut others: Vec<(u64, RuleSet)> = others.iter().map(own).collect();
    let mut found = Vec::new();
    for case in source.cases().unwrap() {
        let before = shown(&verify::analyze(&set, streams, &case).unwrap());
        for (seed, other) in &mut others {
            let mut case = case.clone();
            shuffle(&mut case.objects, seed);
            let after = shown(&verify::analyze(other, streams, &case).unwrap());
            if before != after {
                found.push((format!("{}: {}", test.file, case.name), before.clone(), after));
            }
        }
    }
    found
}

/// Runs all rule tests three times, which is the most of what the tests of rules cost; each of the thousands of cases has a shuffle of its own.
/// The seeds are fixed, so that the same tree passes or fails everywhere.
const SEEDS: [u64; 2] = [0x9E37_79B9_7F4A_7C15, 0xD1B5_4A32_D192_ED03];

#[test]
fn order_of_facts_and_objects_does_not_matter() {
    let (sources, tests) = all();
    let streams = streams();
    let set = compiled(sources.clone());
    let others = SEEDS.map(|seed| Reordered { seed, set: reordered_set(&sources, &set, &mut { seed }) });
    let differing = |(number, test)| differing(test, number, &set, &others, &streams);
    let differing: Vec<_> = tests.par_iter().enumerate().flat_map_iter(differing).collect();
    if let Some((case, before, after)) = differing.first() {
        let others: Vec<&str> = differing.iter().skip(1).map(|(case, ..)| case.as_str()).collect();
        assert_eq!(before, after, "{case}; others: {others:#?}");
    }
}
