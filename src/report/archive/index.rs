//! First page: the overview in words and in order.

use std::cmp::Reverse;

use serde::Serialize;

use super::bars::Bars;
use super::cards::{self, Card, affected_bundles};
use super::facts::{
    ChangeCounts, ClusterLine, CustomerLine, Failure, Overview, Quiet, Rule, TemplateLine, UnansweredReason, Version,
};
use super::heat::{self, Heat};
use super::names;
use super::row::{BundleRow, Customer, NAME_SHOWN, RuleLink, T, TEXT_SHOWN, clipped, of_all, path, percent};
use crate::report::view;
use crate::report::words::{self, counted};

/// Maximum number of clusters listed.
const CLUSTERS: usize = 200;
/// Maximum number of customers listed.
const CUSTOMERS: usize = 500;

/// First page of the archive.
#[derive(Serialize)]
pub struct Index {
    headline: String,
    notes: Vec<String>,
    facts: Vec<(&'static str, String)>,
    cards: Vec<Card>,
    customers: Vec<CustomerRow>,
    more_customers: u64,
    reasons: Vec<ReasonRow>,
    kinds: Vec<Share>,
    months: Option<Bars>,
    month_notes: Vec<String>,
    products: Vec<Versions>,
    rules: Vec<RuleRow>,
    heat: Vec<Heat>,
    clusters: Vec<ClusterRow>,
    more_clusters: u64,
    unexplained: Vec<QuietRow>,
    more_unexplained: u64,
    failures: Vec<FailureRow>,
    more_failures: u64,
    silent: Vec<SilentRow>,
    /// Number of bundles whose templates are known, in words.
    surveyed: String,
    common: Vec<TemplateRow>,
    templates: Vec<TemplateRow>,
    more_templates: u64,
}

/// Share of all bundles.
#[derive(Serialize)]
struct Share {
    name: String,
    bundles: String,
    share: String,
    /// Percent, for the bar.
    width: u64,
}

impl Share {
    fn of(name: String, bundles: u64, all: u64) -> Self {
        let width = bundles.saturating_mul(100).checked_div(all).unwrap_or(0);
        let share = percent(bundles, all).unwrap_or_default();
        Self { name, bundles: words::number(bundles), share, width: width.clamp(1, 100) }
    }
}

#[derive(Serialize)]
struct Versions {
    product: String,
    versions: Vec<Share>,
}

#[derive(Serialize)]
struct RuleRow {
    rule: RuleLink,
    fired: String,
    findings: String,
    /// True if it only found what follows from others.
    symptom: bool,
    first: Option<String>,
    last: Option<String>,
    trend: Option<Bars>,
}

#[derive(Serialize)]
struct CustomerRow {
    customer: Customer,
    tickets: String,
    bundles: String,
    last: Option<String>,
}

#[derive(Serialize)]
struct ReasonRow {
    text: String,
    rules: String,
    bundles: String,
}

#[derive(Serialize)]
struct ClusterRow {
    href: String,
    name: String,
    uid: Option<String>,
    bundles: String,
    first: Option<String>,
    last: Option<String>,
    latest: Option<String>,
}

#[derive(Serialize)]
struct QuietRow {
    bundle: BundleRow,
    clean: String,
    /// `12 not evaluated`; none if all were evaluated.
    not_evaluated: Option<String>,
    issues: Option<String>,
    unread: Option<String>,
    /// Most telling message of its logs that no rule knows.
    template: Option<String>,
    /// True if no rule has an answer for it.
    unanswered: bool,
}

#[derive(Serialize)]
struct FailureRow {
    name: String,
    status: String,
    error: String,
}

#[derive(Serialize)]
struct SilentRow {
    rule: RuleLink,
    clean: String,
    not_evaluated: String,
    not_applicable: String,
    /// True if the rule was never evaluated, so that nothing is known of it.
    unknown: bool,
}

#[derive(Serialize)]
struct TemplateRow {
    text: String,
    level: String,
    clusters: String,
    bundles: String,
    /// Share of the bundles without a finding.
    quiet: String,
    first: Option<String>,
    last: Option<String>,
}

impl Index {
    /// Puts the overview into words.
    pub fn of(overview: &Overview) -> Self {
        let bundles = overview.bundles;
        let mut fired: Vec<&Rule> = overview.rules.iter().filter(|rule| rule.counts.fired > 0).collect();
        fired.sort_by(|a, b| cards::urgency(a, a.counts.fired).cmp(&cards::urgency(b, b.counts.fired)));
        let mut silent: Vec<&Rule> = overview.rules.iter().filter(|rule| rule.counts.fired == 0).collect();
        silent.sort_by(|a, b| (Reverse(a.counts.evaluated()), &a.id).cmp(&(Reverse(b.counts.evaluated()), &b.id)));
        let kind = |(kind, count): &(String, u64)| Share::of(view::kind_name(kind, T), *count, bundles);
        let failed = overview.statuses.iter().map(|(_, count)| count).sum::<u64>();
        let more = |all: u64, shown: usize| all.saturating_sub(shown as u64);
        Self {
            headline: headline(overview, fired.len()),
            notes: notes(overview),
            facts: facts(overview),
            cards: cards::cards(overview),
            customers: overview.customers.iter().take(CUSTOMERS).map(CustomerRow::of).collect(),
            more_customers: more(overview.customers.len() as u64, CUSTOMERS),
            reasons: overview.reasons.iter().map(ReasonRow::of).collect(),
            kinds: overview.kinds.iter().map(kind).collect(),
            months: Bars::of_bundles(&overview.months),
            month_notes: month_notes(overview),
            products: overview.products.iter().map(Versions::of).collect(),
            rules: fired.iter().map(|rule| RuleRow::of(rule, overview)).collect(),
            heat: heat::tables(overview),
            clusters: overview.clusters.iter().take(CLUSTERS).map(ClusterRow::of).collect(),
            more_clusters: more(overview.clusters.len() as u64, CLUSTERS),
            unexplained: overview.unexplained.iter().map(QuietRow::of).collect(),
            more_unexplained: more(overview.quiet, overview.unexplained.len()),
            failures: overview.failures.iter().map(FailureRow::of).collect(),
            more_failures: more(failed, overview.failures.len()),
            silent: silent.iter().map(|rule| SilentRow::of(rule)).collect(),
            surveyed: surveyed(overview),
            common: overview.common.iter().map(|line| TemplateRow::of(line, overview)).collect(),
            templates: overview.templates.iter().map(|line| TemplateRow::of(line, overview)).collect(),
            more_templates: more(overview.all_templates, overview.templates.len()),
        }
    }
}

fn headline(overview: &Overview, fired: usize) -> String {
    let with = overview.bundles.saturating_sub(overview.quiet);
    if overview.bundles == 0 {
        return "No bundle was analysed".to_owned();
    }
    let rules = counted(fired as u64, "rule");
    let all = counted(overview.bundles, "different bundle");
    format!("{rules} of {} fired, in {} of {all}", words::number(overview.rules.len() as u64), words::number(with))
}

fn notes(overview: &Overview) -> Vec<String> {
    let severity = |(severity, count): &(String, u64)| format!("{} {severity}", words::number(*count));
    let severities: Vec<String> = overview.severities.iter().map(severity).collect();
    let findings = (!severities.is_empty()).then(|| format!("Findings: {}", severities.join(", ")));
    let quiet = (overview.quiet > 0).then(|| format!("{} without a finding", counted(overview.quiet, "bundle")));
    let unanswered = words::number(overview.unanswered);
    let unanswered = (overview.unanswered > 0).then(|| format!("{unanswered} of them could not be checked at all"));
    let failed: u64 =
        overview.statuses.iter().filter(|(status, _)| status != "no_bundle").map(|(_, count)| count).sum();
    let failed = (failed > 0).then(|| format!("{} could not be analysed", counted(failed, "file")));
    [findings, quiet, unanswered, failed].into_iter().flatten().collect()
}

fn facts(overview: &Overview) -> Vec<(&'static str, String)> {
    let number = |count: u64| words::number(count);
    let collected = match (overview.first, overview.last) {
        (Some(first), Some(last)) if words::day(first) != words::day(last) => {
            format!("{} to {}", words::day(first), words::day(last))
        }
        (Some(only), _) => words::day(only),
        _ => "unknown".to_owned(),
    };
    let mut facts = vec![
        ("Files and folders", number(overview.files)),
        ("Bundles", number(overview.analysed)),
        ("Different bundles", number(overview.bundles)),
        ("Collected", collected),
        ("Clusters with several bundles", number(overview.clusters.len() as u64)),
    ];
    let gone = (overview.gone > 0).then(|| ("Deleted since", number(overview.gone)));
    facts.extend(gone);
    facts
}

fn month_notes(overview: &Overview) -> Vec<String> {
    let earlier = (overview.earlier > 0).then(|| format!("{} of earlier months", counted(overview.earlier, "bundle")));
    let undated = (overview.undated > 0).then(|| format!("{} of unknown date", counted(overview.undated, "bundle")));
    [earlier, undated].into_iter().flatten().collect()
}

impl Versions {
    fn of(product: &super::Product) -> Self {
        let all = product.bundles();
        let share = |version: &Version| Share::of(clipped(&version.name, NAME_SHOWN), version.bundles, all);
        let others = (product.others > 0).then(|| Share::of("other versions".to_owned(), product.others, all));
        Self {
            product: view::product_name(&product.name),
            versions: product.versions.iter().rev().map(share).chain(others).collect(),
        }
    }
}

impl RuleRow {
    fn of(rule: &Rule, overview: &Overview) -> Self {
        Self {
            rule: RuleLink::of(rule, ""),
            fired: of_all(rule.counts.fired, rule.counts.evaluated()),
            findings: words::number(rule.findings),
            symptom: rule.causes == 0,
            first: rule.first.map(words::day),
            last: rule.last.map(words::day),
            trend: Bars::of_share(&overview.months, &rule.months),
        }
    }
}

impl CustomerRow {
    fn of(line: &CustomerLine) -> Self {
        Self {
            customer: Customer::of(&line.name, ""),
            tickets: words::number(line.tickets),
            bundles: affected_bundles(line),
            last: line.last.map(words::day),
        }
    }
}

impl ReasonRow {
    fn of(reason: &UnansweredReason) -> Self {
        Self {
            text: words::sentence(&reason.text, TEXT_SHOWN).into_owned(),
            rules: words::number(reason.rules),
            bundles: words::number(reason.bundles),
        }
    }
}

impl ClusterRow {
    fn of(line: &ClusterLine) -> Self {
        Self {
            href: names::cluster(&line.uid),
            name: clipped(line.name.as_deref().unwrap_or(&line.uid), NAME_SHOWN),
            uid: line.name.as_ref().map(|_| clipped(&line.uid, NAME_SHOWN)),
            bundles: words::number(line.bundles),
            first: line.first.map(words::day),
            last: line.last.map(words::day),
            latest: line.latest.as_ref().map(changes),
        }
    }
}

/// `2 new, 1 gone, 3 in both`.
pub fn changes(counts: &ChangeCounts) -> String {
    let not_comparable = (counts.not_comparable > 0)
        .then(|| format!(", {} that cannot be compared", words::number(counts.not_comparable)));
    let number = |count: u64| words::number(count);
    let (new, gone, still) = (number(counts.new), number(counts.gone), number(counts.still));
    format!("{new} new, {gone} gone, {still} in both{}", not_comparable.unwrap_or_default())
}

impl QuietRow {
    fn of(quiet: &Quiet) -> Self {
        let some = |count: u64, text: String| (count > 0).then_some(text);
        Self {
            bundle: BundleRow::of(&quiet.bundle, ""),
            clean: words::number(quiet.counts.clean),
            unanswered: quiet.counts.clean == 0,
            not_evaluated: some(quiet.counts.not_evaluated, words::number(quiet.counts.not_evaluated)),
            issues: some(quiet.issues, words::number(quiet.issues)),
            template: quiet.template.as_deref().map(|text| clipped(text, NAME_SHOWN)),
            unread: quiet.unread.as_ref().map(|why| words::sentence(why, TEXT_SHOWN).into_owned()),
        }
    }
}

/// `Templates of log lines that report trouble are known of 12 bundles, 3 of them without a finding.`
fn surveyed(overview: &Overview) -> String {
    let [all, quiet] = overview.surveyed;
    let quiet = if quiet > 0 { format!(", {} of them without a finding", words::number(quiet)) } else { String::new() };
    format!("Templates of log lines that report trouble are known of {}{quiet}.", counted(all, "bundle"))
}

impl TemplateRow {
    fn of(line: &TemplateLine, overview: &Overview) -> Self {
        Self {
            text: clipped(&line.text, TEXT_SHOWN),
            level: line.level.clone(),
            clusters: words::number(line.clusters),
            bundles: words::number(line.bundles),
            quiet: of_all(line.quiet, overview.surveyed[1]),
            first: line.first.map(words::day),
            last: line.last.map(words::day),
        }
    }
}

impl FailureRow {
    fn of(failure: &Failure) -> Self {
        Self {
            name: path(&failure.bundle),
            status: failure.status.replace('_', " "),
            error: clipped(&failure.error, TEXT_SHOWN),
        }
    }
}

impl SilentRow {
    fn of(rule: &Rule) -> Self {
        Self {
            rule: RuleLink::of(rule, ""),
            clean: words::number(rule.counts.clean),
            not_evaluated: words::number(rule.counts.not_evaluated),
            not_applicable: words::number(rule.counts.not_applicable),
            unknown: rule.counts.evaluated() == 0,
        }
    }
}
