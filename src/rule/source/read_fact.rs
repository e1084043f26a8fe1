//! Facts as written: what kind each is, and which keys fit that kind.

use crate::log::Undated;
use crate::rule::error::Code;
use crate::rule::fact::{FileShape, Silence};
use crate::rule::source::fact::{AtLeastSource, EventSource, FactSource, GroupSource, KindSource, LabelsSource};
use crate::rule::source::key_table::{
    BOOT, EVENT, EVENT_OBJECT, EVENT_TYPES, FACT, FILE, FILE_SHAPES, SILENCE, UNDATED, other_kinds,
};
use crate::rule::source::keys::Key;
use crate::rule::source::read_any::alternatives;
use crate::rule::source::read_log::{count, log};
use crate::rule::source::read_sequence;
use crate::rule::source::reader::{Field, FieldReader, Fields, Written};
use crate::yaml::Kind;

/// The facts of `find` or `unless`.
pub fn facts(reader: &mut FieldReader<'_>, field: &Field<'_>) -> Vec<FactSource> {
    let Some(entries) = reader.entries(field.value, field.key) else { return Vec::new() };
    let facts: Vec<FactSource> =
        entries.iter().map(|entry| fact(reader, entry, &format!("fact \"{}\"", entry.key), &[])).collect();
    if facts.is_empty() {
        let message = format!("{} has no facts", field.key);
        reader.diagnostics.report(Code::WrongType, field.key_range.clone(), message);
    }
    facts
}

/// One fact; `what` names it in messages, keys in `hidden` are not offered.
pub fn fact(reader: &mut FieldReader<'_>, entry: &Field<'_>, what: &str, hidden: &[&str]) -> FactSource {
    let mut fact = FactSource {
        name: entry.key.to_owned(),
        range: entry.key_range.clone(),
        kind: None,
        condition: None,
        optional: false,
        collect: false,
        silence: Silence::default(),
        groups: GroupSource::default(),
    };
    if entry.value.kind().is_scalar() {
        let message = format!("{what} must say what it looks for");
        let hint = format!("write {}: {{resource: TYPE}}, or one of: {}", entry.key, other_kinds(&[]));
        let range = reader.extent(entry.value);
        reader.diagnostics.report(Code::FactKind, range, message).hint(hint);
        return fact;
    }
    let Some(mut fields) = reader.entries(entry.value, what) else { return fact };
    if !reader.tested {
        let mut offered = offered(&fields);
        offered.retain(|key| !hidden.contains(key));
        reader.only_known(&mut fields, what, |key| FACT.get(key).is_some(), &offered);
    }
    let Some(kind) = kind_of(reader, &fields, what).cloned() else { return fact };
    report_misfits(reader, fields.take_misfits(&FACT, kind.key), kind.key);
    fact.kind = read_kind(reader, &kind, &fields, entry.key);
    fact.condition = fields.get("where").and_then(|field| reader.condition(field));
    fact.optional = fields.get("optional").and_then(|field| reader.flag(field)).unwrap_or(false);
    fact.collect = fields.get("collect").and_then(|field| reader.flag(field)).unwrap_or(false);
    fact.silence = fields.get("silence").map_or(Silence::default(), |field| silence(reader, field));
    match kind.key {
        "log" | "event" => fact.groups = groups(reader, &fields, &kind),
        "sequence" => {
            fact.groups.by = fields.get("by").and_then(|field| by(reader, field));
            fact.groups.at_least = fields.get("at_least").and_then(|field| at_least(reader, field));
        }
        _ => {}
    }
    fact
}

fn silence(reader: &mut FieldReader<'_>, field: &Field<'_>) -> Silence {
    match reader.choice(field, &SILENCE) {
        Some("unknown") => Silence::Unknown,
        Some(_) => Silence::Absent,
        None => Silence::default(),
    }
}

