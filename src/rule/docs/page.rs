//! The page about a rule, in Markdown, for those who have never heard of a failure.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::model::{Evidence, Finding, RemedyStep, Severity};
use crate::rule::compiled::{RemedyTemplates, Rule, RuleSet, StatedComponent};
use crate::rule::docs::describe;
use crate::rule::docs::fence::fenced;
use crate::rule::docs::listing::{TestCount, plain};
use crate::rule::plan::Plan;
use crate::rule::source::basis::BasisSource;
use crate::rule::text::Template;

/// A page with its path below the folder of all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    pub path: String,
    pub text: String,
}

/// The end of every page of a rule.
pub const FOOT: &str = "\nMade by `gleaner rules docs`; do not edit.\n";

/// Lines that show how an example looks in a bundle.
const PROOF: usize = 8;

/// Inputs of pages other than the rules themselves.
#[derive(Clone, Debug, Default)]
pub struct PageInputs {
    /// The YAML of a rule by its file.
    pub written: BTreeMap<String, String>,
    /// By id.
    pub tests: BTreeMap<String, TestCount>,
    /// From the tests of a rule, by id.
    pub examples: BTreeMap<String, Example>,
}

/// A rule in its tests.
#[derive(Clone, Debug)]
pub struct Example {
    /// The finding of a case in which it must fire.
    pub finding: Finding,
    /// The names of the cases in which it must find nothing.
    pub silent: Vec<String>,
}

/// Returns the page of a rule of a set.
pub(super) fn page(set: &RuleSet, rule: &Rule, inputs: &PageInputs) -> Page {
    Page { path: path(rule), text: Writer { set, rule, inputs, out: String::new() }.page() }
}

/// Returns the text of an example, or the template with `<name>` for each value.
fn filled_text(rule: &Rule, inputs: &PageInputs, example: fn(&Finding) -> &str, template: &Template) -> String {
    let text = inputs
        .examples
        .get(&rule.id)
        .map_or_else(|| plain(template.text()), |found| example(&found.finding).to_owned());
    one_line(&text)
}

fn title(rule: &Rule, inputs: &PageInputs) -> String {
    filled_text(rule, inputs, |found| &found.title, &rule.texts.own().title)
}

/// Path of the page of a rule.
pub(super) fn path(rule: &Rule) -> String {
    format!("{}/{}.md", rule.area, rule.id)
}

struct Writer<'p> {
    set: &'p RuleSet,
    rule: &'p Rule,
    inputs: &'p PageInputs,
    out: String,
}

