//! Differences between two bundles in sections of rows, which each format lays out.

pub mod html;
pub mod markdown;
pub mod text;

use serde::Serialize;

use crate::model::difference::{
    Changed, Difference, Health, HealthChange, KindChange, NotComparable, Restart, Side, Still, Turn,
};
use crate::model::{BundleFacts, Finding, ObjectRef};

use super::lexicon::Lexicon;
use super::{rank, view, words};

/// Reports of differences are English.
const T: Lexicon = Lexicon::ENGLISH;
/// Maximum number of objects of a kind that are named.
const NAMED: usize = 5;

/// Heading with its rows.
#[derive(Serialize)]
struct Section {
    title: String,
    rows: Vec<Row>,
    left_out: usize,
}

/// Change between the bundles.
#[derive(Serialize)]
struct Row {
    mark: &'static str,
    text: String,
    /// Location in the bundle.
    place: Option<String>,
}

impl Section {
    /// Keeps at most `most` rows; none if there are no rows.
    fn of(title: String, mut rows: Vec<Row>, most: usize) -> Option<Self> {
        let left_out = rows.len().saturating_sub(most);
        rows.truncate(most);
        (!rows.is_empty()).then_some(Self { title, rows, left_out })
    }
}

/// `v1.2, collected 2026-03-01 10:00:02 UTC`: description after the path of a bundle.
fn bundle(facts: &BundleFacts) -> String {
    let sheet = view::Sheet::of(facts, T);
    let collected = sheet.collected().map(|time| format!("collected {time}"));
    let parts = std::iter::once(sheet.kind().to_owned()).chain(collected);
    parts.collect::<Vec<_>>().join(", ")
}

/// Summarises the findings in one sentence.
fn verdict(difference: &Difference) -> String {
    let findings = &difference.findings;
    let count = |n: usize, what: &str| format!("{} {what}", words::number(n as u64));
    let mut parts = vec![count(findings.new.len(), "new"), count(findings.gone.len(), "gone")];
    parts.push(count(findings.still.len(), "in both"));
    if !findings.not_comparable.is_empty() {
        parts.push(count(findings.not_comparable.len(), "not comparable"));
    }
    format!("Findings: {}", parts.join(", "))
}

/// Returns all changes, with at most `most` rows per section.
fn sections(difference: &Difference, most: usize) -> Vec<Section> {
    let findings = &difference.findings;
    let list = |title: &str, mark, list: &[Finding]| {
        let rows = list.iter().map(|finding| found(mark, finding)).collect();
        Section::of(format!("{title} ({})", severities(list)), rows, most)
    };
    let health = |title: &str, turn: Turn, mark| {
        let changes = difference.health.iter().filter(|change| change.turn == turn);
        let rows: Vec<Row> = changes.map(|change| healthy(mark, change)).collect();
        Section::of(counted(title, rows.len()), rows, most)
    };
    let still: Vec<Row> = findings.still.iter().map(found_in_both).collect();
    let restarts: Vec<Row> = difference.restarts.iter().map(restart).collect();
    let kinds: Vec<Row> = difference.kinds.iter().flat_map(kind).collect();
    let incomparable = difference.incomparable.iter();
    let incomparable: Vec<Row> = incomparable
        .map(|it| row("?", format!("{}: the {} has none of them: {}", it.what, side(it.side), it.reason)))
        .collect();
    let not_comparable: Vec<Row> = findings.not_comparable.iter().map(not_comparable).collect();
    let sections = [
        Section::of("Versions".to_owned(), difference.versions.iter().map(changed).collect(), most),
        Section::of(counted("Changed configuration", difference.configuration.len()), configuration(difference), most),
        Section::of("Nodes".to_owned(), difference.nodes.iter().map(changed).collect(), most),
        list("New findings", "+", &findings.new),
        list("Findings gone", "-", &findings.gone),
        Section::of(counted("Findings not comparable", not_comparable.len()), not_comparable, most),
        Section::of(
            format!("Findings in both ({})", severities(findings.still.iter().map(|still| &still.finding))),
            still,
            most,
        ),
        health("Worse", Turn::Worse, "!"),
        health("New and unhealthy", Turn::Appeared, "!"),
        health("Changed", Turn::Other, "~"),
        health("Better", Turn::Better, "-"),
        Section::of(counted("Restarted containers", restarts.len()), restarts, most),
        Section::of("Created and deleted objects".to_owned(), kinds, most),
        Section::of(counted("Types not comparable", incomparable.len()), incomparable, most),
    ];
    sections.into_iter().flatten().collect()
}

fn counted(title: &str, count: usize) -> String {
    format!("{title} ({})", words::number(count as u64))
}

