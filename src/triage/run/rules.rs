//! Rules of a run with their hashes: [`Rules`].

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::bundle::Limits;
use crate::model::RuleCollection;
use crate::rule::load::Loaded;
use crate::rule::{Rule, RuleSet, listing};
use crate::triage::store::RuleRow;
use crate::triage::worker::message::{RuleText, Setup};

/// Rules of a run.
#[derive(Clone, Debug)]
pub struct Rules {
    rows: Vec<RuleRow>,
    number: i64,
    files: Vec<RuleText>,
    streams: RuleText,
    known_lines: Vec<RuleText>,
    collections: Vec<RuleCollection>,
}

impl Rules {
    /// Creates the rules of a compiled set and the files it was compiled from.
    pub fn new(loaded: &Loaded, set: &RuleSet) -> Self {
        let text = |rule: &Rule| {
            let source = loaded.sources.iter().find(|source| source.stem() == rule.id);
            source.map(|source| source.text.as_str()).unwrap_or_default()
        };
        let rows: Vec<RuleRow> = set.rules.iter().map(|rule| row(rule, text(rule), &loaded.streams.text)).collect();
        let names: Vec<String> = rows.iter().map(|row| format!("{} {}", row.id, row.hash)).collect();
        Self {
            number: crate::triage::store::number(&names.join("\n")),
            rows,
            files: loaded.sources.iter().map(RuleText::from).collect(),
            streams: RuleText::from(&loaded.streams),
            known_lines: loaded.known_lines.iter().map(RuleText::from).collect(),
            collections: loaded.collections.clone(),
        }
    }

    /// Returns all rules, sorted by id.
    pub fn all(&self) -> &[RuleRow] {
        &self.rows
    }

    /// Returns the number of the rule set; equal sets have equal numbers.
    pub fn number(&self) -> i64 {
        self.number
    }

    /// Returns the setup of a worker.
    pub fn setup(&self, limits: Limits) -> Setup {
        Setup {
            rules: self.files.clone(),
            streams: self.streams.clone(),
            known_lines: self.known_lines.clone(),
            collections: self.collections.clone(),
            limits,
        }
    }
}

fn row(rule: &Rule, text: &str, streams: &str) -> RuleRow {
    let digest = Sha256::new().chain_update(text).chain_update([0]).chain_update(streams).finalize();
    RuleRow {
        id: rule.id.clone(),
        hash: format!("{digest:x}"),
        severity: rule.severity.as_str().to_owned(),
        confidence: rule.confidence.as_str().to_owned(),
        area: rule.area.clone(),
        title: listing::short_title(rule.texts.own()),
        explains: explains(rule),
    }
}

fn explains(rule: &Rule) -> Vec<String> {
    let declared = rule.explains.iter().map(|explained| explained.rule.clone());
    let breaks = (!rule.breaks.is_empty()).then(|| RuleRow::BREAKS.to_owned());
    let needs = (!rule.needs.is_empty()).then(|| RuleRow::NEEDS.to_owned());
    declared.chain(breaks).chain(needs).collect()
}

impl RuleRow {
    /// Returns the ids of explained rules as a JSON array.
    pub fn explains_json(&self) -> String {
        Value::from(self.explains.clone()).to_string()
    }
}
