//! Reads the places of logs, and counts, as facts and steps of sequences have them.

use crate::rule::error::Code;
use crate::rule::source::fact::LogSourceGlob;
use crate::rule::source::key_table::LOG;
use crate::rule::source::reader::{Field, FieldReader};
use crate::yaml::{Kind, Node};

/// Reads `log`: a stream, a mapping of globs, or a list of these.
pub fn log(reader: &mut FieldReader<'_>, field: &Field<'_>) -> Option<Vec<LogSourceGlob>> {
    if field.value.kind() != Kind::Sequence {
        return one_log(reader, field.value, field).map(|one| vec![one]);
    }
    let items: Vec<Node<'_>> = field.value.items().collect();
    if items.is_empty() {
        reader.diagnostics.report(Code::WrongType, field.key_range.clone(), "log is an empty list");
        return None;
    }
    let read: Vec<_> = items.into_iter().map(|item| one_log(reader, item, field)).collect();
    read.into_iter().collect()
}

fn one_log(reader: &mut FieldReader<'_>, node: Node<'_>, field: &Field<'_>) -> Option<LogSourceGlob> {
    if node.kind().is_scalar() {
        let stream = if field.value.kind().is_scalar() { reader.scalar(field)? } else { reader.item(node, "a log")? };
        return Some(LogSourceGlob { streams: vec![stream], ..LogSourceGlob::default() });
    }
    let fields = reader.mapping(node, &LOG)?;
    let mut part = |key: &str| fields.get(key).and_then(|field| reader.scalar(field));
    let mut source = LogSourceGlob {
        namespace: part("namespace"),
        pod: part("pod"),
        container: part("container"),
        node: part("node"),
        path: part("path"),
        streams: Vec::new(),
    };
    source.streams = fields.get("stream").and_then(|field| reader.list(field)).unwrap_or_default();
    if fields.iter().next().is_none() {
        let message = "log does not name any logs";
        let hint = "name a stream (log: etcd) or give globs (log: {namespace: kube-system, pod: \"etcd-*\"})";
        reader.diagnostics.report(Code::MissingKey, fields.start.clone(), message).hint(hint);
        return None;
    }
    Some(source)
}

/// Reads a whole number from 1.
pub fn count(reader: &mut FieldReader<'_>, field: &Field<'_>) -> Option<u64> {
    let found = field.value.as_i64().and_then(|n| u64::try_from(n).ok()).filter(|n| *n > 0);
    if found.is_none() {
        reader.wrong_type(field.value, &format!("{} must be a whole number from 1", field.key));
    }
    found
}
