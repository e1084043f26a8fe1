//! Prints values in texts: objects by name, lists joined, null as `(unknown)`.

use super::marks::{NO_TIME, TIME_BEGINS, TIME_ENDS, UNKNOWN, VALUE_BEGINS, VALUE_ENDS};
use super::value::{entries, is_list, items, len};
use crate::expr::{self, Value, World};
use crate::model::message::{Message, Moment};
use crate::model::timed_text::time_of;
use crate::model::{Lang, TimedText};
use crate::yaml::{Kind, Node};

/// Items of a list that are printed.
const MAX_ITEMS: usize = 20;
/// Longest text of one value, in bytes. Lists of lists share their parts, so that printing must stop here.
const MAX_VALUE: usize = 4096;

/// Writes a value into a text; times are marked for [`with_times`].
pub(super) fn print(world: &World, value: &Value<'_>, out: &mut String) {
    let text = unmarked(&text_of(world, value));
    if time_of(&text).is_some() {
        out.extend([TIME_BEGINS.to_string().as_str(), text.as_str(), TIME_ENDS.to_string().as_str()]);
        return;
    }
    let shown = cut(&text);
    out.push_str(shown);
    if shown.len() < text.len() {
        out.push_str("...");
    }
}

/// Writes a value into sentences with a command, marked for [`super::shell`].
pub(super) fn print_in_sentence(world: &World, value: &Value<'_>, out: &mut String) {
    out.push(VALUE_BEGINS);
    print(world, value, out);
    out.push(VALUE_ENDS);
}

/// Writes a value into a command, marked for [`super::shell`]. Nothing is cut, because half a name is another name: what is too
/// long to be one is not known.
pub(super) fn print_for_shell(world: &World, value: &Value<'_>, out: &mut String) {
    let text = text_of(world, value);
    out.push(VALUE_BEGINS);
    out.push_str(&unmarked(if text.len() <= MAX_VALUE { &text } else { UNKNOWN }));
    out.push(VALUE_ENDS);
}

fn unmarked(text: &str) -> String {
    text.replace([NO_TIME, VALUE_BEGINS, VALUE_ENDS], "\u{fffd}")
}

/// Returns a rendered text with its times, without marks. Of a bundle without a time of its own they are told by their distance to the collection.
pub(super) fn with_times(rendered: &str, world: &World, lang: Lang) -> TimedText {
    let relative = world.now.filter(|_| world.is_relative);
    let mut text = TimedText::default();
    for part in rendered.split([TIME_BEGINS, TIME_ENDS]) {
        match (time_of(part), relative) {
            (Some(time), Some(now)) => text.push(&Moment::at(time, now).in_language(lang).to_string()),
            (Some(time), None) => text.push_time(part, time),
            (None, _) => text.push(part),
        }
    }
    text
}

fn cut(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_VALUE)).unwrap_or_default()
}

/// Returns a value as texts show it.
pub(super) fn text_of(world: &World, value: &Value<'_>) -> String {
    let mut out = String::new();
    add(world, value, &mut out);
    out
}

/// Returns a value as part of another text: null is empty.
pub(super) fn part_of(world: &World, value: &Value<'_>) -> String {
    match value {
        Value::Null | Value::Undecided(_) => String::new(),
        Value::Double(number) => format!("{number:?}"),
        value => text_of(world, value),
    }
}

fn add(world: &World, value: &Value<'_>, out: &mut String) {
    if out.len() > MAX_VALUE {
        return;
    }
    match value {
        Value::Null | Value::Undecided(_) => out.push_str(UNKNOWN),
        Value::Double(number) => out.push_str(&decimal(*number, 2)),
        Value::Resource(id) => {
            let resource = world.resources.resource(*id);
            out.push_str(&named(&resource.kind, resource.namespace.as_deref(), &resource.name));
        }
        Value::Hits(group) => out.push_str(&group.count.to_string()),
        Value::Sequence(group) => out.push_str(&group.count.to_string()),
        Value::Events(group) => out.push_str(&group.count.to_string()),
        Value::File(file) => out.push_str(&file.path),
        Value::Str(text) => out.push_str(text.as_str()),
        list if is_list(list) => joined(world, list, out),
        Value::Map(_) => json(world, value, out),
        value => match value.as_node() {
            Some(node) => out.push_str(&object_name(node).unwrap_or_else(|| compact(node))),
            None => out.push_str(&expr::display(value).unwrap_or_else(|| UNKNOWN.to_owned())),
        },
    }
}

/// Formats a number with a maximum number of decimals.
pub(super) fn decimal(number: f64, places: usize) -> String {
    let text = format!("{number:.places$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
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

fn joined(world: &World, list: &Value<'_>, out: &mut String) {
    let shown = items(world, list, MAX_ITEMS);
    for (position, item) in shown.iter().enumerate() {
        if position > 0 {
            out.push_str(", ");
        }
        add(world, item, out);
    }
    let total = len(world, list);
    if total > shown.len() {
        out.push_str(&format!(" and {} more", total - shown.len()));
    }
}

/// Returns a value as compact JSON, cut where it gets long.
pub(super) fn json_of(world: &World, value: &Value<'_>) -> String {
    let mut out = String::new();
    json(world, value, &mut out);
    out
}

fn json(world: &World, value: &Value<'_>, out: &mut String) {
    if out.len() > MAX_VALUE {
        return;
    }
    match value {
        Value::Null | Value::Undecided(_) => out.push_str("null"),
        Value::Bool(_) | Value::Int(_) | Value::Double(_) => add(world, value, out),
        Value::Map(_) => {
            out.push('{');
            for (position, (name, value)) in entries(world, value, usize::MAX).iter().enumerate() {
                separate(position, out);
                out.push_str(&quoted(name.as_str().unwrap_or_default()));
                out.push(':');
                json(world, value, out);
            }
            out.push('}');
        }
        Value::List(list) => {
            out.push('[');
            for (position, item) in list.iter().enumerate().take(MAX_VALUE) {
                separate(position, out);
                json(world, item, out);
            }
            out.push(']');
        }
        value => match value.as_node() {
            Some(node) => node_json(node, out),
            None => out.push_str(&quoted(&text_of(world, value))),
        },
    }
}

fn compact(node: Node<'_>) -> String {
    let mut out = String::new();
    node_json(node, &mut out);
    out
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
            for (position, item) in node.items().enumerate().take(MAX_VALUE) {
                separate(position, out);
                node_json(item, out);
            }
            out.push(']');
        }
        Kind::Mapping => {
            out.push('{');
            for (position, (name, value)) in node.entries().enumerate().take(MAX_VALUE) {
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
