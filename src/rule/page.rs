//! Pages about rules, in Markdown: one for each rule and a catalogue, for those who have never heard of a failure.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::model::{Finding, Severity};
use crate::rule::listing::{TestCount, plain};
use crate::rule::plan::Plan;
use crate::rule::source::AREAS;
use crate::rule::text::Template;
use crate::rule::{Rule, RuleSet, Step, describe};

/// A page with its path below the folder of all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    pub path: String,
    pub text: String,
}

/// How every page of a rule ends.
pub const FOOT: &str = "\nMade by `gleaner rules docs`; do not edit.\n";

/// The file of the catalogue.
const CATALOGUE: &str = "README.md";

/// What pages tell beyond the rules themselves.
#[derive(Clone, Debug, Default)]
pub struct Beside {
    /// The YAML of a rule by its file.
    pub written: BTreeMap<String, String>,
    /// By id.
    pub tests: BTreeMap<String, TestCount>,
    /// What a rule said in one of its tests, by id.
    pub examples: BTreeMap<String, Finding>,
}

/// The catalogue and a page for each rule, `AREA/ID.md`.
pub fn pages(set: &RuleSet, beside: &Beside) -> Vec<Page> {
    let page = |rule: &Rule| Page { path: path(rule), text: Writer { set, rule, beside, out: String::new() }.page() };
    let catalogue = Page { path: CATALOGUE.to_owned(), text: catalogue(set, beside) };
    std::iter::once(catalogue).chain(set.rules.iter().map(page)).collect()
}

/// What the rule says in an example, or with `<name>` for what is filled in.
fn said(rule: &Rule, beside: &Beside, example: fn(&Finding) -> &str, template: &Template) -> String {
    let text = beside.examples.get(&rule.id).map_or_else(|| plain(template.text()), |found| example(found).to_owned());
    one_line(&text)
}

fn title(rule: &Rule, beside: &Beside) -> String {
    said(rule, beside, |found| &found.title, &rule.texts.title)
}

fn path(rule: &Rule) -> String {
    format!("{}/{}.md", rule.area, rule.id)
}

/// All rules by area.
fn catalogue(set: &RuleSet, beside: &Beside) -> String {
    let mut out = format!(
        "# The rules\n\n{} rules come with gleaner. Each looks for one failure; its page says how it is recognised, what it means and what to \
         do.\n{FOOT}",
        set.rules.len()
    );
    for area in AREAS {
        let rules: Vec<&Rule> = set.rules.iter().filter(|rule| rule.area == area).collect();
        if rules.is_empty() {
            continue;
        }
        // Writing to a String cannot fail.
        let _ = write!(out, "\n## {area}\n\n| rule | severity | for example |\n|---|---|---|\n");
        for rule in rules {
            let title = cell(&title(rule, beside));
            let _ = writeln!(out, "| [{}]({}) | {} | {title} |", rule.id, path(rule), rule.severity.as_str());
        }
    }
    out
}

struct Writer<'p> {
    set: &'p RuleSet,
    rule: &'p Rule,
    beside: &'p Beside,
    out: String,
}

