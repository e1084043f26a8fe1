//! A fault is planted into a real bundle: its log is added as that of one more pod. It must be listed, and high up.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use gleaner::Limits;
use gleaner::internals::bundle::Bundle;
use gleaner::internals::known_lines::KnownHere;
use gleaner::internals::log::{Clock, LogSource, MinedSource, PatternSet, SourceOrigin};
use gleaner::internals::pipeline::{Usual, templates};
use gleaner::internals::rule::known_lines::KnownLineFiles;
use gleaner::internals::rule::load::embedded;
use gleaner::internals::unexplained::{FiredQueries, Known, unexplained};

use crate::harness::corpus;

/// Lines of a log from which it is planted: a shorter one shows no more than its pattern.
const LINES: usize = 5;
const FIRST: usize = 20;
const PLANTED: &str = "rke2/podlogs/shop-planted";

/// Returns the logs of all CRE rules, by rule.
fn logs(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let rules = fs::read_dir(folder).unwrap().map(|rule| rule.unwrap().path());
    let log = |rule: std::path::PathBuf| {
        let log = fs::read(rule.join("test.log")).ok()?;
        let name = rule.file_name()?.to_string_lossy().into_owned();
        (log.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count() >= LINES).then_some((name, log))
    };
    let mut logs: Vec<_> = rules.filter_map(log).collect();
    logs.sort();
    logs
}

fn mined(patterns: &PatternSet, log: &[u8]) -> MinedSource {
    let origin = SourceOrigin::Container {
        namespace: "shop".into(),
        pod: "planted-6dfb97b6d4-abcde".into(),
        container: String::new(),
        previous: false,
    };
    let source = LogSource { entry: PLANTED.into(), origin };
    let scanner = patterns.scanner(&source, PLANTED, Clock::default()).unwrap();
    scanner.scan(&mut &*log).mined.unwrap()
}

/// Returns the place of the planted log in the list, from 0.
fn place(bundle: &[MinedSource], planted: MinedSource, usual: Option<&Usual>) -> Option<usize> {
    let mut all = bundle.to_vec();
    all.push(planted);
    static LINES: LazyLock<KnownLineFiles> = LazyLock::new(|| KnownLineFiles::new(embedded().known_lines));
    let lines = KnownHere { lines: LINES.lines(), versions: &BTreeMap::new() };
    let known = Known { queries: &FiredQueries::default(), findings: &[], open: &[], usual, archive: None, lines };
    let (found, _) = unexplained(all, &known, usize::MAX);
    found.incidents.items.iter().position(|incident| {
        let templates = std::iter::once(&incident.lead).chain(&incident.together.items);
        templates.flat_map(|template| &template.sources.items).any(|source| source == PLANTED)
    })
}

/// Prints what is not listed, and returns how many of all are listed, and how many among the first.
fn count(places: &[(&str, Option<usize>)]) -> (usize, usize) {
    let missing: Vec<&str> = places.iter().filter(|(_, place)| place.is_none()).map(|(name, _)| *name).collect();
    println!("not listed: {missing:?}");
    let first = places.iter().filter(|(_, place)| place.is_some_and(|place| place < FIRST)).count();
    (places.len() - missing.len(), first)
}

#[test]
fn planted_faults_are_listed_and_with_a_baseline_first() {
    let Some(bundle) = corpus("rancher-rke2-server-2025-11-27.tar.gz") else { return };
    let rules = bundle.with_file_name("cre");
    let bundle = templates(&Bundle::open(&bundle, Limits::default()).unwrap(), &());
    let usual = Usual::of(bundle.clone());
    let mut patterns = PatternSet::compile(Vec::new()).unwrap();
    patterns.mine();
    let logs = logs(&rules);
    assert!(logs.len() >= 40, "{}", logs.len());
    let places = |usual: Option<&Usual>| -> Vec<(&str, Option<usize>)> {
        logs.iter().map(|(name, log)| (&**name, place(&bundle, mined(&patterns, log), usual))).collect()
    };
    let ((listed, first), (with_baseline, leading)) = (count(&places(None)), count(&places(Some(&usual))));
    let told = format!(
        "of {}: {listed} listed, {first} among the first; {with_baseline} and {leading} with the baseline",
        logs.len()
    );
    println!("{told}");
    assert!(listed * 100 >= logs.len() * 95 && with_baseline * 100 >= logs.len() * 95, "{told}");
    assert!(first * 100 >= logs.len() * 30 && leading * 100 >= logs.len() * 70, "{told}");
}
