//! Evidence and objects, stored as JSON of `gleaner.analysis/v1`.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::model::{Evidence, EvidenceValue, ExcerptLine, ObjectRef};

#[derive(Deserialize)]
struct StoredObject {
    kind: String,
    group: String,
    namespace: Option<String>,
    name: String,
}

#[derive(Deserialize)]
struct StoredEvidence {
    fact: String,
    entry: String,
    line: Option<u64>,
    field: Option<String>,
    value: Option<String>,
    excerpt: Vec<StoredLine>,
}

#[derive(Deserialize)]
struct StoredLine {
    line: u64,
    text: String,
    hit: bool,
}

/// Parses the objects of a finding; returns none for other texts.
pub fn objects(json: &str) -> Vec<ObjectRef> {
    let object = |StoredObject { kind, group, namespace, name }| ObjectRef { kind, group, namespace, name };
    list(json).into_iter().map(object).collect()
}

/// Parses the evidence of a finding; returns none for other texts.
pub fn evidence(json: &str) -> Vec<Evidence> {
    let line = |StoredLine { line, text, hit }| ExcerptLine { line, text, hit };
    let piece = |stored: StoredEvidence| Evidence {
        value: stored.value.map(|text| value(text, &stored.entry)),
        fact: stored.fact,
        entry: stored.entry,
        line: stored.line,
        field: stored.field,
        matched: None,
        excerpt: stored.excerpt.into_iter().map(line).collect(),
    };
    list(json).into_iter().map(piece).collect()
}

fn value(text: String, entry: &str) -> EvidenceValue {
    match text.strip_prefix("not in ") {
        Some(searched) if searched == entry => EvidenceValue::NotInEntry,
        _ => EvidenceValue::Text(text),
    }
}

fn list<T: DeserializeOwned>(json: &str) -> Vec<T> {
    serde_json::from_str(json).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::json::v1;

    #[test]
    fn stored_texts_are_parsed() {
        let object = ObjectRef::new("longhorn.io", "Volume", Some("longhorn-system"), "pvc-1");
        assert_eq!(objects(&v1::objects(std::slice::from_ref(&object))), [object]);
        let piece = Evidence {
            fact: "volume".into(),
            entry: "a.yaml".into(),
            line: Some(7),
            field: Some("status.state".into()),
            value: Some(EvidenceValue::Text("\u{1b}<b>".into())),
            matched: None,
            excerpt: vec![ExcerptLine { line: 7, text: "state: x".into(), hit: true }],
        };
        let absent = Evidence { field: None, value: Some(EvidenceValue::NotInEntry), ..piece.clone() };
        let pieces = [piece, absent];
        assert_eq!(evidence(&v1::evidence(&pieces)), pieces);
        assert!(evidence("{}").is_empty() && objects("").is_empty());
    }
}