impl Writer<'_> {
    fn page(mut self) -> String {
        let (rule, inputs) = (self.rule, self.inputs);
        let texts = rule.texts.own();
        self.push(&format!("# {}\n\n**{}**\n", rule.id, escaped(&title(rule, inputs))));
        self.facts_of_the_rule();
        if self.example().is_some() {
            self.push("\nNames and numbers are those of an example.\n");
        }
        self.section("What is wrong", &escaped(&filled_text(rule, inputs, |found| &found.message, &texts.message)));
        self.proof();
        let spoken = [
            ("Impact", filled_text(rule, inputs, |found| &found.impact, &texts.impact)),
            ("Cause", filled_text(rule, inputs, |found| &found.cause, &texts.cause)),
        ];
        for (heading, text) in spoken {
            self.section(heading, &escaped(&text));
        }
        self.remedy();
        if let Some(verify) = &texts.verify {
            let text = filled_text(rule, inputs, |found| found.verify.as_deref().unwrap_or_default(), verify);
            self.section("How to verify the fix", &escaped(&text));
        }
        self.silence();
        self.neighbours();
        self.recognised();
        self.basis();
        if !rule.links.is_empty() {
            let links: Vec<String> = rule.links.iter().map(|link| format!("- <{link}>")).collect();
            self.section("Links", &links.join("\n"));
        }
        self.push(FOOT);
        self.out
    }

    fn example(&self) -> Option<&Example> {
        self.inputs.examples.get(&self.rule.id)
    }

    /// Fields and lines that prove the example.
    fn proof(&mut self) {
        let Some(example) = self.example() else { return };
        let mut lines: Vec<String> = Vec::new();
        for line in example.finding.evidence.iter().filter_map(evidence_line) {
            if !line.is_empty() && !lines.contains(&line) {
                lines.push(line);
            }
        }
        if lines.is_empty() {
            return;
        }
        let more = lines.len().saturating_sub(PROOF);
        lines.truncate(PROOF);
        if more > 0 {
            lines.push(format!("... and {more} more"));
        }
        self.section("How it looks in a bundle", &format!("```text\n{}\n```", lines.join("\n")));
    }

    /// Writes the cases that look alike and are not a failure.
    fn silence(&mut self) {
        let Some(example) = self.example().filter(|example| !example.silent.is_empty()) else { return };
        let cases: Vec<String> = example.silent.iter().map(|name| format!("- {}", escaped(&one_line(name)))).collect();
        let text = format!("The rule finds nothing in these cases, which are tested:\n\n{}", cases.join("\n"));
        self.section("What it does not mean", &text);
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn section(&mut self, title: &str, text: &str) {
        self.push(&format!("\n## {title}\n\n{}\n", text.trim()));
    }

    fn facts_of_the_rule(&mut self) {
        let rule = self.rule;
        let tests = self.inputs.tests.get(&rule.id).copied().unwrap_or_default();
        let versions = rule.affects.iter().map(|a| format!("{} {}", a.product, a.range.text()));
        let fixed = rule.fixed_in.iter().map(|(product, versions)| format!("{product} {versions}"));
        let rows = [
            ("name", rule.texts.own().name.clone().unwrap_or_default()),
            ("class", rule.class.as_str().to_owned()),
            ("severity", severities(rule)),
            ("confidence", rule.confidence.as_str().to_owned()),
            ("area", rule.area.clone()),
            ("affects", versions.collect::<Vec<_>>().join(", ")),
            ("fixed in", fixed.collect::<Vec<_>>().join(", ")),
            ("also known as", rule.aliases.join(", ")),
            ("tests", format!("{} in which it fires, {} in which it does not", tests.firing, tests.silent)),
        ];
        self.push("\n| | |\n|---|---|\n");
        for (label, value) in rows.iter().filter(|(_, value)| !value.is_empty()) {
            self.push(&format!("| {label} | {} |\n", cell(value)));
        }
    }

    fn remedy(&mut self) {
        let filled = |position| self.example()?.finding.remedy.iter().find(|filled| filled.position == position);
        let steps = self.rule.texts.own().remedy.iter().enumerate();
        let steps: Vec<String> = steps.map(|(position, one)| step(position + 1, one, filled(position))).collect();
        self.section("What to do", &steps.join("\n"));
    }

    /// Writes what the rule looks for, in words and as written.
    fn recognised(&mut self) {
        let rule = self.rule;
        let written = self.inputs.written.get(&rule.file).map_or("", String::as_str);
        let plan = Plan::of(rule);
        let mut lines = vec!["The bundle is searched for".to_owned(), String::new()];
        let is_value = |slot: usize| rule.facts[slot].is_value();
        lines.extend(plan.find.iter().filter(|step| !is_value(step.slot)).map(|step| self.fact(step.slot)));
        if !rule.when.is_empty() {
            let conditions: Vec<String> = rule.when.iter().map(|condition| code(condition.text())).collect();
            lines.extend([String::new(), format!("It only counts if {}.", conditions.join(" and "))]);
        }
        if !plan.unless.is_empty() {
            lines.extend([String::new(), "It is not a failure if the bundle contains".to_owned(), String::new()]);
            for group in &plan.unless {
                let facts: Vec<String> = group.iter().map(|step| self.fact(step.slot)).collect();
                lines.push(facts.join("\n"));
            }
        }
        let yaml = part(written);
        if !yaml.is_empty() {
            lines.extend([
                String::new(),
                "In the language of rules:".to_owned(),
                String::new(),
                format!("```yaml\n{yaml}```"),
            ]);
        }
        self.section("How it is recognised", &lines.join("\n"));
    }

    /// Where wordings, states, defaults and thresholds come from.
    fn basis(&mut self) {
        let supported = |basis: &BasisSource| basis.supports.iter().map(|name| code(&name.text)).collect::<Vec<_>>();
        let line = |basis: &BasisSource| {
            format!("- {}: {}", supported(basis).join(", "), one_line(&escaped(&basis.source.to_string())))
        };
        let lines: Vec<String> = self.rule.basis.iter().map(line).collect();
        if !lines.is_empty() {
            self.section("Where it comes from", &lines.join("\n"));
        }
    }

    fn fact(&self, slot: usize) -> String {
        let fact = &self.rule.facts[slot];
        let modifiers = describe::modifiers(fact).map(|text| format!(" ({text})")).unwrap_or_default();
        let mut text = format!("- **{}**: {}{modifiers}", fact.name, describe::looks_for(self.set, fact));
        if !fact.conditions.is_empty() && !fact.is_value() {
            let conditions: Vec<String> = fact.conditions.iter().map(|condition| code(condition.text())).collect();
            text.push_str(&format!(", where {}", conditions.join(" and ")));
        }
        text
    }

    /// Rules that this one explains or is explained by.
    fn neighbours(&mut self) {
        let (rule, inputs) = (self.rule, self.inputs);
        let named = |id: &str| self.set.rules.iter().find(|other| other.id == id);
        let link = |other: &Rule| format!("- [{}](../{}): {}", other.id, path(other), escaped(&title(other, inputs)));
        let explains: Vec<String> = rule.explains.iter().filter_map(|e| named(&e.rule)).map(link).collect();
        let by = self.set.rules.iter().filter(|other| other.explains.iter().any(|e| e.rule == rule.id));
        let by: Vec<String> = by.map(link).collect();
        let words = |components: &[StatedComponent]| {
            components.iter().map(|stated| code(&stated.to_string())).collect::<Vec<_>>().join(", ")
        };
        let lines = [("Breaks", words(&rule.breaks)), ("Needs", words(&rule.needs))];
        let lines = lines.iter().filter(|(_, kinds)| !kinds.is_empty());
        let lines: Vec<String> = lines.map(|(label, kinds)| format!("- {label}: {kinds}")).collect();
        if !lines.is_empty() {
            self.section("Components", &lines.join("\n"));
        }
        if !explains.is_empty() {
            self.section("Possible symptoms", &explains.join("\n"));
        }
        if !by.is_empty() {
            self.section("Possible causes", &by.join("\n"));
        }
    }
}

