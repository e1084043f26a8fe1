//! Elements of lists and maps.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::expr::eval::place::FieldPlace;
use crate::expr::eval::value::{Text, Value};
use crate::resource::ResourceId;
use crate::yaml::{Kind, Node};

/// Element of a list or map.
pub(in crate::expr) struct Element<'a> {
    /// Position in a list, name in a map.
    pub key: Value<'a>,
    pub value: Value<'a>,
    pub place: Option<FieldPlace>,
}

/// Callback for every element.
pub(in crate::expr) type Visitor<'v, 'a> = &'v mut dyn FnMut(Element<'a>) -> ControlFlow<()>;

/// Returns true if a value is a list.
pub(in crate::expr) fn is_list(value: &Value<'_>) -> bool {
    matches!(value, Value::List(_)) || value.as_node().is_some_and(|node| node.kind() == Kind::Sequence)
}

/// Returns false if the value is neither a list nor a map.
pub(in crate::expr) fn visit_collection<'a>(value: &Value<'a>, visit: Visitor<'_, 'a>) -> bool {
    match value {
        Value::List(items) => visit_items(items, visit),
        Value::Map(entries) => visit_entries(entries, visit),
        Value::Node { node, resource } => visit_node(*node, *resource, visit),
        Value::Decoded { .. } => visit_decoded(value, visit),
        _ => return false,
    }
    true
}

fn visit_items<'a>(items: &[Value<'a>], visit: Visitor<'_, 'a>) {
    for (position, value) in items.iter().enumerate() {
        let place = match value {
            Value::Node { node, resource: Some(id) } => Some((*id, node.index())),
            _ => None,
        };
        if visit(Element { key: position_value(position), value: value.clone(), place }).is_break() {
            return;
        }
    }
}

fn visit_entries<'a>(entries: &[(Text<'a>, Value<'a>)], visit: Visitor<'_, 'a>) {
    for (name, value) in entries {
        if visit(Element { key: Value::Str(name.clone()), value: value.clone(), place: None }).is_break() {
            return;
        }
    }
}

pub(in crate::expr) fn visit_node<'a>(node: Node<'a>, resource: Option<ResourceId>, visit: Visitor<'_, 'a>) {
    let element = |key, child: Node<'a>| Element {
        key,
        value: Value::of_node(child, resource),
        place: resource.map(|id| (id, child.index())),
    };
    for (position, child) in node.items().enumerate() {
        if visit(element(position_value(position), child)).is_break() {
            return;
        }
    }
    for (name, child) in node.entries() {
        if visit(element(key_value(name), child)).is_break() {
            return;
        }
    }
}

fn visit_decoded<'a>(value: &Value<'a>, visit: Visitor<'_, 'a>) {
    let Value::Decoded { document, node } = value else { return };
    let node = document.node(*node);
    for (position, child) in node.items().enumerate() {
        let value = Value::of_decoded(document, child);
        if visit(Element { key: position_value(position), value, place: None }).is_break() {
            return;
        }
    }
    for (name, child) in node.entries() {
        let value = Value::of_decoded(document, child);
        if visit(Element { key: Value::Str(Text::Shared(Arc::from(name.as_ref()))), value, place: None }).is_break() {
            return;
        }
    }
}

fn position_value<'a>(position: usize) -> Value<'a> {
    Value::Int(i64::try_from(position).unwrap_or(i64::MAX))
}

fn key_value<'a>(name: Cow<'a, str>) -> Value<'a> {
    match name {
        Cow::Borrowed(text) => Value::Str(Text::Borrowed(text)),
        Cow::Owned(text) => Value::Str(Text::Shared(text.into())),
    }
}

impl<'a> Value<'a> {
    /// Returns the values that an `each` fact binds, one per element: items of a list, or entries of a map as maps with
    /// `key` and `value`. Empty for null and for all other values; each value keeps its resource.
    pub fn elements(&self) -> Vec<Value<'a>> {
        let list = is_list(self);
        let mut elements = Vec::new();
        visit_collection(self, &mut |element| {
            elements.push(if list { element.value } else { entry(element) });
            ControlFlow::Continue(())
        });
        elements
    }
}

fn entry<'a>(element: Element<'a>) -> Value<'a> {
    Value::Map(Arc::new([(Text::Borrowed("key"), element.key), (Text::Borrowed("value"), element.value)]))
}
