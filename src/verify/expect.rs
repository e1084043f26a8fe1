//! Compares what a case came to with what was expected.

use std::fmt;

use super::case::{Case, Expect, Expected, same_object};
use crate::model::{Analysis, Finding};

/// A case that did not come out as expected.
#[derive(Debug)]
pub struct Failure {
    pub file: String,
    pub case: String,
    pub differences: Vec<Difference>,
}

/// One difference, by its name.
#[derive(Debug, PartialEq, Eq)]
pub enum Difference {
    /// A finding that was not expected.
    Noisy(String),
    /// An expected finding that did not come.
    Missing(String),
    /// It came, but otherwise; or the rule gave another answer.
    Wrong(String),
    /// The case could not be run.
    Broken(String),
}

impl Failure {
    /// A file that could not be run at all.
    pub fn broken(file: &str, message: &str) -> Self {
        Self { file: file.to_owned(), case: String::new(), differences: vec![Difference::Broken(message.to_owned())] }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        if !self.case.is_empty() {
            write!(f, ": {}", self.case)?;
        }
        self.differences.iter().try_for_each(|difference| write!(f, "\n  {difference}"))
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Noisy(text) => write!(f, "noisy: {text}"),
            Self::Missing(text) => write!(f, "missing: {text}"),
            Self::Wrong(text) => write!(f, "wrong: {text}"),
            Self::Broken(text) => write!(f, "broken: {text}"),
        }
    }
}

/// All differences between the analysis and the case's `expect`.
pub fn compare(rules: &[String], case: &Case, analysis: &Analysis) -> Result<(), Vec<Difference>> {
    let mut differences = Vec::new();
    match &case.expect {
        Expect::Findings(expected) => {
            findings(expected, analysis, &mut differences);
            if expected.is_empty() {
                rules.iter().for_each(|rule| answer(rule, "clean", analysis, &mut differences));
            }
        }
        Expect::NotEvaluated => rules.iter().for_each(|rule| answer(rule, "not evaluated", analysis, &mut differences)),
        Expect::NotApplicable => {
            rules.iter().for_each(|rule| answer(rule, "not applicable", analysis, &mut differences))
        }
    }
    if differences.is_empty() { Ok(()) } else { Err(differences) }
}

/// What the rule answered, with the reason.
fn given(rule: &str, analysis: &Analysis) -> (&'static str, String) {
    let of = |list: &[crate::model::RuleReason]| list.iter().find(|r| r.rule == rule).map(|r| r.reason.clone());
    if let Some(reason) = of(&analysis.rules.not_evaluated) {
        return ("not evaluated", reason);
    }
    if let Some(reason) = of(&analysis.rules.not_applicable) {
        return ("not applicable", reason);
    }
    let fired = analysis.rules.fired.iter().any(|id| id == rule);
    (if fired { "fired" } else { "clean" }, String::new())
}

fn answer(rule: &str, expected: &'static str, analysis: &Analysis, differences: &mut Vec<Difference>) {
    let (found, reason) = given(rule, analysis);
    if found == expected {
        return;
    }
    if found == "fired" {
        // Where nothing was expected, `findings` has said so for each of them.
        if expected != "clean" {
            differences.push(Difference::Noisy(format!("{rule} fired, expected {expected}")));
        }
        return;
    }
    let reason = if reason.is_empty() { reason } else { format!(" ({reason})") };
    differences.push(Difference::Wrong(format!("{rule} is {found}{reason}, expected {expected}")));
}

fn findings(expected: &[Expected], analysis: &Analysis, differences: &mut Vec<Difference>) {
    let mut left: Vec<&Finding> = analysis.findings.iter().collect();
    for wanted in expected {
        // Several findings may have one subject: first the one that is as expected.
        let alike = || (0..left.len()).filter(|&at| same_subject(wanted, left[at]));
        let best = alike().find(|&at| details(wanted, left[at], analysis).is_empty()).or_else(|| alike().next());
        match best {
            Some(position) => {
                let finding = left.remove(position);
                let found = details(wanted, finding, analysis);
                differences.extend(found.into_iter().map(|d| Difference::Wrong(format!("{}: {d}", describe(finding)))));
            }
            None => differences.push(Difference::Missing(missing(wanted, analysis))),
        }
    }
    differences.extend(left.into_iter().map(|finding| Difference::Noisy(describe(finding))));
}

fn same_subject(wanted: &Expected, finding: &Finding) -> bool {
    wanted.rule.as_ref().is_none_or(|rule| *rule == finding.rule)
        && wanted.object.as_ref().is_none_or(|object| {
            finding.objects.first().is_some_and(|subject| same_object(&subject.to_string(), object))
        })
}

fn missing(wanted: &Expected, analysis: &Analysis) -> String {
    let what = format!("{} {}", wanted.rule.as_deref().unwrap_or("the rule"), wanted.object.as_deref().unwrap_or(""))
        .trim()
        .to_owned();
    let reasons = analysis.rules.not_evaluated.iter().chain(&analysis.rules.not_applicable);
    let reasons: Vec<String> = reasons.map(|r| format!("{}: {}", r.rule, r.reason)).collect();
    if reasons.is_empty() { what } else { format!("{what} (no answer of {})", reasons.join("; ")) }
}

fn details(wanted: &Expected, finding: &Finding, analysis: &Analysis) -> Vec<String> {
    let mut found = Vec::new();
    let mut equal = |what: &str, wanted: &Option<String>, is: &str| {
        if let Some(wanted) = wanted.as_ref().filter(|w| w.as_str() != is) {
            found.push(format!("{what} is {is}, expected {wanted}"));
        }
    };
    equal("severity", &wanted.severity, finding.severity.as_str());
    equal("confidence", &wanted.confidence, finding.confidence.as_str());
    let mut contains = |what: &str, wanted: &Option<String>, is: &str| {
        if let Some(wanted) = wanted.as_ref().filter(|w| !is.contains(w.as_str())) {
            found.push(format!("{what} is {is:?}, expected it to contain {wanted:?}"));
        }
    };
    contains("title", &wanted.title, &finding.title);
    contains("message", &wanted.message, &finding.message);
    if let Some(count) = wanted.count.filter(|count| *count != finding.count) {
        found.push(format!("count is {}, expected {count}", finding.count));
    }
    if let Some(cause) = &wanted.explained_by {
        let print = finding.explained_by.as_ref();
        let is = print.and_then(|p| analysis.findings.iter().find(|f| f.fingerprint == *p)).map(|f| f.rule.clone());
        if is != *cause {
            let name = |rule: &Option<String>| rule.clone().unwrap_or_else(|| "nothing".to_owned());
            found.push(format!("explained by {}, expected {}", name(&is), name(cause)));
        }
    }
    found
}

fn describe(finding: &Finding) -> String {
    let subject = finding.objects.first().map(|object| format!(" {object}")).unwrap_or_default();
    format!("{}{subject} ({}): {}", finding.rule, finding.severity.as_str(), finding.message)
}