/// The severity, and those that a finding may have instead.
fn severities(rule: &Rule) -> String {
    let (own, others) = (rule.severity.as_str(), others(rule));
    if others.is_empty() { own.to_owned() } else { format!("{own}; in some cases {}", others.join(" or ")) }
}

pub(super) fn others(rule: &Rule) -> Vec<&'static str> {
    let others: BTreeSet<Severity> = rule.adjust.iter().filter_map(|adjust| adjust.severity).collect();
    others.iter().filter(|other| **other != rule.severity).map(|other| other.as_str()).collect()
}

/// One step of the remedy, as an item of a numbered list; with `<name>` for what the example does not fill in.
fn step(number: usize, step: &RemedyTemplates, filled: Option<&RemedyStep>) -> String {
    // Texts of different cases are put on separate lines.
    let written = |template: &Template| {
        let cases = template.text().replace("{% else %}", "\n");
        cases.lines().map(plain).collect::<Vec<_>>().join("\n")
    };
    let (action, run, caution) = match filled {
        Some(filled) => {
            (filled.action.to_string(), filled.run.clone(), filled.caution.as_ref().map(ToString::to_string))
        }
        None => (written(&step.action), step.run.as_ref().map(written), step.caution.as_ref().map(written)),
    };
    let mut text = format!("{number}. {}", escaped(&one_line(&action)));
    if let Some(condition) = &step.condition {
        text.push_str(&format!(" (only if {})", code(condition.text())));
    }
    text.push('\n');
    if let Some(run) = run {
        let lines: Vec<String> =
            run.lines().filter(|line| !line.trim().is_empty()).map(|line| format!("   {line}")).collect();
        text.push_str(&format!("\n   ```sh\n{}\n   ```\n", lines.join("\n")));
    }
    if let Some(caution) = caution {
        text.push_str(&format!("\n   **Caution:** {}\n", escaped(&one_line(&caution))));
    }
    text
}

