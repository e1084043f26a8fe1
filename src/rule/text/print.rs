//! How values read in texts: objects by name, lists joined, null as `(unknown)`.

use minijinja::value::{Value, ValueKind};
use minijinja::{Error, ErrorKind, Output, State};

use super::thing::{Held, Thing};
use crate::expr;
use crate::yaml::{Kind, Node};

/// What null reads as.
pub(super) const UNKNOWN: &str = "(unknown)";
/// So many items of a list are printed.
const MAX_ITEMS: usize = 20;
/// Longest text of one value, in bytes.
const MAX_VALUE: usize = 4096;

/// Writes a value into a text.
pub(super) fn format(out: &mut Output, _: &mut State, value: &Value) -> Result<(), Error> {
    let text = text_of(value);
    out.write_str(cut(&text))
        .and_then(|()| if cut(&text).len() < text.len() { out.write_str("...") } else { Ok(()) })?;
    Ok(())
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

fn text_of(value: &Value) -> String {
    if let Some(found) = value.downcast_object_ref::<Thing>() {
        return thing(found);
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

/// A number with at most so many decimals.
fn decimal(number: f64, places: usize) -> String {
    let text = format!("{number:.places$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A value that is no scalar of the template engine.
pub(super) fn thing(thing: &Thing) -> String {
    match &thing.held {
        Held::Whole(value) => whole(thing, value),
        _ if thing.is_list() => joined(&thing.items(MAX_ITEMS), thing.len()),
        _ => thing.node().and_then(object_name).unwrap_or_else(|| compact(thing)),
    }
}

fn whole(thing: &Thing, value: &expr::Value<'_>) -> String {
    match value {
        expr::Value::Resource(id) => {
            let resource = thing.world.resources.resource(*id);
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
fn compact(thing: &Thing) -> String {
    let mut out = String::new();
    match (&thing.held, thing.node()) {
        (_, Some(node)) => node_json(node, &mut out),
        (Held::Map(entries), None) => {
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
        _ => match value.downcast_object_ref::<Thing>() {
            Some(inner) if inner.node().is_some() || matches!(inner.held, Held::Map(_)) => compact(inner),
            Some(Thing { held: Held::List(items), .. }) => {
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

/// Filter `bytes`: a number of bytes, or a quantity, in binary units.
pub(super) fn bytes(state: &mut State, value: Value) -> Result<Value, Error> {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let Some(number) = numeric(state, "quantity", &value)? else { return Ok(Value::UNDEFINED) };
    if number.abs() < 1024.0 {
        return Ok(Value::from(format!("{} B", decimal(number, 0))));
    }
    let (mut scaled, mut unit) = (number, "B");
    for next in UNITS {
        if scaled.abs() < 1024.0 {
            break;
        }
        scaled /= 1024.0;
        unit = next;
    }
    Ok(Value::from(format!("{} {unit}", decimal(scaled, 1))))
}

/// Filter `percent`: `{{ x | percent }}` of a number of percent, `{{ part | percent(whole) }}`.
pub(super) fn percent(state: &mut State, value: Value, whole: Option<Value>) -> Result<Value, Error> {
    let share = match whole {
        Some(whole) => super::environment::call(state, "percent", &[value, whole])?,
        None => value,
    };
    let number = numeric(state, "double", &share)?;
    Ok(number.map_or(Value::UNDEFINED, |number| Value::from(format!("{}%", decimal(number, 1)))))
}

/// The number that a function makes of a value.
fn numeric(state: &State, function: &str, value: &Value) -> Result<Option<f64>, Error> {
    let made = super::environment::call(state, function, std::slice::from_ref(value))?;
    if made.is_undefined() {
        return Ok(None);
    }
    f64::try_from(made).map(Some).map_err(|_| Error::new(ErrorKind::InvalidOperation, "a number is expected"))
}
