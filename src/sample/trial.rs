//! Runs a rule on a part of a bundle, in memory, and compares the finding with that on the whole.

use std::cell::Cell;
use std::collections::BTreeSet;

use super::content::Content;
use crate::bundle::{Bundle, Limits};
use crate::model::message::AbsentValue;
use crate::model::{Analysis, Confidence, Finding, Severity, TimedText};
use crate::pipeline::{self, Assumed, Options};
use crate::rule::RuleSet;

/// Bounds of the search, after which the smallest result so far is taken. Time is not bounded, because the result would depend on the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    pub runs: u32,
    /// Bytes analysed in all runs together.
    pub bytes: u64,
    /// Bytes of the bundle that are read into memory.
    pub held: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { runs: 5_000, bytes: 8 << 30, held: 256 << 20 }
    }
}

/// Properties of the finding that must not change.
#[derive(Clone, Debug)]
pub struct Target {
    /// Fingerprint; none after names are replaced, because it depends on them.
    fingerprint: Option<String>,
    severity: Severity,
    confidence: Confidence,
    /// Facts of the evidence.
    facts: BTreeSet<String>,
    /// Facts that may be evidence or not.
    dispensable: BTreeSet<String>,
    /// Placeholders in the texts for which the bundle has no value.
    unknown: usize,
    /// Times in the texts: clauses are left out for want of one.
    times: usize,
    kind: String,
}

impl Target {
    /// Takes the properties of a finding in a bundle of a kind.
    pub fn of(finding: &Finding, kind: &str) -> Self {
        Self {
            fingerprint: Some(finding.fingerprint.clone()),
            severity: finding.severity,
            confidence: finding.confidence,
            facts: facts(finding),
            dispensable: BTreeSet::new(),
            unknown: unknown(finding),
            times: times(finding),
            kind: kind.to_owned(),
        }
    }

    fn is_met(&self, finding: &Finding) -> bool {
        self.fingerprint.as_ref().is_none_or(|print| *print == finding.fingerprint)
            && self.severity == finding.severity
            && self.confidence == finding.confidence
            && unknown(finding) <= self.unknown
            && times(finding) >= self.times
            && facts(finding).difference(&self.dispensable).eq(self.facts.difference(&self.dispensable))
    }
}

fn facts(finding: &Finding) -> BTreeSet<String> {
    finding.evidence.iter().map(|piece| piece.fact.clone()).collect()
}

fn texts(finding: &Finding) -> impl Iterator<Item = &TimedText> {
    let texts = [&finding.title, &finding.message, &finding.impact, &finding.cause].into_iter();
    texts.chain(finding.remedy.iter().map(|step| &step.action))
}

fn times(finding: &Finding) -> usize {
    texts(finding).flat_map(TimedText::parts).filter(|part| part.time.is_some()).count()
}

fn unknown(finding: &Finding) -> usize {
    let commands = finding.remedy.iter().filter_map(|step| step.run.as_deref());
    let texts = texts(finding).map(TimedText::as_str);
    let time = AbsentValue::Time.to_string();
    let absent = |text: &str| text.matches("(unknown)").count() + text.matches(&time).count();
    let unknown: usize = texts.chain(commands).map(absent).sum();
    // A command with a value that is not known is left out.
    unknown + finding.remedy.iter().filter(|step| step.run.is_none()).count()
}

/// Runs a rule on parts of a bundle, as often as the bounds allow.
pub struct Trial<'t> {
    rule: &'t RuleSet,
    target: Target,
    bounds: Bounds,
    /// True if it must fire in a rule test, too.
    as_test: bool,
    runs: Cell<u32>,
    bytes: Cell<u64>,
    spent: Cell<bool>,
}

impl<'t> Trial<'t> {
    pub fn new(rule: &'t RuleSet, target: Target, bounds: Bounds) -> Self {
        Self { rule, target, bounds, as_test: true, runs: Cell::new(0), bytes: Cell::new(0), spent: Cell::new(false) }
    }

    /// Sets whether it must also fire if everything counts as collected, as in rule tests; a finding that rests on something
    /// not collected would be different in its test.
    pub fn as_test(&mut self, must: bool) {
        self.as_test = must;
    }

    /// Accepts findings about other objects from now on, also without optional lists of what belongs to them: such a list may be found by a
    /// part of a name, and nobody's name is kept for it.
    pub fn any_finding(&mut self) {
        self.target.fingerprint = None;
        let lists = self.rule.rules.iter().flat_map(|rule| &rule.facts).filter(|fact| fact.optional && fact.collect);
        self.target.dispensable = lists.map(|fact| fact.name.clone()).collect();
    }

    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    pub fn runs(&self) -> u32 {
        self.runs.get()
    }

    /// Returns true if a bound was reached; then nothing fires any more.
    pub fn is_spent(&self) -> bool {
        self.spent.get()
    }

    /// Returns true if the rule fires on these files with the same finding.
    pub fn fires_raw(&self, name: &str, files: &[(String, Vec<u8>)]) -> bool {
        let size = files.iter().map(|(_, bytes)| bytes.len() as u64).fold(0, u64::saturating_add);
        let bytes = self.bytes.get().saturating_add(size);
        if self.runs.get() >= self.bounds.runs || bytes > self.bounds.bytes {
            self.spent.set(true);
            return false;
        }
        self.runs.set(self.runs.get() + 1);
        self.bytes.set(bytes);
        let bundle = Bundle::from_memory(name, files.to_vec(), Limits::default());
        let meets = |analysis: &Analysis| analysis.findings.iter().any(|finding| self.target.is_met(finding));
        let analysis = pipeline::analyze(&bundle, self.rule, Options::default(), &());
        let fires = analysis.bundle.kind == self.target.kind && meets(&analysis);
        if !fires || !self.as_test {
            return fires;
        }
        let options = Options { assumed: Some(&Assumed::default()), ..Options::default() };
        meets(&pipeline::analyze(&bundle, self.rule, options, &()))
    }

    /// Does the same as [`Trial::fires_raw`] for a content.
    pub fn fires(&self, content: &Content) -> bool {
        self.fires_raw(&content.name, &content.rendered())
    }

    /// Analyses a content with the rule, regardless of the bounds.
    pub fn analysis(&self, content: &Content) -> Analysis {
        let bundle = Bundle::from_memory(&content.name, content.rendered(), Limits::default());
        pipeline::analyze(&bundle, self.rule, Options::default(), &())
    }
}