/// Returns the keys that a fact may have: those of its kind, if it has one.
fn offered(fields: &Fields<'_>) -> Vec<&'static str> {
    let kinds: Vec<&str> = FACT.kinds().filter(|kind| fields.get(kind).is_some()).collect();
    match kinds.as_slice() {
        [kind] => FACT.names_for(kind),
        _ => FACT.names(),
    }
}

/// Returns the only key that decides the kind of the fact.
fn kind_of<'a, 'f>(reader: &mut FieldReader<'_>, fields: &'f Fields<'a>, what: &str) -> Option<&'f Field<'a>> {
    let kinds: Vec<&Field<'a>> = fields.iter().filter(|field| FACT.kinds().any(|kind| kind == field.key)).collect();
    match kinds.as_slice() {
        [one] => Some(one),
        [] => {
            let message = format!("{what} has no kind");
            let hint = format!("give it one of: resource, {}", other_kinds(&[]));
            reader.diagnostics.report(Code::FactKind, fields.start.clone(), message).hint(hint);
            None
        }
        [first, second, ..] => {
            let message = format!("{what} is both {} and {}", first.key, second.key);
            let hint = "write two facts and join them in where";
            reader.diagnostics.report(Code::FactKind, second.key_range.clone(), message).hint(hint);
            None
        }
    }
}

/// Reports keys that this kind of fact does not have.
fn report_misfits(reader: &mut FieldReader<'_>, misfits: Vec<Field<'_>>, kind: &str) {
    for field in misfits {
        let article = if kind.starts_with(['a', 'e']) { "an" } else { "a" };
        let message = format!("{} does not fit {article} {kind} fact", field.key);
        let hint = advice(field.key, kind);
        reader.diagnostics.report(Code::Misfit, field.key_range, message).hint(hint);
    }
}

/// Returns where to write a key that does not fit.
fn advice(key: &str, kind: &str) -> String {
    match (key, kind) {
        ("where", "value") => "a value looks nothing up; write the condition in when".to_owned(),
        (key, "any") if FACT.fits(key, "log") || FACT.fits(key, "resource") => {
            "write it in the alternatives that it applies to".to_owned()
        }
        ("optional", _) => "a value is always bound; it is null if its expression reads an absent field".to_owned(),
        ("collect", _) => "a value may be a list; let its expression give one".to_owned(),
        ("match" | "except", "file") => "look into the text: where: self.text.contains('...')".to_owned(),
        ("match" | "except", _) => "write the condition in where".to_owned(),
        ("namespace" | "name", "event") => format!("write it as event: {{object: {{{key}: ...}}}}"),
        ("namespace", "log") => "write it as log: {namespace: ...}".to_owned(),
        ("name", "log") => "write it as log: {pod: ...}".to_owned(),
        ("labels", _) => "only resources have labels".to_owned(),
        ("as", _) => "write it as file: {path: ..., as: ...}".to_owned(),
        ("by" | "at_least", "resource") => {
            "only logs and events have groups; use collect: true and size(...) in when".to_owned()
        }
        ("since", "resource") => {
            "compare times in where, such as ago(self.metadata.creationTimestamp) < duration('24h')".to_owned()
        }
        _ => {
            let kinds = FACT.get(key).map_or(&[][..], Key::variants);
            format!("it is for facts of kind: {}", kinds.join(", "))
        }
    }
}

fn read_kind(reader: &mut FieldReader<'_>, field: &Field<'_>, fields: &Fields<'_>, name: &str) -> Option<KindSource> {
    match field.key {
        "resource" => Some(KindSource::Resource {
            types: reader.list(field)?,
            namespace: fields.get("namespace").and_then(|field| reader.scalar(field)),
            name: fields.get("name").and_then(|field| reader.scalar(field)),
            labels: fields.get("labels").and_then(|field| labels(reader, field)),
        }),
        "event" => event(reader, field).map(KindSource::Event),
        "log" => log(reader, field).map(KindSource::Log),
        "file" => file(reader, field),
        "any" => alternatives(reader, field, name, fact).map(KindSource::Any),
        "each" => reader.condition(field).map(KindSource::Each),
        "sequence" => read_sequence::read_sequence(reader, field).map(KindSource::Sequence),
        _ => reader.condition(field).map(KindSource::Value),
    }
}

fn labels(reader: &mut FieldReader<'_>, field: &Field<'_>) -> Option<LabelsSource> {
    if field.value.kind() != Kind::Mapping {
        return reader.scalar(field).map(LabelsSource::Selector);
    }
    let pairs = reader.entries(field.value, "labels")?;
    let read = |pair: &Field<'_>| Some((pair.key.to_owned(), reader.scalar(pair)?.text));
    pairs.iter().map(read).collect::<Option<_>>().map(LabelsSource::Pairs)
}

fn event(reader: &mut FieldReader<'_>, field: &Field<'_>) -> Option<EventSource> {
    let fields = reader.mapping(field.value, &EVENT)?;
    let mut event = EventSource {
        reasons: fields.get("reason").and_then(|field| reader.list(field)).unwrap_or_default(),
        type_: fields.get("type").and_then(|field| reader.choice(field, &EVENT_TYPES)),
        ..EventSource::default()
    };
    if let Some(object) = fields.get("object") {
        let parts = reader.mapping(object.value, &EVENT_OBJECT)?;
        event.kind = parts.get("kind").and_then(|field| reader.scalar(field));
        event.namespace = parts.get("namespace").and_then(|field| reader.scalar(field));
        event.name = parts.get("name").and_then(|field| reader.scalar(field));
    }
    Some(event)
}

fn file(reader: &mut FieldReader<'_>, field: &Field<'_>) -> Option<KindSource> {
    let fields = reader.mapping(field.value, &FILE)?;
    let shape = fields.get("as").map_or(Some(FileShape::Text), |field| shape(reader, field));
    let node = fields.get("node").and_then(|field| reader.scalar(field));
    Some(KindSource::File { path: reader.scalar(fields.get("path")?)?, node, shape: shape? })
}

fn shape(reader: &mut FieldReader<'_>, field: &Field<'_>) -> Option<FileShape> {
    let written = reader.choice(field, &FILE_SHAPES.map(|(name, _)| name))?;
    FILE_SHAPES.iter().find(|(name, _)| *name == written).map(|(_, shape)| *shape)
}

/// `undated: count` lets lines count that have no age; a place in time they cannot have.
fn undated(reader: &mut FieldReader<'_>, fields: &Fields<'_>) -> Undated {
    let Some(field) = fields.get("undated") else { return Undated::default() };
    if reader.choice(field, &UNDATED) != Some("count") {
        return Undated::Skipped;
    }
    if let Some(other) = ["within", "boot", "after_boot"].into_iter().find(|key| fields.get(key).is_some()) {
        let message = format!("undated: count does not go with \"{other}\": lines without a time have no place in it");
        let hint = "write undated: skip, or a second fact without it, as alternatives of any";
        reader.diagnostics.report(Code::Misfit, field.key_range.clone(), message).hint(hint);
    } else if fields.get("since").is_none() {
        let message = "undated: count needs the key \"since\": without it every line counts";
        reader.diagnostics.report(Code::MissingKey, field.key_range.clone(), message);
    }
    Undated::Counts
}

fn groups(reader: &mut FieldReader<'_>, fields: &Fields<'_>, kind: &Field<'_>) -> GroupSource {
    if kind.key == "log" && ["match", "jq"].iter().all(|key| fields.get(key).is_none()) {
        let message = "a log fact needs the key \"match\"";
        let hint = "give a regular expression, or a list of them, in single quotes";
        reader.diagnostics.report(Code::MissingKey, kind.key_range.clone(), message).hint(hint);
    }
    let mut text = |key: &str| fields.get(key).and_then(|field| reader.scalar(field));
    let [jq, since, after_boot, within, distinct, max] =
        ["jq", "since", "after_boot", "within", "distinct", "max"].map(&mut text);
    let at_least = fields.get("at_least").and_then(|field| at_least(reader, field));
    if let Some(field) = fields.get("within").filter(|_| fields.get("at_least").is_none()) {
        let message = "within needs the key \"at_least\": the number in that time";
        let hint = "write at_least: 3, or at_least: {capture: 3}; since limits the age of lines";
        reader.diagnostics.report(Code::MissingKey, field.key_range.clone(), message).hint(hint);
    }
    GroupSource {
        patterns: fields.get("match").and_then(|field| reader.list(field)).unwrap_or_default(),
        except: fields.get("except").and_then(|field| reader.list(field)).unwrap_or_default(),
        jq,
        since,
        undated: undated(reader, fields),
        boot_current: fields.get("boot").is_some_and(|field| reader.choice(field, &BOOT).is_some()),
        after_boot,
        multiline: fields.get("multiline").and_then(|field| reader.flag(field)).unwrap_or(false),
        by: fields.get("by").and_then(|field| by(reader, field)),
        at_least,
        within,
        distinct,
        max,
    }
}

/// `by: []` is one group.
fn by(reader: &mut FieldReader<'_>, field: &Field<'_>) -> Option<Vec<Written>> {
    if field.value.kind() == Kind::Sequence && field.value.is_empty() {
        return Some(Vec::new());
    }
    reader.list(field)
}

fn at_least(reader: &mut FieldReader<'_>, field: &Field<'_>) -> Option<AtLeastSource> {
    if field.value.kind() != Kind::Mapping {
        return count(reader, field).map(AtLeastSource::Hits);
    }
    let entries = reader.entries(field.value, "at_least")?;
    let mut list = entries.iter();
    let (Some(one), None) = (list.next(), list.next()) else {
        reader.wrong_type(field.value, "at_least takes a number, or one capture with a number");
        return None;
    };
    let capture = field.value.entry_nodes().next().and_then(|(key, _)| reader.item(key, "a capture"))?;
    Some(AtLeastSource::Distinct(capture, count(reader, one)?))
}
