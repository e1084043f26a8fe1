//! A large cluster: analysed to the end, with the same findings whatever the threads. Not timed; a cost that grows
//! with the square of the objects shows as a test that does not end.

#![allow(clippy::unwrap_used, reason = "tests fail loudly")]

use std::collections::BTreeMap;

use gleaner::internals::bundle::{Bundle, Limits};
use gleaner::internals::eval::evaluate;
use gleaner::internals::pipeline::{self, Options};
use gleaner::internals::report::{self, Audience, Format};
use gleaner::internals::rule::{RuleSet, Streams, compile, load};
use gleaner::model::{Analysis, Lang};
use gleaner_fixtures::{Layout, MemorySink, Scenario};

/// Reading that many takes some seconds without optimisation; errors with 20,000 objects also occur with these.
const OBJECTS: u64 = 5_000;

fn files() -> Vec<(String, Vec<u8>)> {
    let options = gleaner_fixtures::Options {
        layout: Layout::Harvester,
        nodes: 10,
        objects: OBJECTS,
        log_bytes: 1 << 20,
        seed: 1,
        scenario: Scenario::StaleManagedChart,
    };
    let mut sink = MemorySink::default();
    gleaner_fixtures::generate(&options, &mut sink).unwrap();
    sink.files.into_iter().collect()
}

fn rules() -> RuleSet {
    let loaded = load::embedded();
    compile(loaded.sources, &Streams::parse(loaded.streams).unwrap()).unwrap()
}

fn analyze(bundle: &Bundle, rules: &RuleSet, threads: usize) -> Analysis {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(16 << 20).build().unwrap();
    pool.install(|| pipeline::analyze(bundle, rules, Options::default(), &()))
}

fn json(analysis: &Analysis) -> Vec<u8> {
    let mut out = Vec::new();
    report::render(analysis, Format::Json, Audience::Support, None, &mut out).unwrap();
    out
}

#[test]
fn a_large_bundle_gives_the_same_findings_with_one_and_four_threads() {
    let bundle = Bundle::from_memory("large", files(), Limits::default());
    let rules = rules();
    let one = analyze(&bundle, &rules, 1);
    assert!(!one.findings.is_empty() && one.issues.is_empty(), "{:?} {:?}", one.rules.fired, one.issues);
    assert!(json(&one) == json(&analyze(&bundle, &rules, 4)), "JSON differs between 1 and 4 threads");
}

#[path = "integration/hostile/crowds.rs"]
mod crowds;

fn of_crowd(crowd: &crowds::Crowd, n: usize) -> Bundle {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("crowd.zip");
    std::fs::write(&path, crowds::bundle(crowd, n)).unwrap();
    Bundle::open(&path, Limits::default()).unwrap()
}

/// Steps that each rule takes on a bundle of `n` things.
fn steps(crowd: &crowds::Crowd, rules: &RuleSet, n: usize) -> BTreeMap<String, u64> {
    let bundle = of_crowd(crowd, n);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).stack_size(16 << 20).build().unwrap();
    pool.install(|| {
        let input = pipeline::prepare(&bundle, rules, Options::default(), &());
        evaluate(rules, &input, Lang::En).steps
    })
}

/// Four times as many things take four times as many steps, and a little more: what grows with the square takes sixteen times as
/// many. Steps are counted, not timed.
#[test]
fn rules_cost_what_the_bundle_holds() {
    let rules = rules();
    let mut faults = Vec::new();
    for crowd in crowds::ALL {
        let [few, many] = [100, 400].map(|n| steps(crowd, &rules, n));
        let grown = many.iter().filter(|(rule, steps)| **steps > 6 * few[*rule] + 2_000);
        faults.extend(grown.map(|(rule, steps)| {
            format!("{} ({}): {rule}: {} steps for 100, {steps} for 400", crowd.name, crowd.what, few[rule])
        }));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Bytes of the page and of the JSON about a bundle of `n` things.
fn output_bytes(crowd: &crowds::Crowd, rules: &RuleSet, n: usize) -> [usize; 2] {
    let analysis = analyze(&of_crowd(crowd, n), rules, 2);
    [Format::Html, Format::Json].map(|format| {
        let mut out = Vec::new();
        report::render(&analysis, format, Audience::Support, None, &mut out).unwrap();
        out.len()
    })
}

/// A list in a list grows with the square: each of 2,000 machines once named the findings about all others, in 800 MB.
#[test]
fn outputs_grow_with_what_the_bundle_holds() {
    let rules = rules();
    let mut faults = Vec::new();
    for crowd in crowds::ALL {
        let [few, many] = [100, 400].map(|n| output_bytes(crowd, &rules, n));
        let grown = few.iter().zip(&many).filter(|(few, many)| **many > 6 * **few);
        faults.extend(grown.map(|(few, many)| format!("{}: {few} bytes for 100, {many} for 400", crowd.name)));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
