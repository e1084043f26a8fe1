//! Explanation of a rule's answer for a terminal: the result of each step, the nearest miss, the findings in short.

use std::fmt::Write as _;

use super::words;
use super::wrap::{WIDTH, wrapped};
use crate::model::clean;
use crate::model::explanation::{Bound, Explanation, FactStep, FieldAt, Left, NearMiss, Step, Why};
use crate::model::{Analysis, Evidence, Finding, Origin};

/// Minimum width of the column of fact names.
const NAME: usize = 10;
/// Width of the column of counts.
const COUNT: usize = 7;
/// Maximum number of findings shown.
const FINDINGS: usize = 10;
/// Maximum length of a text before it is wrapped, in characters.
const LONGEST: usize = 600;

/// Describes each step of a rule on a bundle, and its answer.
pub fn text(explanation: &Explanation, analysis: &Analysis) -> String {
    let names = explanation.steps.iter().filter_map(|step| match step {
        Step::Fact(fact) => Some(fact.name.chars().count()),
        _ => None,
    });
    let mut page = Page { out: String::new(), width: names.chain([NAME]).max().unwrap_or(NAME) + 2 };
    page.line(0, &outcome(&explanation.rule, analysis));
    if !explanation.steps.is_empty() {
        page.line(0, "");
    }
    for step in &explanation.steps {
        page.step(step);
    }
    if let Some(near) = &explanation.near {
        page.near(near);
    }
    page.findings(&analysis.findings);
    page.out
}

/// Returns the answer in one sentence.
fn outcome(rule: &str, analysis: &Analysis) -> String {
    let bundle = &analysis.bundle.path;
    let reason = |list: &[crate::model::RuleReason]| list.iter().find(|r| r.rule == rule).map(|r| r.reason.clone());
    if let Some(reason) = reason(&analysis.rules.not_evaluated) {
        return format!("{rule} is not evaluated on {bundle}: {reason}");
    }
    if let Some(reason) = reason(&analysis.rules.clean_partly) {
        return format!("{rule} is clean on {bundle} where it was collected: {reason}");
    }
    if let Some(reason) = reason(&analysis.rules.not_applicable) {
        return format!("{rule} is not applicable to {bundle}: {reason}");
    }
    match analysis.findings.len() {
        0 => format!("{rule} is clean on {bundle}"),
        1 => format!("{rule} fired on {bundle}: 1 finding"),
        count => format!("{rule} fired on {bundle}: {count} findings"),
    }
}

struct Page {
    out: String,
    /// Width of the column of fact names.
    width: usize,
}

impl Page {
    /// Writes a text; all its lines are indented.
    fn line(&mut self, indent: usize, text: &str) {
        for part in wrapped(&words::clipped(text, LONGEST), WIDTH.saturating_sub(indent)) {
            let line = format!("{:indent$}{part}", "");
            // Writing to a String cannot fail.
            let _ = writeln!(self.out, "{}", line.trim_end());
        }
    }

    /// Writes a text after a label.
    fn labelled(&mut self, label: &str, text: &str) {
        let mut parts = wrapped(&words::clipped(text, LONGEST), WIDTH.saturating_sub(self.width)).into_iter();
        let first = parts.next().unwrap_or_default();
        let width = self.width;
        let _ = writeln!(self.out, "{:<width$}{first}", clean::one_line(label));
        parts.for_each(|part| self.line(width, &part));
    }

