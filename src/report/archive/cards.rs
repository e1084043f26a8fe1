//! Questions that the overview answers first, each on a card.

use std::cmp::Reverse;

use serde::Serialize;

use super::facts::{CustomerLine, Overview, Problem, Rule, TemplateLine, UnansweredReason};
use super::names;
use super::row::{NAME_SHOWN, RuleLink, TEXT_SHOWN, clipped, severity};
use crate::model::Severity;
use crate::report::view;
use crate::report::words::{self, counted};

/// Rows of a card.
const ROWS: usize = 6;
/// Versions named in a row.
const VERSIONS: usize = 4;
/// Maximum length of a template on a card, in characters.
const TEMPLATE: usize = 120;

/// Question with its answer.
#[derive(Serialize)]
pub struct Card {
    /// Anchor.
    id: &'static str,
    question: String,
    /// What is counted.
    note: Option<String>,
    rows: Vec<Row>,
    /// Answer without rows.
    none: &'static str,
    /// Section with all of it.
    all: &'static str,
}

#[derive(Serialize)]
struct Row {
    severity: Option<&'static str>,
    href: Option<String>,
    text: String,
    detail: String,
}

/// Returns the cards in the order of the page.
pub fn cards(overview: &Overview) -> Vec<Card> {
    vec![
        problems(overview),
        customers(overview),
        new(overview),
        silent(overview),
        reasons(overview),
        templates(overview),
    ]
}

/// Sorts rules: causes before what only follows from others, faults before risks, by severity, then by number of bundles.
pub fn urgency(rule: &Rule, bundles: u64) -> (bool, bool, Option<Reverse<Severity>>, Reverse<u64>, &str) {
    (rule.causes == 0, !rule.is_fault, Severity::parse(&rule.severity).map(Reverse), Reverse(bundles), &rule.id)
}

fn problems(overview: &Overview) -> Card {
    let quarter = overview.quarter.as_ref();
    let mut problems: Vec<(&Problem, &Rule)> = quarter
        .map_or(&[][..], |quarter| &quarter.problems)
        .iter()
        .filter_map(|problem| Some((problem, overview.rule(&problem.rule)?)))
        .collect();
    problems.sort_by(|(a, one), (b, other)| urgency(one, a.bundles).cmp(&urgency(other, b.bundles)));
    let row = |(problem, rule): &(&Problem, &Rule)| Row::of_rule(rule, versions(problem));
    Card {
        id: "problems",
        question: quarter
            .map_or("Top problems".to_owned(), |quarter| format!("Top problems of {} by version", quarter.name)),
        note: quarter.map(|quarter| format!("Causes in {}, by severity", counted(quarter.bundles, "bundle"))),
        rows: problems.iter().take(ROWS).map(row).collect(),
        none: "No fault was found.",
        all: "rules",
    }
}

/// `5 bundles: Harvester 1.4 (3), 1.3 (2)`.
fn versions(problem: &Problem) -> String {
    let mut versions: Vec<&(String, String, u64)> =
        problem.versions.iter().filter(|(product, ..)| !product.is_empty()).collect();
    versions.sort_by_key(|(product, version, bundles)| (Reverse(*bundles), product, version));
    let named = versions.iter().take(VERSIONS).map(|(product, version, bundles)| {
        format!("{} {} ({})", view::product_name(product), clipped(version, NAME_SHOWN), words::number(*bundles))
    });
    let named: Vec<String> = named.collect();
    let bundles = counted(problem.bundles, "bundle");
    if named.is_empty() { bundles } else { format!("{bundles}: {}", named.join(", ")) }
}

fn customers(overview: &Overview) -> Card {
    let affected = overview.customers.iter().filter(|customer| customer.critical + customer.high > 0);
    let row = |customer: &CustomerLine| Row {
        severity: Some(severity(if customer.critical > 0 { "critical" } else { "high" })),
        href: Some(names::customer(&customer.name)),
        text: clipped(&customer.name, NAME_SHOWN),
        detail: affected_bundles(customer),
    };
    Card {
        id: "customers-affected",
        question: "Affected customers".to_owned(),
        note: Some("Bundles whose main cause is a critical or high fault".to_owned()),
        rows: affected.take(ROWS).map(row).collect(),
        none: match overview.customers.is_empty() {
            true => "No customer is known: gleaner triage --meta FILE.csv names them.",
            false => "No customer has a critical or high fault.",
        },
        all: "customers",
    }
}

