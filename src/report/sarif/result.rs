//! Results with locations: findings with their evidence.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Value, json};

use crate::model::{Evidence, Finding};
use crate::report::rank;

use super::elements::{Places, ROOT, level, text, visible};
use crate::model::uri;

/// Maximum number of related locations; the JSON report has all of them.
const RELATED: usize = 20;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResultOut<'a> {
    rule_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_index: Option<usize>,
    level: &'static str,
    message: Value,
    locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location>,
    partial_fingerprints: Value,
    occurrence_count: u64,
    properties: Value,
}

impl<'a> ResultOut<'a> {
    /// Builds the result; the strongest piece of evidence is its location.
    pub fn of(finding: &'a Finding, places: &Places<'_>) -> Self {
        let mut pieces: Vec<&Evidence> = finding.evidence.iter().collect();
        pieces.sort_by_key(|piece| (rank::telling(piece), piece.line.is_none()));
        let mut locations: Vec<Location> = pieces.into_iter().take(RELATED + 1).map(Location::proving).collect();
        let related = locations.split_off(locations.len().min(1));
        if let Some(first) = locations.first_mut() {
            first.logical_locations = finding
                .objects
                .iter()
                .map(|object| {
                    json!({
                        "name": visible(&object.name),
                        "fullyQualifiedName": visible(&object.to_string()),
                        "kind": "object",
                    })
                })
                .collect();
        }
        Self {
            rule_id: &finding.rule,
            rule_index: places.get(finding.rule.as_str()).copied(),
            level: level(finding.class, finding.severity),
            message: text(&format!("{}\n{}", finding.title, finding.message)),
            locations,
            related_locations: related,
            partial_fingerprints: json!({"gleaner/v1": finding.fingerprint}),
            occurrence_count: finding.count.max(1),
            properties: properties(finding),
        }
    }
}

/// Properties without an equivalent in SARIF, under their names in the JSON report.
fn properties(finding: &Finding) -> Value {
    let remedy = finding.remedy.iter().map(|step| {
        let (run, caution) = (step.run.as_deref().map(visible), step.caution.as_deref().map(visible));
        json!({"do": visible(&step.action), "run": run, "caution": caution})
    });
    json!({
        "class": finding.class.as_str(),
        "severity": finding.severity.as_str(),
        "confidence": finding.confidence.as_str(),
        "area": finding.area,
        "impact": visible(&finding.impact),
        "cause": visible(&finding.cause),
        "remedy": remedy.collect::<Vec<_>>(),
        "verify": finding.verify.as_deref().map(visible),
        "first_seen": finding.first_seen,
        "last_seen": finding.last_seen,
        "explained_by": finding.explained_by,
    })
}

/// Location in the bundle.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Location {
    physical_location: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    logical_locations: Vec<Value>,
}

impl Location {
    /// Returns the location of an entry, with a line from 1 on.
    pub fn of(entry: &str, line: Option<u64>) -> Self {
        let mut place = json!({"artifactLocation": {"uri": uri::entry_uri(entry), "uriBaseId": ROOT}});
        if let Some(line) = line.filter(|line| *line > 0) {
            place["region"] = json!({"startLine": line});
        }
        Self { physical_location: place, message: None, logical_locations: Vec::new() }
    }

    /// Returns the location of a piece of evidence with its line and text.
    fn proving(piece: &Evidence) -> Self {
        let mut location = Self::of(&piece.entry, piece.line);
        let hit = piece.excerpt.iter().find(|line| Some(line.line) == piece.line);
        if let (Some(hit), Some(region)) = (hit, location.physical_location.get_mut("region")) {
            region["snippet"] = json!({"text": visible(&hit.text)});
        }
        let field = piece.field.as_deref().map(Cow::Borrowed);
        let said: Vec<Cow<'_, str>> = field.into_iter().chain(piece.value_text()).collect();
        location.message = (!said.is_empty()).then(|| text(&said.join(" = ")));
        location
    }
}