impl Writer<'_> {
    fn page(mut self) -> String {
        let (rule, beside) = (self.rule, self.beside);
        let texts = &rule.texts;
        self.push(&format!("# {}\n\n**{}**\n", rule.id, escaped(&title(rule, beside))));
        self.facts_of_the_rule();
        if beside.examples.contains_key(&rule.id) {
            self.push("\nThe names and numbers are those of an example.\n");
        }
        let spoken = [
            ("What is wrong", said(rule, beside, |found| &found.message, &texts.message)),
            ("Impact", said(rule, beside, |found| &found.impact, &texts.impact)),
            ("Cause", said(rule, beside, |found| &found.cause, &texts.cause)),
        ];
        for (heading, text) in spoken {
            self.section(heading, &escaped(&text));
        }
        self.remedy();
        if let Some(verify) = &texts.verify {
            self.section("How to see that it is well again", &escaped(&one_line(&plain(verify.text()))));
        }
        self.recognised();
        self.neighbours();
        if !rule.links.is_empty() {
            let links: Vec<String> = rule.links.iter().map(|link| format!("- <{link}>")).collect();
            self.section("Links", &links.join("\n"));
        }
        self.push(FOOT);
        self.out
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn section(&mut self, title: &str, text: &str) {
        self.push(&format!("\n## {title}\n\n{}\n", text.trim()));
    }

    fn facts_of_the_rule(&mut self) {
        let rule = self.rule;
        let tests = self.beside.tests.get(&rule.id).copied().unwrap_or_default();
        let versions = rule.affects.iter().map(|a| format!("{} {}", a.product, a.range.text()));
        let fixed = rule.fixed_in.iter().map(|(product, versions)| format!("{product} {versions}"));
        let rows = [
            ("severity", severities(rule)),
            ("confidence", rule.confidence.as_str().to_owned()),
            ("area", rule.area.clone()),
            ("affects", versions.collect::<Vec<_>>().join(", ")),
            ("fixed in", fixed.collect::<Vec<_>>().join(", ")),
            ("also known as", rule.aliases.join(", ")),
            ("tests", format!("{} in which it fires, {} in which it stays silent", tests.firing, tests.silent)),
        ];
        self.push("\n| | |\n|---|---|\n");
        for (label, value) in rows.iter().filter(|(_, value)| !value.is_empty()) {
            self.push(&format!("| {label} | {} |\n", cell(value)));
        }
    }

    fn remedy(&mut self) {
        let steps: Vec<String> =
            self.rule.texts.remedy.iter().enumerate().map(|(number, one)| step(number + 1, one)).collect();
        self.section("What to do", &steps.join("\n"));
    }

    /// What is looked for, in words and as written.
    fn recognised(&mut self) {
        let rule = self.rule;
        let written = self.beside.written.get(&rule.file).map_or("", String::as_str);
        let plan = Plan::of(rule);
        let mut lines = vec!["The bundle is searched for".to_owned(), String::new()];
        for step in &plan.find {
            lines.push(self.fact(step.slot));
        }
        if !rule.when.is_empty() {
            let conditions: Vec<String> = rule.when.iter().map(|condition| code(condition.text())).collect();
            lines.extend([String::new(), format!("and all of it only counts when {}.", conditions.join(" and "))]);
        }
        if !plan.unless.is_empty() {
            lines.extend([String::new(), "It is no failure if there are".to_owned(), String::new()]);
            for group in &plan.unless {
                let facts: Vec<String> = group.iter().map(|step| self.fact(step.slot)).collect();
                lines.push(facts.join("\n"));
            }
        }
        let yaml = part(written);
        if !yaml.is_empty() {
            lines.extend([
                String::new(),
                "As the rule says it:".to_owned(),
                String::new(),
                format!("```yaml\n{yaml}```"),
            ]);
        }
        self.section("How it is recognised", &lines.join("\n"));
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
        let (rule, beside) = (self.rule, self.beside);
        let named = |id: &str| self.set.rules.iter().find(|other| other.id == id);
        let link = |other: &Rule| format!("- [{}](../{}): {}", other.id, path(other), escaped(&title(other, beside)));
        let explains: Vec<String> = rule.explains.iter().filter_map(|e| named(&e.rule)).map(link).collect();
        let by = self.set.rules.iter().filter(|other| other.explains.iter().any(|e| e.rule == rule.id));
        let by: Vec<String> = by.map(link).collect();
        if !explains.is_empty() {
            self.section("What it may explain", &explains.join("\n"));
        }
        if !by.is_empty() {
            self.section("What may be behind it", &by.join("\n"));
        }
    }
}

/// The severity, and those that a finding may have instead.
fn severities(rule: &Rule) -> String {
    let others: BTreeSet<Severity> = rule.adjust.iter().filter_map(|adjust| adjust.severity).collect();
    let others: Vec<&str> =
        others.iter().filter(|other| **other != rule.severity).map(|other| other.as_str()).collect();
    let own = rule.severity.as_str();
    if others.is_empty() { own.to_owned() } else { format!("{own}; in some cases {}", others.join(" or ")) }
}

/// One step of the remedy, as an item of a numbered list.
fn step(number: usize, step: &Step) -> String {
    let mut text = format!("{number}. {}", escaped(&one_line(&plain(step.action.text()))));
    if let Some(condition) = &step.condition {
        text.push_str(&format!(" (if {})", code(condition.text())));
    }
    text.push('\n');
    if let Some(run) = &step.run {
        let lines = run.text().lines().map(plain).filter(|line| !line.trim().is_empty());
        let lines: Vec<String> = lines.map(|line| format!("   {line}")).collect();
        text.push_str(&format!("\n   ```sh\n{}\n   ```\n", lines.join("\n")));
    }
    if let Some(caution) = &step.caution {
        text.push_str(&format!("\n   **Caution:** {}\n", escaped(&one_line(&plain(caution.text())))));
    }
    text
}

/// The part of a rule that says what is looked for: the lines from `find:` to the next text.
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

/// Code in a line; backticks in it are fenced by more of them.
fn code(text: &str) -> String {
    let text = one_line(text);
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Text that Markdown takes as it is.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '<' | '[' | ']' | '|') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Text in a cell of a table, in which code stays code.
fn cell(text: &str) -> String {
    one_line(text).replace('|', "\\|").replace('<', "\\<")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_looked_for_is_shown_of_a_rule() {
        let rule =
            "id: x\nfind:\n  a: {resource: pods}\n# beside\nwhen: a.b == 1\nmessage: >-\n  find: none\nabout: [a]\n";
        assert_eq!(part(rule), "find:\n  a: {resource: pods}\n# beside\nwhen: a.b == 1\nabout: [a]\n");
    }

    #[test]
    fn texts_cannot_break_the_page() {
        assert_eq!(escaped("<pod> is `x` | *y*"), "\\<pod> is \\`x\\` \\| \\*y\\*");
        assert_eq!(cell("a |\n b < c"), "a \\| b \\< c");
        assert_eq!(code("a `b`"), "`` a `b` ``");
    }
}
