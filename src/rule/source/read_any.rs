//! `any` as written: a list of facts without names, of which one is enough.

use crate::rule::error::Code;
use crate::rule::source::fact::FactSource;
use crate::rule::source::key_table::other_kinds;
use crate::rule::source::reader::{Field, FieldReader};
use crate::yaml::Node;

/// The engine notes in 16 bits which alternatives gave a match.
const MAX_ALTERNATIVES: usize = 16;

/// Kinds that an alternative cannot be, with what to do instead.
const REFUSED: [(&str, &str); 2] = [
    ("any", "write its alternatives in the outer list"),
    ("value", "a value is always bound, so it would always match; compare it in when"),
];

/// Keys that are written once, next to `any`.
const OF_THE_WHOLE: [&str; 2] = ["optional", "collect"];

/// Reads one fact: its field, its name in messages, and the keys that are not offered.
pub type FactReader = fn(&mut FieldReader<'_>, &Field<'_>, &str, &[&str]) -> FactSource;

/// The alternatives of the fact `name`; none when it is no list or an empty one.
pub fn alternatives(
    reader: &mut FieldReader<'_>,
    field: &Field<'_>,
    name: &str,
    read: FactReader,
) -> Option<Vec<FactSource>> {
    let items: Vec<Node<'_>> = field.value.items().collect();
    if items.is_empty() {
        reader
            .diagnostics
            .report(Code::WrongType, field.key_range.clone(), "any must be a list of facts")
            .hint("write each alternative as - {resource: TYPE, where: ...}, or with another kind");
        return None;
    }
    if items.len() > MAX_ALTERNATIVES {
        let message = format!("any takes at most {MAX_ALTERNATIVES} alternatives");
        reader.diagnostics.report(Code::WrongValue, field.key_range.clone(), message);
    }
    let found: Vec<Option<FactSource>> = items.into_iter().map(|item| alternative(reader, item, name, read)).collect();
    found.into_iter().collect()
}

fn alternative(reader: &mut FieldReader<'_>, node: Node<'_>, name: &str, read: FactReader) -> Option<FactSource> {
    let what = format!("an alternative of \"{name}\"");
    if node.kind().is_scalar() {
        let range = reader.extent(node);
        let error = reader.diagnostics.report(Code::FactKind, range, format!("{what} must say what it looks for"));
        let others = other_kinds(&REFUSED.map(|(kind, _)| kind));
        error.hint(format!("write - {{resource: TYPE}}, or one of: {others}"));
        return None;
    }
    if let Some((key, kind, hint)) = refused(node) {
        let range = reader.extent(key);
        reader.diagnostics.report(Code::FactKind, range, format!("{what} cannot be of kind {kind}")).hint(hint);
        return None;
    }
    for (key, _) in node.entry_nodes().filter(|(key, _)| OF_THE_WHOLE.contains(&key.text())) {
        let range = reader.extent(key);
        let message = format!("{} does not fit {what}", key.text());
        let hint = format!(
            "it applies to all alternatives: write it next to any, as {name}: {{any: [...], {}: true}}",
            key.text()
        );
        reader.diagnostics.report(Code::Misfit, range, message).hint(hint);
    }
    let entry = Field { key: name, key_range: node.offset()..node.offset() + 1, value: node };
    Some(read(reader, &entry, &what, &OF_THE_WHOLE))
}

/// Returns the first key of a kind that no alternative can have.
fn refused(node: Node<'_>) -> Option<(Node<'_>, &'static str, &'static str)> {
    node.entry_nodes().find_map(|(key, _)| {
        let (kind, hint) = REFUSED.iter().find(|(kind, _)| *kind == key.text())?;
        Some((key, *kind, *hint))
    })
}
