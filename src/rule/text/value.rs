//! What texts read of values: fields, items, entries and whether a value counts as true.

use std::sync::Arc;

use crate::expr::{Text, Value, World};
use crate::yaml::{Document, Kind, Node};

/// Text of a masked value.
pub(super) const MASKED: &str = "(masked)";
/// Items of a list, or names of a map, that a loop sees.
pub(super) const MAX_ITEMS: usize = 1000;

/// Returns null in place of a value that is not known.
pub(super) fn known<'a>(value: Value<'a>) -> Value<'a> {
    if matches!(value, Value::Undecided(_)) { Value::Null } else { value }
}

/// Makes a text, which may be empty.
pub(super) fn text<'a>(text: impl Into<Arc<str>>) -> Value<'a> {
    Value::Str(Text::Shared(text.into()))
}

/// A mapping or sequence with what its children need.
enum Body<'v, 'a> {
    Own(Node<'a>, Option<u32>),
    Decoded(&'v Arc<Document>, Node<'v>),
}

impl<'v, 'a> Body<'v, 'a> {
    fn of(world: &'a World, value: &'v Value<'a>) -> Option<Self> {
        match value {
            Value::Resource(id) => Some(Self::Own(world.resources.resource(*id).body(), Some(*id))),
            Value::Node { node, resource } => Some(Self::Own(*node, *resource)),
            Value::Decoded { document, node } => Some(Self::Decoded(document, document.node(*node))),
            _ => None,
        }
    }

    fn node(&self) -> Node<'_> {
        match self {
            Self::Own(node, _) => *node,
            Self::Decoded(_, node) => *node,
        }
    }

    fn field(&self, name: &str) -> Option<Value<'a>> {
        match self {
            Self::Own(node, resource) => node.get(name).filter(|child| !child.is_null()).map(|c| own(c, *resource)),
            Self::Decoded(document, node) => {
                node.get(name).filter(|child| !child.is_null()).map(|child| decoded(document, child))
            }
        }
    }

    fn items(&self, most: usize) -> Vec<Value<'a>> {
        match self {
            Self::Own(node, resource) => node.items().take(most).map(|child| own(child, *resource)).collect(),
            Self::Decoded(document, node) => node.items().take(most).map(|child| decoded(document, child)).collect(),
        }
    }

    fn entries(&self, most: usize) -> Vec<(Value<'a>, Value<'a>)> {
        match self {
            Self::Own(node, resource) => {
                node.entries().take(most).map(|(name, child)| (text(name.as_ref()), own(child, *resource))).collect()
            }
            Self::Decoded(document, node) => {
                node.entries().take(most).map(|(name, child)| (text(name.as_ref()), decoded(document, child))).collect()
            }
        }
    }
}

/// Returns the text shown for a node whose value is secret.
fn masked<'a>(node: Node<'_>) -> Option<Value<'a>> {
    (node.is_secret() && !node.is_null()).then(|| text(MASKED))
}

fn own(node: Node<'_>, resource: Option<u32>) -> Value<'_> {
    masked(node).unwrap_or_else(|| known(Value::of_node(node, resource)))
}

fn decoded<'a>(document: &Arc<Document>, node: Node<'_>) -> Value<'a> {
    masked(node).unwrap_or_else(|| known(Value::of_decoded(document, node)))
}

/// Returns the field of a value; null if there is none.
pub(super) fn field<'a>(world: &'a World, value: &Value<'a>, name: &str) -> Value<'a> {
    let found = Body::of(world, value).and_then(|body| body.field(name));
    found.unwrap_or_else(|| known(world.field(value, name)))
}

/// Returns `value[key]`; positions below zero count from the end.
pub(super) fn item<'a>(world: &'a World, value: &Value<'a>, key: &Value<'a>) -> Value<'a> {
    match key {
        Value::Str(name) if !is_list(value) => field(world, value, name.as_str()),
        Value::Int(position) if is_list(value) => {
            let length = i64::try_from(len(world, value)).unwrap_or(i64::MAX);
            let position = if *position < 0 { length.saturating_add(*position) } else { *position };
            usize::try_from(position).map_or(Value::Null, |position| at(world, value, position))
        }
        _ => Value::Null,
    }
}

fn at<'a>(world: &'a World, value: &Value<'a>, position: usize) -> Value<'a> {
    match (value, Body::of(world, value)) {
        (Value::List(items), _) => items.get(position).cloned().map_or(Value::Null, known),
        (_, Some(Body::Own(node, resource))) => node.at(position).map_or(Value::Null, |child| own(child, resource)),
        (_, Some(Body::Decoded(document, node))) => {
            node.at(position).map_or(Value::Null, |child| decoded(document, child))
        }
        _ => Value::Null,
    }
}

/// Returns true for lists.
pub(super) fn is_list(value: &Value<'_>) -> bool {
    matches!(value, Value::List(_)) || value.as_node().is_some_and(|node| node.kind() == Kind::Sequence)
}

/// Counts items of a list, entries of a map or an object, or characters of a text.
pub(super) fn len(world: &World, value: &Value<'_>) -> usize {
    match value {
        Value::List(items) => items.len(),
        Value::Map(entries) => entries.len(),
        Value::Str(text) => text.as_str().chars().count(),
        value => Body::of(world, value).map_or(0, |body| body.node().len()),
    }
}

/// Returns the first items of a list, or names of a map.
pub(super) fn items<'a>(world: &'a World, value: &Value<'a>, most: usize) -> Vec<Value<'a>> {
    match value {
        Value::List(items) => items.iter().take(most).cloned().map(known).collect(),
        value if is_list(value) => Body::of(world, value).map(|body| body.items(most)).unwrap_or_default(),
        value => entries(world, value, most).into_iter().map(|(name, _)| name).collect(),
    }
}

/// Returns the first entries of a map or an object.
pub(super) fn entries<'a>(world: &'a World, value: &Value<'a>, most: usize) -> Vec<(Value<'a>, Value<'a>)> {
    match value {
        Value::Map(entries) => {
            entries.iter().take(most).map(|(name, v)| (Value::Str(name.clone()), known(v.clone()))).collect()
        }
        value => Body::of(world, value).map(|body| body.entries(most)).unwrap_or_default(),
    }
}

/// Returns whether a value counts as true: not null, false, zero or empty.
pub(super) fn is_true(value: &Value<'_>) -> bool {
    match value {
        Value::Null | Value::Undecided(_) | Value::Bool(false) | Value::Int(0) => false,
        Value::Double(number) => *number != 0.0,
        Value::Str(text) => !text.as_str().is_empty(),
        Value::List(items) => !items.is_empty(),
        Value::Map(entries) => !entries.is_empty(),
        value => value.as_node().is_none_or(|node| !node.is_empty()),
    }
}
