//! Runs rule tests: each case is a small bundle in memory that goes through the whole pipeline.
//!
//! [`check`] finds errors in test files, [`case`] reads them, [`layout`] writes a case as the files of a bundle,
//! [`release`] encodes Helm releases, [`expect`] compares the result with the expected one, and [`difference`] names
//! each difference: noisy, missing, wrong or broken. [`sample`] runs one rule on one log.

mod case;
mod check;
mod difference;
mod expect;
mod json;
mod layout;
#[cfg(test)]
mod masking;
mod release;
mod sample;

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::bundle::Bundle;
use crate::model::{Analysis, Lang};
use crate::pipeline::{self, Assumed, Options};
use crate::rule::listing::TestCount;
use crate::rule::page::Example;
use crate::rule::{RuleSet, Source, Streams};
pub use case::{Case, CaseError, Release, TestSource, object_name};
pub use check::check;
pub use difference::{Difference, Failure};
use layout::Written;
pub use release::object as release_object;
pub use sample::{Sample, check_log};

/// Names of the layouts in tests.
pub const LAYOUTS: [&str; 9] = case::Layout::NAMES;

/// Result of all test files.
#[derive(Debug, Default)]
pub struct Report {
    pub passed: usize,
    /// In the order of files and cases.
    pub failures: Vec<Failure>,
}

/// Runs every case of every file, files in parallel; `set` holds all rules that the tests may name.
pub fn run(set: &RuleSet, streams: &Streams, tests: &[Source]) -> Report {
    let results: Vec<Report> = tests.par_iter().map(|file| run_file(set, streams, file)).collect();
    let mut report = Report::default();
    for result in results {
        report.passed += result.passed;
        report.failures.extend(result.failures);
    }
    report
}

/// Counts the cases of a rule that must fire and those that must not.
///
/// # Errors
///
/// If the file is not a rule test.
pub fn counts(file: &Source) -> Result<Vec<(String, TestCount)>, CaseError> {
    let source = TestSource::parse(file)?;
    let mut counts: Vec<(String, TestCount)> =
        source.rules.iter().map(|id| (id.clone(), TestCount::default())).collect();
    for case in source.cases()? {
        for (id, count) in &mut counts {
            if case.expect.fires(id) { count.firing += 1 } else { count.silent += 1 }
        }
    }
    Ok(counts)
}

/// Returns cause and symptom of each entry of `explains` by which a case joins two findings.
pub fn joined(set: &RuleSet, streams: &Streams, tests: &[Source]) -> BTreeSet<(String, String)> {
    tests.par_iter().flat_map_iter(|file| joined_in(set, streams, file).unwrap_or_default()).collect()
}

fn joined_in(set: &RuleSet, streams: &Streams, file: &Source) -> Option<Vec<(String, String)>> {
    let source = TestSource::parse(file).ok()?;
    let set = set.subset(&source.rules).ok().filter(|set| set.rules.len() > 1)?;
    let mut joined = Vec::new();
    for case in source.cases().ok()? {
        let findings = analyze(&set, streams, &case).ok()?.findings;
        let rules: BTreeMap<&str, &str> = findings.iter().map(|f| (f.fingerprint.as_str(), f.rule.as_str())).collect();
        for symptom in &findings {
            let declared = symptom.causes.iter().filter(|cause| cause.path.is_empty());
            let causes = declared.filter_map(|cause| rules.get(cause.finding.as_str()));
            joined.extend(causes.map(|cause| ((*cause).to_owned(), symptom.rule.clone())));
        }
    }
    Some(joined)
}

/// Returns each rule's finding in the first case in which it must fire, and the names of its clean cases; by id,
/// without rules that have no test of their own.
pub fn examples(set: &RuleSet, streams: &Streams, tests: &[Source]) -> BTreeMap<String, Example> {
    let found: Vec<Option<(String, Example)>> = tests.par_iter().map(|file| example(set, streams, file)).collect();
    found.into_iter().flatten().collect()
}

