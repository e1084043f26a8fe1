//! Compares the result of a case with the expected one.

use super::case::{Case, Expect, Expected, same_object};
use super::difference::{Difference, FieldDifference};
use crate::model::{Analysis, Finding, RemedyStep};

/// Answer of a rule that found nothing in what was collected.
const CLEAN_PARTLY: &str = "clean where collected";

/// Returns all differences between the analysis and the case's `expect`.
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
        Expect::CleanPartly => rules.iter().for_each(|rule| answer(rule, CLEAN_PARTLY, analysis, &mut differences)),
        Expect::NotApplicable => {
            rules.iter().for_each(|rule| answer(rule, "not applicable", analysis, &mut differences))
        }
    }
    if differences.is_empty() { Ok(()) } else { Err(differences) }
}

/// Returns the rule's answer and its reason.
pub(super) fn given(rule: &str, analysis: &Analysis) -> (&'static str, String) {
    let of = |list: &[crate::model::RuleReason]| list.iter().find(|r| r.rule == rule).map(|r| r.reason.to_string());
    if let Some(reason) = of(&analysis.rules.not_evaluated) {
        return ("not evaluated", reason);
    }
    if let Some(reason) = of(&analysis.rules.clean_partly) {
        return (CLEAN_PARTLY, reason);
    }
    if let Some(reason) = of(&analysis.rules.not_applicable) {
        return ("not applicable", reason);
    }
    let fired = analysis.rules.fired.iter().any(|id| id == rule);
    (if fired { "fired" } else { "clean" }, String::new())
}

fn answer(rule: &str, expected: &'static str, analysis: &Analysis, differences: &mut Vec<Difference>) {
    let (found, reason) = given(rule, analysis);
    // Tests that are older than this answer, or in which both are right, say `not_evaluated`.
    if found == expected || (found, expected) == (CLEAN_PARTLY, "not evaluated") {
        return;
    }
    if found == "fired" {
        // If no finding was expected, `findings` has reported each of them.
        if expected != "clean" {
            differences.push(Difference::Noisy(format!("{rule} fired, expected {expected}")));
        }
        return;
    }
    let reason = if reason.is_empty() { reason } else { format!(" ({reason})") };
    let fields = vec![FieldDifference::of("answer", expected, format!("{found}{reason}"))];
    differences.push(Difference::Wrong { what: rule.to_owned(), fields });
}

fn findings(expected: &[Expected], analysis: &Analysis, differences: &mut Vec<Difference>) {
    let mut left: Vec<&Finding> = analysis.findings.iter().collect();
    for wanted in expected {
        // Several findings may have the same subject: the one that matches comes first.
        let alike = || (0..left.len()).filter(|&at| same_subject(wanted, left[at]));
        let best = alike().find(|&at| details(wanted, left[at], analysis).is_empty()).or_else(|| alike().next());
        match best {
            Some(position) => {
                let finding = left.remove(position);
                let fields = details(wanted, finding, analysis);
                if !fields.is_empty() {
                    differences.push(Difference::Wrong { what: named(finding), fields });
                }
            }
            None => differences.push(Difference::Missing { what: missing(wanted, analysis), near: None }),
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
    let reasons = analysis.rules.unproven().chain(&analysis.rules.not_applicable);
    let reasons: Vec<String> = reasons.map(|r| format!("{}: {}", r.rule, r.reason)).collect();
    if reasons.is_empty() { what } else { format!("{what} (no answer of {})", reasons.join("; ")) }
}

fn details(wanted: &Expected, finding: &Finding, analysis: &Analysis) -> Vec<FieldDifference> {
    let mut found = Vec::new();
    let mut equal = |field: &'static str, wanted: &Option<String>, is: &str| {
        found.extend(wanted.as_ref().filter(|w| w.as_str() != is).map(|w| FieldDifference::of(field, w, is)));
    };
    equal("severity", &wanted.severity, finding.severity.as_str());
    equal("confidence", &wanted.confidence, finding.confidence.as_str());
    let mut contains = |field: &'static str, wanted: &Option<String>, is: &str| {
        let lacking = wanted.as_ref().filter(|w| !is.contains(w.as_str()));
        found.extend(lacking.map(|w| FieldDifference { part: true, ..FieldDifference::of(field, w, is) }));
    };
    contains("title", &wanted.title, &finding.title);
    contains("message", &wanted.message, &finding.message);
    contains("cause", &wanted.cause, &finding.cause);
    contains("remedy", &wanted.remedy, &steps(finding));
    let count = wanted.count.filter(|count| *count != finding.count);
    found.extend(count.map(|count| FieldDifference::of("count", count.to_string(), finding.count.to_string())));
    if let Some(cause) = &wanted.explained_by {
        let print = finding.explained_by.as_ref();
        let is = print.and_then(|p| analysis.findings.iter().find(|f| f.fingerprint == *p)).map(|f| f.rule.clone());
        if is != *cause {
            let name = |rule: &Option<String>| rule.clone().unwrap_or_else(|| "nothing".to_owned());
            found.push(FieldDifference::of("explained_by", name(cause), name(&is)));
        }
    }
    found
}

/// Returns the steps of the remedy, a line for each text.
fn steps(finding: &Finding) -> String {
    let texts = |step: &'_ RemedyStep| {
        [Some(step.action.to_string()), step.run.clone(), step.caution.as_ref().map(ToString::to_string)]
    };
    finding.remedy.iter().flat_map(texts).flatten().collect::<Vec<_>>().join("\n")
}

/// Returns the rule and the subject.
fn named(finding: &Finding) -> String {
    let subject = finding.objects.first().map(|object| format!(" {object}")).unwrap_or_default();
    format!("{}{subject}", finding.rule)
}

fn describe(finding: &Finding) -> String {
    format!("{} ({}): {}", named(finding), finding.severity.as_str(), finding.message)
}
