//! Nodes of a YAML document as JSON values.

use serde_json::Value;

use crate::yaml::{Kind, Node};

/// Converts a node. The recursion is limited: documents nest at most [`crate::yaml::tape::MAX_DEPTH`] deep.
pub fn json_of(node: Node<'_>) -> Value {
    match node.kind() {
        Kind::Null => Value::Null,
        Kind::Bool => node.as_bool().into(),
        Kind::Number => node.as_i64().map_or_else(|| node.as_f64().into(), Value::from),
        Kind::String => node.text().into(),
        Kind::Sequence => node.items().map(json_of).collect(),
        Kind::Mapping => node.entries().map(|(key, value)| (key.into_owned(), json_of(value))).collect(),
    }
}
