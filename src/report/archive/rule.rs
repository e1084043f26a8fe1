//! Page of a rule: its results in all bundles.

use serde::Serialize;

use super::bars::Bars;
use super::facts::{Counts, Hit, Overview, RelatedRule, Rule, RuleDetail};
use super::heat::Cell;
use super::row::{BundleRow, NAME_SHOWN, RuleLink, TEXT_SHOWN, clipped, of_all, percent, severity};
use crate::model::TimedText;
use crate::report::view;
use crate::report::words::{self, counted};

const ROOT: &str = "../";

/// Page of a rule.
#[derive(Serialize)]
pub struct Page {
    rule: RuleLink,
    area: String,
    headline: String,
    facts: Vec<(&'static str, String)>,
    months: Option<Bars>,
    /// Month, and the outcomes of the rule in it.
    by_month: Vec<(String, String)>,
    products: Vec<Versions>,
    hits: Vec<HitRow>,
    more_hits: u64,
    related: Vec<RelatedRow>,
    reasons: Vec<(String, String)>,
    more_reasons: u64,
}

#[derive(Serialize)]
struct Versions {
    product: String,
    cells: Vec<(String, Cell)>,
}

#[derive(Serialize)]
struct HitRow {
    bundle: BundleRow,
    severity: &'static str,
    title: String,
    findings: String,
}

#[derive(Serialize)]
struct RelatedRow {
    rule: RuleLink,
    /// `8 of 10 (80 %)`: share of the bundles in which this rule fired.
    together: String,
    /// Share of the bundles in which the other rule fired.
    of_other: String,
}

impl Page {
    /// Puts a rule into words.
    pub fn of(overview: &Overview, rule: &Rule, detail: &RuleDetail) -> Self {
        let counts = &rule.counts;
        let months = overview.months.iter().zip(&rule.months);
        Self {
            rule: RuleLink::of(rule, ROOT),
            area: clipped(&rule.area, NAME_SHOWN),
            headline: headline(counts),
            facts: facts(rule),
            months: Bars::of_counts(&overview.months, &rule.months).filter(|_| counts.fired > 0),
            by_month: months.map(|(month, of)| (month.name.clone(), of_all(of.fired, of.evaluated()))).collect(),
            products: products(overview, rule),
            hits: detail.hits.iter().map(HitRow::of).collect(),
            more_hits: counts.fired.saturating_sub(detail.hits.len() as u64),
            related: detail
                .related
                .iter()
                .filter_map(|related| RelatedRow::of(related, counts.fired, overview))
                .collect(),
            reasons: detail.reasons.iter().map(reason).collect(),
            more_reasons: detail.more_reasons,
        }
    }
}

fn headline(counts: &Counts) -> String {
    match (counts.fired, counts.evaluated()) {
        (0, 0) => "Never evaluated: no bundle contains enough data".to_owned(),
        (0, all) => format!("Never fired, in {} in which it was evaluated", counted(all, "bundle")),
        (fired, all) => {
            let share = percent(fired, all).unwrap_or_default();
            let all = counted(all, "bundle");
            format!("Fired in {} of {all} in which it was evaluated ({share})", words::number(fired))
        }
    }
}

fn facts(rule: &Rule) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("Findings", words::number(rule.findings)),
        ("Clean in", counted(rule.counts.clean, "bundle")),
        ("Not evaluated in", counted(rule.counts.not_evaluated, "bundle")),
        ("Not applicable to", counted(rule.counts.not_applicable, "bundle")),
    ];
    let times = [("First bundle", rule.first), ("Last bundle", rule.last)];
    facts.extend(times.into_iter().filter_map(|(what, time)| Some((what, words::day(time?)))));
    facts
}

fn products(overview: &Overview, rule: &Rule) -> Vec<Versions> {
    let product = |(product, counts): (&super::Product, &Vec<Counts>)| Versions {
        product: view::product_name(&product.name),
        cells: product
            .versions
            .iter()
            .zip(counts)
            .map(|(version, counts)| (clipped(&version.name, NAME_SHOWN), Cell::of(counts)))
            .collect(),
    };
    overview.products.iter().zip(&rule.products).map(product).collect()
}

impl HitRow {
    fn of(hit: &Hit) -> Self {
        Self {
            bundle: BundleRow::of(&hit.bundle, ROOT),
            severity: severity(&hit.severity),
            title: words::sentence(&hit.title, TEXT_SHOWN).into_owned(),
            findings: words::number(hit.findings),
        }
    }
}

impl RelatedRow {
    /// Returns none for a rule that is not in the overview.
    fn of(related: &RelatedRule, fired: u64, overview: &Overview) -> Option<Self> {
        let rule = overview.rule(&related.rule)?;
        Some(Self {
            rule: RuleLink::of(rule, ROOT),
            together: of_all(related.together, fired),
            of_other: of_all(related.together, related.fired),
        })
    }
}

fn reason((reason, bundles): &(TimedText, u64)) -> (String, String) {
    let told = words::sentence(reason, TEXT_SHOWN).into_owned();
    (if told.is_empty() { "reason unknown".to_owned() } else { told }, counted(*bundles, "bundle"))
}
