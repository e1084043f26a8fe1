//! Dumps in JSON: a text that a strict reader takes is read without a complaint, with as many values in it.

#![no_main]

use gleaner::yaml::{self, Kind, Node};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

/// Readers may refuse what is nested deeper.
const MOST_DEPTH: usize = 60;

fuzz_target!(|text: &str| {
    let (document, problems) = yaml::parse(text.as_bytes().to_vec());
    assert!(problems.iter().all(|problem| problem.line > 0 && !problem.message.is_empty()));
    let Ok(value) = serde_json::from_str::<Value>(text) else { return };
    let holds = matches!(value, Value::Object(_) | Value::Array(_)) && !text.contains(|c: char| c == '\u{feff}' || c.is_control());
    if !holds || depth(&value) > MOST_DEPTH || has_doubles(&value, text) {
        return;
    }
    assert!(problems.is_empty(), "{problems:?}");
    let root = document.roots().next().expect("a document");
    assert!(same(&value, root), "{text}");
});

fn depth(value: &Value) -> usize {
    let inside = match value {
        Value::Array(items) => items.iter().map(depth).max(),
        Value::Object(fields) => fields.values().map(depth).max(),
        _ => None,
    };
    1 + inside.unwrap_or_default()
}

/// Whether a key may stand twice in a mapping: one reader keeps the last of them, the other may keep all.
fn has_doubles(value: &Value, text: &str) -> bool {
    fn keys(value: &Value) -> usize {
        match value {
            Value::Array(items) => items.iter().map(keys).sum(),
            Value::Object(fields) => fields.len() + fields.values().map(keys).sum::<usize>(),
            _ => 0,
        }
    }
    keys(value) != text.matches(':').count()
}

fn same(value: &Value, node: Node<'_>) -> bool {
    match value {
        Value::Object(fields) => node.kind() == Kind::Mapping && node.len() == fields.len(),
        Value::Array(items) => {
            node.kind() == Kind::Sequence
                && node.len() == items.len()
                && items.iter().zip(node.items()).all(|(value, node)| same(value, node))
        }
        Value::Bool(truth) => node.as_bool() == Some(*truth),
        Value::String(text) => node.text() == text,
        Value::Number(_) | Value::Null => true,
    }
}
