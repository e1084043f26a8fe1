//! Prints values in texts: objects by name, lists joined, null as `(unknown)`.

use minijinja::value::{Value, ValueKind};
use minijinja::{Error, Output, State};

use super::call::ShellText;
use super::marks::{TIME_BEGINS, TIME_ENDS, UNKNOWN, VALUE_BEGINS, VALUE_ENDS};
use super::value::{Repr, TemplateValue};
use crate::expr;
use crate::model::TimedText;
use crate::model::timed_text::time_of;
use crate::yaml::{Kind, Node};

/// Items of a list that are printed.
const MAX_ITEMS: usize = 20;
/// Longest text of one value, in bytes.
const MAX_VALUE: usize = 4096;

/// Writes a value into a text; times are marked for [`with_times`].
pub(super) fn format(out: &mut Output, _: &mut State, value: &Value) -> Result<(), Error> {
    let text = text_of(value).replace([VALUE_BEGINS, VALUE_ENDS], "\u{fffd}");
    if time_of(&text).is_some() {
        return Ok(write!(out, "{TIME_BEGINS}{text}{TIME_ENDS}")?);
    }
    out.write_str(cut(&text))
        .and_then(|()| if cut(&text).len() < text.len() { out.write_str("...") } else { Ok(()) })?;
    Ok(())
}

/// Writes a value into sentences with a command, marked for [`super::shell`].
pub(super) fn format_in_sentence(out: &mut Output, state: &mut State, value: &Value) -> Result<(), Error> {
    write!(out, "{VALUE_BEGINS}")?;
    format(out, state, value)?;
    Ok(write!(out, "{VALUE_ENDS}")?)
}

/// Writes a value into a command, marked for [`super::shell`]. Nothing is cut: half a name is another name.
pub(super) fn format_for_shell(out: &mut Output, _: &mut State, value: &Value) -> Result<(), Error> {
    if let Some(text) = value.downcast_object_ref::<ShellText>() {
        return Ok(out.write_str(&text.0)?);
    }
    let text = text_of(value).replace([VALUE_BEGINS, VALUE_ENDS], "\u{fffd}");
    Ok(write!(out, "{VALUE_BEGINS}{text}{VALUE_ENDS}")?)
}

/// Returns a rendered text with its times, without marks.
pub(super) fn with_times(rendered: &str) -> TimedText {
    let mut text = TimedText::default();
    for part in rendered.split([TIME_BEGINS, TIME_ENDS]) {
        match time_of(part) {
            Some(time) => text.push_time(part, time),
            None => text.push(part),
        }
    }
    text
}

fn cut(text: &str) -> &str {
    if text.len() <= MAX_VALUE {
        return text;
    }
    let mut end = MAX_VALUE;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

pub(super) fn text_of(value: &Value) -> String {
    if let Some(found) = value.downcast_object_ref::<TemplateValue>() {
        return template_value(found);
    }
    match value.kind() {
        ValueKind::Undefined | ValueKind::None => UNKNOWN.to_owned(),
        ValueKind::Bool => value.is_true().to_string(),
        ValueKind::Number if !value.is_integer() => {
            f64::try_from(value.clone()).map_or_else(|_| value.to_string(), |number| decimal(number, 2))
        }
        ValueKind::Seq | ValueKind::Iterable => {
            let items: Vec<Value> = value.try_iter().into_iter().flatten().take(MAX_ITEMS).collect();
            let total = value.len().unwrap_or(items.len());
            joined(&items, total)
        }
        _ => value.to_string(),
    }
}

/// Formats a number with a maximum number of decimals.
pub(super) fn decimal(number: f64, places: usize) -> String {
    let text = format!("{number:.places$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A value that is no scalar of the template engine.
pub(super) fn template_value(value: &TemplateValue) -> String {
    match &value.repr {
        Repr::Whole(held) => whole(value, held),
        _ if value.is_list() => joined(&value.items(MAX_ITEMS), value.len()),
        _ => value.node().and_then(object_name).unwrap_or_else(|| compact(value)),
    }
}

fn whole(value: &TemplateValue, held: &expr::Value<'_>) -> String {
    match held {
        expr::Value::Resource(id) => {
            let resource = value.world.resources.resource(*id);
            named(&resource.kind, resource.namespace.as_deref(), &resource.name)
        }
        expr::Value::Hits(group) => group.count.to_string(),
        expr::Value::Sequence(group) => group.count.to_string(),
        expr::Value::Events(group) => group.count.to_string(),
        expr::Value::File(file) => file.path.to_string(),
        other => expr::display(other).unwrap_or_else(|| UNKNOWN.to_owned()),
    }
}

fn named(kind: &str, namespace: Option<&str>, name: &str) -> String {
    match namespace {
        Some(namespace) => format!("{kind}/{namespace}/{name}"),
        None => format!("{kind}/{name}"),
    }
}

/// A map that is a Kubernetes object reads as one.
fn object_name(node: Node<'_>) -> Option<String> {
    let name = node.str_at(&["metadata", "name"])?;
    Some(named(node.str_at(&["kind"])?, node.str_at(&["metadata", "namespace"]), name))
}

fn joined(items: &[Value], total: usize) -> String {
    let mut text = items.iter().map(text_of).collect::<Vec<_>>().join(", ");
    if total > items.len() {
        text.push_str(&format!(" and {} more", total - items.len()));
    }
    text
}

/// Compact JSON, cut where it gets long.
fn compact(value: &TemplateValue) -> String {
    let mut out = String::new();
    match (&value.repr, value.node()) {
        (_, Some(node)) => node_json(node, &mut out),
        (Repr::Map(entries), None) => {
            let fields: Vec<String> =
                entries.iter().map(|(name, value)| format!("{}:{}", quoted(name), value_json(value))).collect();
            out = format!("{{{}}}", fields.join(","));
        }
        _ => {}
    }
    out
}

fn value_json(value: &Value) -> String {
    match value.kind() {
        ValueKind::Undefined | ValueKind::None => "null".to_owned(),
        ValueKind::Bool | ValueKind::Number => text_of(value),
        _ => match value.downcast_object_ref::<TemplateValue>() {
            Some(inner) if inner.node().is_some() || matches!(inner.repr, Repr::Map(_)) => compact(inner),
            Some(TemplateValue { repr: Repr::List(items), .. }) => {
                format!("[{}]", items.iter().map(value_json).collect::<Vec<_>>().join(","))
            }
            _ => quoted(&text_of(value)),
        },
    }
}

/// Recursion ends: documents nest at most 128 deep.
fn node_json(node: Node<'_>, out: &mut String) {
    if out.len() > MAX_VALUE {
        return;
    }
    if node.is_secret() && !node.is_null() {
        out.push_str("\"(masked)\"");
        return;
    }
    match node.kind() {
        Kind::Null => out.push_str("null"),
        Kind::Bool | Kind::Number => out.push_str(node.text()),
        Kind::String => out.push_str(&quoted(node.text())),
        Kind::Sequence => {
            out.push('[');
            for (position, item) in node.items().enumerate() {
                separate(position, out);
                node_json(item, out);
            }
            out.push(']');
        }
        Kind::Mapping => {
            out.push('{');
            for (position, (name, value)) in node.entries().enumerate() {
                separate(position, out);
                out.push_str(&quoted(&name));
                out.push(':');
                node_json(value, out);
            }
            out.push('}');
        }
    }
}

fn separate(position: usize, out: &mut String) {
    if position > 0 {
        out.push(',');
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
