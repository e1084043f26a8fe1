//! Splits the files of a bundle: documents into values, everything else into lines.

use serde_json::{Map, Value, json};

use super::content::{Content, File, Format};
use super::packed;
use super::trial::Trial;
use crate::bundle::{Bundle, Entry, Limits, Role};
use crate::model::{encoding, secret};
use crate::yaml::normalise::{Dialect, normalise};
use crate::yaml::{self, Kind, Node, go_structs};

/// Splits the files, with secrets masked; none if the rule no longer fires on them.
pub fn read_files(bundle: &Bundle, raw: Vec<(String, Vec<u8>)>, name: &str, trial: &Trial<'_>) -> Option<Content> {
    let roles = Bundle::from_memory(name, raw.clone(), Limits::default());
    let mut files: Vec<File> = Vec::new();
    for (path, bytes) in raw {
        let entry = roles.entries().iter().find(|entry| *entry.path == *path)?;
        files.push(file(bundle, entry, path, bytes));
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let content = Content { name: name.to_owned(), files };
    trial.fires(&content).then_some(content)
}

fn file(bundle: &Bundle, entry: &Entry, path: String, bytes: Vec<u8>) -> File {
    let is_dump = matches!(entry.role, Role::Dump { .. } | Role::Summary(_));
    let named = path.ends_with(".yaml") || path.ends_with(".yml") || path.ends_with(".json");
    let may_be = is_dump || entry.role == Role::Objects || entry.role == Role::Other && named;
    let documents = may_be.then(|| documents(bundle, &path, bytes.clone(), is_dump)).flatten();
    match documents {
        Some(parts) => {
            let format = if bytes.trim_ascii_start().starts_with(b"{") { Format::Json } else { Format::Yaml };
            File { path, format, parts, is_dump, is_table: false }
        }
        None => {
            let is_table = matches!(entry.role, Role::Table { .. });
            File { path, format: Format::Lines, parts: lines(bytes), is_dump: false, is_table }
        }
    }
}

/// Returns the documents of a file; a file that may be something else must be readable as a whole.
fn documents(bundle: &Bundle, path: &str, bytes: Vec<u8>, is_dump: bool) -> Option<Vec<Value>> {
    let (mut document, problems) = yaml::parse(bytes);
    let is_whole = problems.is_empty() && document.roots().all(|root| root.kind() == Kind::Mapping);
    if !is_dump && !is_whole {
        return None;
    }
    if bundle.holds_go_structs(path) {
        document = go_structs::fold(document);
    }
    normalise(&mut document, if bundle.is_kit() { Dialect::Kit } else { Dialect::Plain });
    Some(document.roots().map(|root| value(root, false)).collect())
}

/// Converts a node to a value. Secrets are masked except records of Helm, which are opened later. Readers have bounded
/// the depth.
fn value(node: Node<'_>, of_helm: bool) -> Value {
    match node.kind() {
        Kind::Null => Value::Null,
        Kind::Mapping => {
            let of_helm = of_helm || packed::is_helm_record(node);
            let entries = node.entries().map(|(key, inner)| {
                let is_record = of_helm && (key == "data" || key == "release");
                (key.into_owned(), value(inner, is_record))
            });
            entries.collect::<Map<String, Value>>().into()
        }
        Kind::Sequence => node.items().map(|item| value(item, false)).collect(),
        _ if node.is_secret() && !of_helm => secret::MASK.into(),
        Kind::Bool => node.as_bool().into(),
        Kind::Number => node.as_i64().map_or_else(|| json!(node.as_f64()), Value::from),
        Kind::String => node.text().into(),
    }
}

/// Splits a text into lines, with secrets masked.
pub fn lines(bytes: Vec<u8>) -> Vec<Value> {
    let bytes = encoding::utf8(bytes);
    let text = String::from_utf8_lossy(&bytes);
    let mut inside = false;
    let masked = secret::redact(&text);
    let line = |line: &str| {
        let mut line = line.to_owned();
        if let Some(range) = secret::key_line(&line, inside) {
            line.replace_range(range, secret::MASK);
        }
        if line.contains("PRIVATE KEY-----") {
            inside = secret::opens_key(line.as_bytes());
        }
        Value::String(line)
    };
    masked.lines().map(line).collect()
}