    /// Writes a label, a number and a text about it.
    fn counted(&mut self, label: &str, count: Option<usize>, text: &str) {
        let (width, indent) = (self.width, self.width + COUNT + 1);
        let count = count.map_or_else(String::new, |count| words::number(count as u64));
        let mut parts = wrapped(&words::clipped(text, LONGEST), WIDTH.saturating_sub(indent)).into_iter();
        let first = parts.next().unwrap_or_default();
        let _ = writeln!(self.out, "{:<width$}{count:>COUNT$} {first}", clean::one_line(label));
        parts.for_each(|part| self.line(indent, &part));
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Fact(fact) => self.fact(fact),
            Step::Condition(left) => self.counted("", Some(left.count), &met(left)),
            Step::Unless { facts, found, combinations } => {
                self.counted("unless", Some(*found), &format!("have {}", facts.join(" and ")));
                self.counted("", Some(*combinations), &left_over(*combinations));
            }
        }
    }

    fn fact(&mut self, fact: &FactStep) {
        let mut lines: Vec<(Option<usize>, String)> = Vec::new();
        lines.extend(fact.found.map(|found| (Some(found), "found before joins".to_owned())));
        lines.extend(fact.lines.iter().map(|step| {
            let first = step.first.as_ref().map(|first| format!(", the first at {first}")).unwrap_or_default();
            (Some(step.count), format!("lines match step {}{first}", step.step))
        }));
        lines.extend(fact.missing.as_ref().map(|reason| (None, format!("possibly more: {reason}"))));
        lines.extend(fact.alone.iter().map(|left| (Some(left.count), met(left))));
        if let Some(join) = &fact.join {
            if !join.conditions.is_empty() {
                lines.push((Some(join.tried), "compared with the combinations before".to_owned()));
            }
            lines.extend(join.conditions.iter().map(|left| (Some(left.count), met(left))));
            lines.push((Some(join.combinations), left_over(join.combinations)));
        }
        let mut label = fact.name.as_str();
        for (count, text) in lines {
            self.counted(label, count, &text);
            label = "";
        }
    }

    fn near(&mut self, near: &NearMiss) {
        self.line(0, "");
        self.line(0, "nearest miss");
        for bound in &near.objects {
            self.bound(bound);
        }
        match &near.why {
            Why::Failed { condition, fields, met, of } => {
                self.line(2, &format!("does not meet: {condition} ({met} of {of} conditions hold)"));
                self.fields(fields);
            }
            Why::Nothing { fact, wanted, fields } => {
                self.line(2, &format!("there is no {fact}: {wanted}"));
                self.fields(fields);
            }
            Why::Forbidden { found } => {
                self.line(2, "excluded by unless:");
                found.iter().for_each(|bound| self.bound(bound));
            }
        }
    }

    fn fields(&mut self, fields: &[FieldAt]) {
        for field in fields {
            self.line(4, &format!("{} is {}{}", field.field, field.value, place(field.place.as_ref())));
        }
    }

    fn bound(&mut self, bound: &Bound) {
        self.line(2, &format!("{}: {}{}", bound.fact, bound.what, place(bound.place.as_ref())));
    }

    fn findings(&mut self, findings: &[Finding]) {
        for finding in findings.iter().take(FINDINGS) {
            self.line(0, "");
            self.labelled(finding.severity.as_str(), &finding.title);
            let shown = finding.evidence.iter().find(|evidence| evidence.line.is_some());
            if let Some(evidence) = shown.or(finding.evidence.first()) {
                let width = self.width;
                let line = evidence.line.map(|line| format!(":{line}")).unwrap_or_default();
                self.line(width, &format!("{}{line}", evidence.entry));
                self.line(width + 2, &proof(evidence));
            }
        }
        if findings.len() > FINDINGS {
            self.line(0, "");
            self.line(0, &format!("and {} more", findings.len() - FINDINGS));
        }
    }
}

/// `meet CONDITION`, with the other two numbers where something cannot be told.
fn met(left: &Left) -> String {
    let Left { condition, count: _, undecided, refuted } = left;
    let refuted = refuted.map(|refuted| format!("{} do not, ", words::number(refuted as u64))).unwrap_or_default();
    match undecided {
        0 => format!("meet {condition}"),
        _ => format!("meet {condition} ({refuted}of {} it cannot be told)", words::number(*undecided as u64)),
    }
}

fn left_over(combinations: usize) -> String {
    format!("combination{} left", if combinations == 1 { "" } else { "s" })
}

fn place(place: Option<&Origin>) -> String {
    place.map(|place| format!(" ({place})")).unwrap_or_default()
}

/// Returns the evidence of a finding: `field = value`, or the log line.
fn proof(evidence: &Evidence) -> String {
    match (&evidence.field, evidence.value_text()) {
        (Some(field), Some(value)) => format!("{field} = {value}"),
        (None, Some(value)) => value.into_owned(),
        _ => evidence.excerpt.iter().find(|line| line.hit).map(|line| line.text.clone()).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_told_is_counted_apart() {
        let left = |undecided| Left { condition: "a == 1".to_owned(), count: 2, undecided, refuted: Some(3) };
        assert_eq!(met(&left(0)), "meet a == 1");
        assert_eq!(met(&left(4)), "meet a == 1 (3 do not, of 4 it cannot be told)");
    }
}