fn severities<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> String {
    view::severities(&rank::Tally::of(findings), T)
}

fn row(mark: &'static str, text: String) -> Row {
    Row { mark, text, place: None }
}

fn changed(change: &Changed) -> Row {
    let (mark, text) = match (&change.old, &change.new) {
        (Some(old), Some(new)) => ("~", format!("{old} → {new}")),
        (None, Some(new)) => ("+", new.clone()),
        (Some(old), None) => ("-", format!("was {old}")),
        (None, None) => ("~", String::new()),
    };
    row(mark, format!("{}: {text}", change.name))
}

fn found(mark: &'static str, finding: &Finding) -> Row {
    let text =
        format!("{} {} [{}]", finding.severity.as_str(), words::sentence(&finding.title, usize::MAX), finding.rule);
    Row { mark, text, place: view::place(finding).map(|(place, _)| place) }
}

/// Names the object that it was about before, if another one has taken its place.
fn found_in_both(still: &Still) -> Row {
    let row = found("=", &still.finding);
    let was = still.was.as_ref().filter(|was| still.finding.objects.first() != Some(*was));
    match was {
        Some(was) => Row { text: format!("{}, before about {was}", row.text), ..row },
        None => row,
    }
}

fn configuration(difference: &Difference) -> Vec<Row> {
    let rows = difference.configuration.iter().map(|change| {
        let fields = change.fields.iter().map(|field| changed(field).text);
        let more = (change.left_out > 0).then(|| format!("and {} more fields", words::number(change.left_out)));
        let text = format!("{}: {}", change.object, fields.chain(more).collect::<Vec<_>>().join("; "));
        Row { mark: "~", text, place: Some(change.place.to_string()) }
    });
    let left_out = difference.configuration_left_out;
    let large = "too large to compare all of their configuration";
    let left_out = (left_out > 0).then(|| row("?", format!("{} objects are {large}", words::number(left_out))));
    rows.chain(left_out).collect()
}

fn not_comparable(not_comparable: &NotComparable) -> Row {
    let finding = &not_comparable.finding;
    let other = match not_comparable.side {
        Side::Old => Side::New,
        Side::New => Side::Old,
    };
    let (title, rule) = (words::sentence(&finding.title, usize::MAX), &finding.rule);
    let what = format!("{} {title} [{rule}], in the {} only", finding.severity.as_str(), side(not_comparable.side));
    row("?", format!("{what}: not evaluated in the {}: {}", side(other), not_comparable.reason))
}

fn side(side: Side) -> &'static str {
    match side {
        Side::Old => "older bundle",
        Side::New => "newer bundle",
    }
}

fn healthy(mark: &'static str, change: &HealthChange) -> Row {
    let was = change.old.as_ref().map(|old| format!("{} → ", condition(old))).unwrap_or_default();
    let again = if change.recreated { " (recreated)" } else { "" };
    let text = format!("{}{again}: {was}{}", change.object, condition(&change.new));
    Row { mark, text, place: Some(change.place.to_string()) }
}

fn condition(health: &Health) -> String {
    let in_state = |trouble: &String| health.state.iter().any(|state| state.words().contains(trouble));
    let state = health.state.iter().map(ToString::to_string);
    let parts: Vec<String> =
        state.chain(health.troubles.iter().filter(|trouble| !in_state(trouble)).cloned()).collect();
    if parts.is_empty() { "healthy".to_owned() } else { parts.join("; ") }
}

fn restart(restart: &Restart) -> Row {
    let last = restart.last.as_ref().map(|last| format!(", last ended by {last}")).unwrap_or_default();
    let times = if restart.times == 1 { "once".to_owned() } else { format!("{} times", words::number(restart.times)) };
    let text = format!("{} container {}: {times}{last}", restart.pod, restart.container);
    Row { mark: "!", text, place: Some(restart.place.to_string()) }
}

fn kind(change: &KindChange) -> Vec<Row> {
    let of = |mark, objects: &[ObjectRef]| {
        let names: Vec<String> = objects.iter().take(NAMED).map(name).collect();
        let more = objects.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {} more", words::number(more as u64)) } else { String::new() };
        let count = words::number(objects.len() as u64);
        (!objects.is_empty()).then(|| row(mark, format!("{count} {}: {}{more}", change.kind, names.join(", "))))
    };
    [of("-", &change.gone), of("+", &change.new)].into_iter().flatten().collect()
}

fn name(object: &ObjectRef) -> String {
    object.namespace.as_ref().map_or_else(|| object.name.clone(), |namespace| format!("{namespace}/{}", object.name))
}