fn example(set: &RuleSet, streams: &Streams, file: &Source) -> Option<(String, Example)> {
    let source = TestSource::parse(file).ok()?;
    let [id] = source.rules.as_slice() else { return None };
    let cases = source.cases().ok()?;
    let case = cases.iter().find(|case| case.expect.fires(id))?;
    let finding = analyze(&set.subset(&source.rules).ok()?, streams, case).ok()?.findings.into_iter().next()?;
    let silent = cases.iter().filter(|case| case.expect.is_clean()).map(|case| case.name.clone()).collect();
    Some((id.clone(), Example { finding, silent }))
}

fn run_file(set: &RuleSet, streams: &Streams, file: &Source) -> Report {
    let broken = |message: String| Report { passed: 0, failures: vec![Failure::broken(&file.file, &message)] };
    let wrong = check(file, set, streams);
    if !wrong.is_empty() {
        let differences = wrong.iter().map(|error| Difference::Broken(error.to_string())).collect();
        let failure = Failure { file: file.file.clone(), case: String::new(), differences };
        return Report { passed: 0, failures: vec![failure] };
    }
    let source = match TestSource::parse(file) {
        Ok(source) => source,
        Err(error) => return broken(error.to_string()),
    };
    let cases = match source.cases() {
        Ok(cases) => cases,
        Err(error) => return broken(error.to_string()),
    };
    let set = match set.subset(&source.rules) {
        Ok(set) => set,
        Err(unknown) => return broken(unknown.to_string()),
    };
    let mut report = Report::default();
    for case in &cases {
        match run_case(&set, streams, &source, case) {
            Ok(()) => report.passed += 1,
            Err(differences) => {
                report.failures.push(Failure { file: file.file.clone(), case: case.name.clone(), differences })
            }
        }
    }
    report
}

fn run_case(set: &RuleSet, streams: &Streams, source: &TestSource, case: &Case) -> Result<(), Vec<Difference>> {
    let analysis = analyze(set, streams, case).map_err(|message| vec![Difference::Broken(message)])?;
    let differences = expect::compare(&source.rules, case, &analysis);
    differences.map_err(|differences| with_nearest(differences, set, streams, case))
}

/// Adds the closest match of its rule to each missing finding.
fn with_nearest(mut differences: Vec<Difference>, set: &RuleSet, streams: &Streams, case: &Case) -> Vec<Difference> {
    let is_missing = |difference: &Difference| matches!(difference, Difference::Missing { .. });
    if !differences.iter().any(is_missing) {
        return differences;
    }
    let run = |bundle: &Bundle, options: Options<'_>| pipeline::explain(bundle, set, options, &()).1;
    let explanations = on_bundle(streams, case, run).unwrap_or_default();
    let nearest: Vec<(String, String)> =
        explanations.into_iter().filter_map(|e| Some((e.rule, e.near?.to_string()))).collect();
    for difference in &mut differences {
        if let Difference::Missing { what, near } = difference {
            let of_rule = nearest
                .iter()
                .filter(|(rule, _)| set.rules.len() == 1 || what.split(' ').next() == Some(rule.as_str()));
            *near = of_rule.map(|(_, near)| near.clone()).next();
        }
    }
    differences
}

/// Runs the rules on a case.
///
/// # Errors
///
/// If the case cannot be written as a bundle.
pub fn analyze(set: &RuleSet, streams: &Streams, case: &Case) -> Result<Analysis, String> {
    analyze_in(Lang::default(), set, streams, case)
}

/// Like [`analyze`], with findings in a language.
///
/// # Errors
///
/// Like [`analyze`].
pub fn analyze_in(lang: Lang, set: &RuleSet, streams: &Streams, case: &Case) -> Result<Analysis, String> {
    on_bundle(streams, case, |bundle, options| pipeline::analyze(bundle, set, Options { lang, ..options }, &()))
}

/// Writes a case as a bundle and runs a function on it.
fn on_bundle<T>(streams: &Streams, case: &Case, run: impl FnOnce(&Bundle, Options<'_>) -> T) -> Result<T, String> {
    let Written { bundle, missing_entries } = layout::bundle(case, streams)?;
    let missing = layout::missing_types(case, streams)?;
    let assumed = Assumed { now: case.now, versions: case.versions.clone(), missing, missing_entries };
    let options = Options { assumed: Some(&assumed), ..Options::default() };
    Ok(run(&bundle, options))
}
