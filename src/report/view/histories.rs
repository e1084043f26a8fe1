//! Histories of objects: their findings, conditions, events and log lines in order of time.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashMap;

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::model::inventory::{HistoryEntry, Inventory, ObjectHistory, Relation, Source};
use crate::model::{Finding, ObjectRef, Origin, ReportedState, Severity};
use crate::report::lexicon::Lexicon;
use crate::report::lexicon::phrase::{self, Phrase};
use crate::report::words;

use super::finding::anchor;
use super::period::Period;

/// Maximum number of entries on a page, so that it is small enough to be mailed.
const CHAPTERS: usize = 4_000;
/// Maximum number of findings of a history.
const FINDINGS: usize = 20;

/// Anchors of the histories on the page, by object.
#[derive(Default)]
pub struct Anchors(HashMap<ObjectRef, String>);

impl Anchors {
    /// Collects the anchors of all histories of an inventory.
    pub fn of(inventory: &Inventory) -> Self {
        Self(
            inventory
                .histories
                .items
                .iter()
                .map(|history| (history.object.clone(), anchor_of(&history.object)))
                .collect(),
        )
    }

    /// Returns the anchor of an object's history, if it has one.
    pub fn get(&self, object: &ObjectRef) -> Option<String> {
        self.0.get(object).cloned()
    }
}

/// Returns an anchor that depends on the object only, since people keep links. 48 bits are enough for some hundred
/// histories.
fn anchor_of(object: &ObjectRef) -> String {
    let digest = Sha256::digest(object.to_string().as_bytes());
    let hex: String = digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    format!("s-{hex}")
}

/// All histories.
#[derive(Serialize)]
pub struct Histories<'a> {
    /// Histories with findings first, the worst first; then by kind and name.
    histories: Vec<HistoryRow<'a>>,
    left_out: usize,
}

#[derive(Serialize)]
struct HistoryRow<'a> {
    anchor: String,
    kind: &'a str,
    namespace: Option<&'a str>,
    name: &'a str,
    state: Option<String>,
    place: Option<String>,
    /// Severity of the worst finding.
    severity: Option<&'static str>,
    findings: FindingLinks<'a>,
    related: Vec<Related<'a>>,
    entries: Vec<Line>,
    left_out: usize,
    missing: Option<String>,
}

/// Findings about an object, as many as a reader looks at.
#[derive(Serialize)]
pub struct FindingLinks<'a> {
    shown: Vec<FindingLink<'a>>,
    all: usize,
    left_out: usize,
}

/// A finding on the page.
#[derive(Serialize)]
struct FindingLink<'a> {
    anchor: String,
    severity: &'static str,
    title: Cow<'a, str>,
}

#[derive(Serialize)]
struct Related<'a> {
    relation: &'a str,
    name: String,
    kind: &'a str,
    history: Option<String>,
}

#[derive(Serialize)]
struct Line {
    /// None if no time is known.
    when: Option<String>,
    at: Option<Period>,
    source: Phrase,
    text: String,
    /// `4 times, to 2026-03-01 11:00:00 UTC`.
    again: Option<String>,
    place: Option<String>,
}

impl<'a> Histories<'a> {
    /// Builds the histories of an inventory with the findings about each object.
    pub fn of(inventory: &'a Inventory, findings: &'a [Finding], anchors: &Anchors, t: Lexicon) -> Option<Self> {
        let about = by_object(findings);
        let of = |history: &ObjectHistory| about.get(&history.object).map(|f| f.iter().map(|f| f.severity).max());
        let mut histories: Vec<&ObjectHistory> = inventory.histories.items.iter().collect();
        histories.sort_by_key(|history| Reverse(of(history)));
        let mut room = CHAPTERS;
        let told: Vec<_> = histories
            .iter()
            .map(|history| {
                let about = about.get(&history.object).map_or(&[][..], Vec::as_slice);
                let row = HistoryRow::of(history, about, anchors, room, t);
                room = room.saturating_sub(row.entries.len());
                row
            })
            .collect();
        (!told.is_empty()).then_some(Self { histories: told, left_out: inventory.histories.left_out })
    }
}

/// Returns the findings about each object.
pub fn by_object(findings: &[Finding]) -> HashMap<&ObjectRef, Vec<&Finding>> {
    let mut about: HashMap<&ObjectRef, Vec<&Finding>> = HashMap::new();
    for finding in findings {
        for object in &finding.objects {
            about.entry(object).or_default().push(finding);
        }
    }
    about
}