/// A piece of evidence in one line: `fact: field = value`, or the log line.
fn evidence_line(evidence: &Evidence) -> Option<String> {
    let line = match (&evidence.field, evidence.value_text()) {
        (Some(field), Some(value)) => format!("{}: {field} = {value}", evidence.fact),
        (None, Some(value)) => value.into_owned(),
        _ => evidence.excerpt.iter().find(|line| line.hit)?.text.clone(),
    };
    Some(one_line(&line).replace("```", "` ` `"))
}

/// The part of a rule that defines what is looked for: the lines from `find:` to the next text.
fn part(written: &str) -> String {
    let mut shown = String::new();
    let mut inside = false;
    for line in written.lines() {
        if let Some(key) = line.split(':').next().filter(|key| !key.is_empty() && !line.starts_with([' ', '#', '-'])) {
            inside = matches!(key, "find" | "unless" | "when" | "about");
        }
        if inside {
            let _ = writeln!(shown, "{}", line.trim_end());
        }
    }
    shown
}

/// Code in a line, each space of it one.
fn code(text: &str) -> String {
    fenced(&one_line(text))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Text that Markdown takes as it is.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let begins_target = c == '(' && out.ends_with(']');
        if begins_target || matches!(c, '\\' | '`' | '*' | '_' | '<' | '[' | ']' | '|') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Text in a cell of a table, in which code stays code.
pub(super) fn cell(text: &str) -> String {
    one_line(text).replace('|', "\\|").replace('<', "\\<")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::EvidenceValue;

    #[test]
    fn only_what_is_looked_for_is_shown_of_a_rule() {
        let rule =
            "id: x\nfind:\n  a: {resource: pods}\n# beside\nwhen: a.b == 1\nmessage: >-\n  find: none\nabout: [a]\n";
        assert_eq!(part(rule), "find:\n  a: {resource: pods}\n# beside\nwhen: a.b == 1\nabout: [a]\n");
    }

    #[test]
    fn evidence_reads_in_one_line() {
        let evidence = |field: Option<&str>, value: Option<&str>| Evidence {
            fact: "pod".to_owned(),
            entry: "pods.yaml".to_owned(),
            line: Some(1),
            field: field.map(str::to_owned),
            value: value.map(|value| EvidenceValue::Text(value.to_owned())),
            matched: None,
            excerpt: Vec::new(),
        };
        assert_eq!(
            evidence_line(&evidence(Some("status.phase"), Some("Failed"))).as_deref(),
            Some("pod: status.phase = Failed")
        );
        assert_eq!(evidence_line(&evidence(None, Some("a\nb ```"))).as_deref(), Some("a b ` ` `"));
    }

    #[test]
    fn texts_cannot_break_the_page() {
        assert_eq!(escaped("<pod> is `x` | *y*"), "\\<pod> is \\`x\\` \\| \\*y\\*");
        assert_eq!(cell("a |\n b < c"), "a \\| b \\< c");
        assert_eq!(code("a `b`"), "`` a `b` ``");
    }
}