/// `3 critical, 1 high of 12 bundles`.
pub fn affected_bundles(customer: &CustomerLine) -> String {
    let some = |count: u64, what: &str| (count > 0).then(|| format!("{} {what}", words::number(count)));
    let grave: Vec<String> =
        [some(customer.critical, "critical"), some(customer.high, "high")].into_iter().flatten().collect();
    let all = counted(customer.bundles, "bundle");
    if grave.is_empty() { all } else { format!("{} of {all}", grave.join(", ")) }
}

/// Rules that first fired in the newest month, and templates that it has first.
fn new(overview: &Overview) -> Card {
    let newest = overview.months.last().map(|month| month.name.as_str());
    let is_new = |rule: &&Rule| {
        let first = rule.first.map(words::day);
        let asked_before = rule.months.iter().rev().skip(1).any(|counts| counts.evaluated() > 0);
        asked_before && first.zip(newest).is_some_and(|(day, month)| day.starts_with(month))
    };
    let mut rules: Vec<&Rule> = overview.rules.iter().filter(is_new).collect();
    let now = |rule: &Rule| rule.months.last().map_or(0, |counts| counts.fired);
    rules.sort_by(|a, b| urgency(a, now(a)).cmp(&urgency(b, now(b))));
    let rules = rules.into_iter().map(|rule| Row::of_rule(rule, counted(now(rule), "bundle")));
    let templates = overview.new_templates.iter().map(Row::of_template);
    Card {
        id: "new",
        question: newest.map_or("New this month".to_owned(), |month| format!("New in {month}")),
        note: Some("Rules that never fired before, then errors that no rule knows and no bundle had before".to_owned()),
        rows: rules.chain(templates).take(ROWS).collect(),
        none: "Nothing that earlier bundles did not have.",
        all: "rules",
    }
}

/// Rules that never fired, by what is known of them.
fn silent(overview: &Overview) -> Card {
    let silent: Vec<&Rule> = overview.rules.iter().filter(|rule| rule.counts.fired == 0).collect();
    let (clean, unknown): (Vec<&Rule>, Vec<&Rule>) = silent.iter().partition(|rule| rule.counts.evaluated() > 0);
    let row = |rules: &[&Rule], detail: &str| Row {
        severity: None,
        href: None,
        text: counted(rules.len() as u64, "rule"),
        detail: detail.to_owned(),
    };
    let rows = [(&clean[..], "looked and found nothing"), (&unknown[..], "had no answer in any bundle")];
    Card {
        id: "never",
        question: "What never fired".to_owned(),
        note: Some(format!("Of {}", counted(overview.rules.len() as u64, "rule"))),
        rows: rows
            .into_iter()
            .filter(|(rules, _)| !rules.is_empty())
            .map(|(rules, detail)| row(rules, detail))
            .collect(),
        none: "Every rule fired at least once.",
        all: "silent",
    }
}

fn reasons(overview: &Overview) -> Card {
    let row = |reason: &UnansweredReason| Row {
        severity: None,
        href: None,
        text: words::sentence(&reason.text, TEXT_SHOWN).into_owned(),
        detail: format!("{} in {}", counted(reason.rules, "rule"), counted(reason.bundles, "bundle")),
    };
    Card {
        id: "collect",
        question: "What to ask the field to collect".to_owned(),
        note: Some("Most frequent reasons why rules were not evaluated".to_owned()),
        rows: overview.reasons.iter().take(ROWS).map(row).collect(),
        none: "Every rule was evaluated.",
        all: "reasons",
    }
}

fn templates(overview: &Overview) -> Card {
    Card {
        id: "worth-a-rule",
        question: "Errors worth a rule".to_owned(),
        note: Some("In logs of most clusters, and no rule knows them".to_owned()),
        rows: overview.templates.iter().take(ROWS).map(Row::of_template).collect(),
        none: "No log has an error that no rule knows.",
        all: "templates",
    }
}

impl Row {
    fn of_rule(rule: &Rule, detail: String) -> Self {
        let link = RuleLink::of(rule, "");
        Self { severity: Some(link.severity), href: Some(link.href), text: link.title, detail }
    }

    fn of_template(line: &TemplateLine) -> Self {
        let bundles = counted(line.bundles, "bundle");
        // Some kinds of bundles do not say which cluster they are of.
        let places = match line.clusters {
            0 => format!("in {bundles}"),
            clusters => format!("{} in {bundles}", counted(clusters, "cluster")),
        };
        Self {
            severity: None,
            href: None,
            text: clipped(&line.text, TEMPLATE),
            detail: format!("{}, {places}", line.level),
        }
    }
}
