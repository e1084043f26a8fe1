//! Dumps in JSON: a text that a strict reader takes is read without a complaint, with the same values in it.

use gleaner::internals::yaml::{self, Kind, Node};
use serde_json::Value;

/// Readers may refuse what is nested deeper.
const MOST_DEPTH: usize = 60;

/// Runs one input.
pub fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (document, problems) = yaml::parse(text.as_bytes().to_vec());
    assert!(problems.iter().all(|problem| problem.line > 0 && !problem.message.to_string().is_empty()));
    let Ok(value) = serde_json::from_str::<Value>(text) else { return };
    let holds = matches!(value, Value::Object(_) | Value::Array(_))
        && !text.contains(|c: char| c == '\u{feff}' || (c.is_control() && c != '\n'));
    if !holds || depth(&value) > MOST_DEPTH {
        return;
    }
    assert!(problems.is_empty(), "{problems:?}");
    let root = document.roots().next().expect("a document");
    assert!(same(&value, root), "{text}");
}

fn depth(value: &Value) -> usize {
    let inside = match value {
        Value::Array(items) => items.iter().map(depth).max(),
        Value::Object(fields) => fields.values().map(depth).max(),
        _ => None,
    };
    1 + inside.unwrap_or_default()
}

fn same(value: &Value, node: Node<'_>) -> bool {
    match value {
        Value::Object(fields) => {
            node.kind() == Kind::Mapping
                && node.len() == fields.len()
                && fields.iter().all(|(key, value)| node.get(key).is_some_and(|node| same(value, node)))
        }
        Value::Array(items) => {
            node.kind() == Kind::Sequence
                && node.len() == items.len()
                && items.iter().zip(node.items()).all(|(value, node)| same(value, node))
        }
        Value::Bool(truth) => node.as_bool() == Some(*truth),
        Value::String(text) => node.as_str() == Some(text),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => node.as_i64() == Some(whole),
            None => node.as_f64().is_some_and(|found| number.as_f64().is_some_and(|wanted| near(found, wanted))),
        },
        Value::Null => node.kind() == Kind::Null,
    }
}

/// One reader may round the last digits of a float in another way than the other.
fn near(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= f64::EPSILON * a.abs().max(b.abs()) * 4.0
}