impl<'a> HistoryRow<'a> {
    fn of(history: &'a ObjectHistory, findings: &[&'a Finding], anchors: &Anchors, room: usize, t: Lexicon) -> Self {
        let mut worst = findings.to_vec();
        worst.sort_by_key(|finding| Reverse(finding.severity));
        worst.dedup_by_key(|finding| &finding.fingerprint);
        let entries = &history.entries.items;
        let cut = entries.len().saturating_sub(room);
        Self {
            anchor: anchor_of(&history.object),
            kind: &history.object.kind,
            namespace: history.object.namespace.as_deref(),
            name: &history.object.name,
            state: history.state.as_ref().map(|state| state_in_words(state, t)),
            place: history.place.as_ref().map(Origin::to_string),
            severity: worst.first().map(|finding| Severity::as_str(finding.severity)),
            findings: FindingLinks::of(&worst, FINDINGS),
            related: history.related.iter().map(|(relation, object)| related(*relation, object, anchors, t)).collect(),
            entries: entries.iter().skip(cut).map(|entry| Line::of(entry, t)).collect(),
            left_out: history.entries.left_out + cut,
            missing: history.entries.not_collected.as_ref().map(|why| t.message(why)),
        }
    }
}

impl<'a> FindingLinks<'a> {
    /// Links the first `at_most` findings and counts the others.
    pub fn of(findings: &[&'a Finding], at_most: usize) -> Self {
        let shown: Vec<_> = findings.iter().take(at_most).copied().map(FindingLink::of).collect();
        Self { all: findings.len(), left_out: findings.len() - shown.len(), shown }
    }
}

impl<'a> FindingLink<'a> {
    fn of(finding: &'a Finding) -> Self {
        Self {
            anchor: anchor(&finding.fingerprint),
            severity: finding.severity.as_str(),
            title: words::sentence(&finding.title, usize::MAX),
        }
    }
}

/// `attached, healthy`, `2 of 3 ready`.
pub fn state_in_words(state: &ReportedState, t: Lexicon) -> String {
    match state {
        ReportedState::Ready { ready, wanted } => t.fill(phrase::ReadyOf { ready, all: wanted }),
        ReportedState::Words(words) => t.list(words.iter().map(|word| t.term(word))),
    }
}

fn related<'a>(relation: Relation, object: &'a ObjectRef, anchors: &Anchors, t: Lexicon) -> Related<'a> {
    let relation = match relation {
        Relation::Machine => t.say(phrase::VIRTUAL_MACHINE),
        Relation::Instance => t.say(phrase::INSTANCE),
        Relation::Claim => t.say(phrase::CLAIM),
        Relation::PersistentVolume => t.say(phrase::PERSISTENT_VOLUME),
        Relation::Volume => t.say(phrase::LONGHORN_VOLUME),
        Relation::Replica => t.say(phrase::REPLICA),
        Relation::Node => t.say(phrase::NODE),
        Relation::Pod => t.say(phrase::POD),
        Relation::Owner => t.say(phrase::OWNER),
    };
    let namespace = object.namespace.as_deref().map(|namespace| format!("{namespace}/")).unwrap_or_default();
    Related { relation, name: format!("{namespace}{}", object.name), kind: &object.kind, history: anchors.get(object) }
}

impl Line {
    fn of(entry: &HistoryEntry, t: Lexicon) -> Self {
        let until = entry.until.map(words::instant);
        let again = match (entry.count, until) {
            (0 | 1, None) => None,
            (0 | 1, Some(until)) => Some(t.fill(phrase::Until { time: &until })),
            (n, None) => Some(t.fill(phrase::Times { n: &words::number(n) })),
            (n, Some(until)) => Some(t.fill(phrase::TimesUntil { n: &words::number(n), time: &until })),
        };
        Self {
            when: entry.at.map(words::instant),
            at: Period::seen(entry.at, entry.until),
            source: match entry.source {
                Source::Object => phrase::OBJECT,
                Source::Condition => phrase::CONDITION,
                Source::Event => phrase::EVENT,
                Source::Warning => phrase::WARNING,
                Source::Log => phrase::LOG,
            },
            text: t.message(&entry.text),
            again,
            place: entry.place.as_ref().map(Origin::to_string),
        }
    }
}
