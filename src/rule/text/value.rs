//! Values of expressions as the template engine wants them: owned, and read step by step.

use std::sync::Arc;

use minijinja::value::{Value, ValueKind};

use crate::expr::{self, Text, World};
use crate::resource::ResourceId;
use crate::yaml::{Document, Kind, Node};

/// Text of a masked value.
pub(super) const MASKED: &str = "(masked)";
/// Items of a list that a loop sees.
pub(super) const MAX_ITEMS: usize = 1000;
/// Depth of lists and maps made in a template.
const MAX_DEPTH: usize = 32;

/// A value that is no scalar of the template engine.
#[derive(Debug)]
pub(super) struct TemplateValue {
    pub world: Arc<World>,
    pub repr: Repr,
}

/// Representation of a [`TemplateValue`].
#[derive(Debug)]
pub(super) enum Repr {
    /// A mapping or sequence of a document.
    Body {
        document: Arc<Document>,
        node: u32,
        resource: Option<ResourceId>,
    },
    /// Values without borrowed parts: resources, hits, events, files, times, durations.
    Whole(expr::Value<'static>),
    List(Vec<Value>),
    Map(Vec<(String, Value)>),
}

/// A value for the template engine; null and undecided are undefined.
pub(super) fn wrap(world: &Arc<World>, value: &expr::Value<'_>) -> Value {
    let repr = match value {
        expr::Value::Null | expr::Value::Undecided(_) => return Value::UNDEFINED,
        expr::Value::Bool(value) => return Value::from(*value),
        expr::Value::Int(value) => return Value::from(*value),
        expr::Value::Double(value) => return Value::from(*value),
        expr::Value::Str(text) => return Value::from(text.as_str()),
        expr::Value::Node { node, resource } => body(world, *node, *resource),
        expr::Value::Decoded { document, node } => {
            Repr::Body { document: Arc::clone(document), node: *node, resource: None }
        }
        expr::Value::List(items) => Repr::List(items.iter().map(|item| wrap(world, item)).collect()),
        expr::Value::Map(entries) => {
            Repr::Map(entries.iter().map(|(name, value)| (name.as_str().to_owned(), wrap(world, value))).collect())
        }
        expr::Value::Resource(id) => Repr::Whole(expr::Value::Resource(*id)),
        expr::Value::Time(time) => Repr::Whole(expr::Value::Time(*time)),
        expr::Value::Duration(duration) => Repr::Whole(expr::Value::Duration(*duration)),
        expr::Value::Hits(group) => Repr::Whole(expr::Value::Hits(Arc::clone(group))),
        expr::Value::Sequence(group) => Repr::Whole(expr::Value::Sequence(Arc::clone(group))),
        expr::Value::Events(group) => Repr::Whole(expr::Value::Events(Arc::clone(group))),
        expr::Value::File(file) => Repr::Whole(expr::Value::File(Arc::clone(file))),
    };
    Value::from_object(TemplateValue { world: Arc::clone(world), repr })
}

/// A node of a resource keeps its document; any other is copied.
fn body(world: &Arc<World>, node: Node<'_>, resource: Option<ResourceId>) -> Repr {
    if let Some(id) = resource {
        let document = &world.resources.resource(id).document;
        if std::ptr::eq(node.document(), document.as_ref()) {
            return Repr::Body { document: Arc::clone(document), node: node.index(), resource };
        }
    }
    // Documents nest at most 128 deep, so the copy ends.
    let copy = |child: Node<'_>| masked(child).unwrap_or_else(|| wrap(world, &expr::Value::of_node(child, None)));
    match node.kind() {
        Kind::Sequence => Repr::List(node.items().map(copy).collect()),
        _ => Repr::Map(node.entries().map(|(name, child)| (name.into_owned(), copy(child))).collect()),
    }
}

/// Returns the text shown for a node whose value is secret.
fn masked(node: Node<'_>) -> Option<Value> {
    (node.is_secret() && !node.is_null()).then(|| Value::from(MASKED))
}

/// A value of the template engine as argument of a CEL function.
pub(super) fn unwrap(value: &Value) -> expr::Value<'_> {
    unwrap_at(value, MAX_DEPTH)
}

fn unwrap_at(value: &Value, depth: usize) -> expr::Value<'_> {
    if let Some(thing) = value.downcast_object_ref::<TemplateValue>() {
        return thing.value_at(depth);
    }
    match value.kind() {
        ValueKind::Bool => expr::Value::Bool(value.is_true()),
        ValueKind::Number => number(value),
        ValueKind::String => value.as_str().map_or(expr::Value::Null, |text| expr::Value::Str(Text::Borrowed(text))),
        ValueKind::Seq | ValueKind::Iterable if depth > 0 => made_list(value),
        _ => expr::Value::Null,
    }
}

fn number<'v>(value: &Value) -> expr::Value<'v> {
    match (value.is_integer(), value.as_i64()) {
        (true, Some(number)) => expr::Value::Int(number),
        _ => f64::try_from(value.clone()).map_or(expr::Value::Null, expr::Value::Double),
    }
}

/// A list written in the template; its items are scalars.
fn made_list<'v>(value: &Value) -> expr::Value<'v> {
    let items = value.try_iter().into_iter().flatten().take(MAX_ITEMS);
    expr::Value::list(
        items
            .map(|item| match item.kind() {
                ValueKind::Bool => expr::Value::Bool(item.is_true()),
                ValueKind::Number => number(&item),
                ValueKind::String => item.as_str().map_or(expr::Value::Null, expr::Value::text),
                _ => match item.downcast_object_ref::<TemplateValue>().map(|thing| &thing.repr) {
                    Some(Repr::Whole(whole)) => whole.clone(),
                    _ => expr::Value::Null,
                },
            })
            .collect(),
    )
}

impl TemplateValue {
    /// The value it holds.
    pub fn value(&self) -> expr::Value<'_> {
        self.value_at(MAX_DEPTH)
    }

    fn value_at(&self, depth: usize) -> expr::Value<'_> {
        if depth == 0 {
            return expr::Value::Null;
        }
        match &self.repr {
            Repr::Body { document, node, resource } => {
                expr::Value::Node { node: document.node(*node), resource: *resource }
            }
            Repr::Whole(value) => value.clone(),
            Repr::List(items) => expr::Value::list(items.iter().map(|item| unwrap_at(item, depth - 1)).collect()),
            Repr::Map(entries) => {
                let pairs =
                    entries.iter().map(|(name, value)| (Text::Borrowed(name.as_str()), unwrap_at(value, depth - 1)));
                expr::Value::Map(pairs.collect())
            }
        }
    }

    /// The node of a mapping or sequence, for what is inside of it.
    pub fn node(&self) -> Option<Node<'_>> {
        match &self.repr {
            Repr::Body { document, node, .. } => Some(document.node(*node)),
            Repr::Whole(expr::Value::Resource(id)) => Some(self.world.resources.resource(*id).body()),
            _ => None,
        }
    }

    /// A child of its node.
    pub fn child(&self, child: Node<'_>) -> Value {
        if let Some(text) = masked(child) {
            return text;
        }
        match (&self.repr, child.kind()) {
            (Repr::Body { document, resource, .. }, Kind::Mapping | Kind::Sequence) => {
                let repr = Repr::Body { document: Arc::clone(document), node: child.index(), resource: *resource };
                Value::from_object(TemplateValue { world: Arc::clone(&self.world), repr })
            }
            (Repr::Whole(expr::Value::Resource(id)), _) => wrap(&self.world, &expr::Value::of_node(child, Some(*id))),
            _ => wrap(&self.world, &expr::Value::of_node(child, None)),
        }
    }

    pub(super) fn named(&self, name: &str) -> Value {
        if let Repr::Map(entries) = &self.repr {
            return entries.iter().find(|(key, _)| key == name).map_or(Value::UNDEFINED, |(_, value)| value.clone());
        }
        if let Some(child) = self.node().and_then(|node| node.get(name)).filter(|child| !child.is_null()) {
            return self.child(child);
        }
        wrap(&self.world, &self.world.field(&self.value(), name))
    }

    pub(super) fn at(&self, position: usize) -> Value {
        match &self.repr {
            Repr::List(items) => items.get(position).cloned().unwrap_or_default(),
            Repr::Body { .. } => {
                self.node().and_then(|node| node.at(position)).map_or(Value::UNDEFINED, |child| self.child(child))
            }
            _ => Value::UNDEFINED,
        }
    }

    pub fn is_list(&self) -> bool {
        match &self.repr {
            Repr::List(_) => true,
            Repr::Body { document, node, .. } => document.node(*node).kind() == Kind::Sequence,
            _ => false,
        }
    }

    /// The number of items or entries.
    pub fn len(&self) -> usize {
        match &self.repr {
            Repr::List(items) => items.len(),
            Repr::Map(entries) => entries.len(),
            _ => self.node().map_or(0, Node::len),
        }
    }

    /// The first items of a list.
    pub fn items(&self, limit: usize) -> Vec<Value> {
        match &self.repr {
            Repr::List(items) => items.iter().take(limit).cloned().collect(),
            _ => self.node().into_iter().flat_map(Node::items).take(limit).map(|child| self.child(child)).collect(),
        }
    }

    /// The first names of a map.
    pub(super) fn names(&self) -> Vec<Value> {
        match &self.repr {
            Repr::Map(entries) => entries.iter().take(MAX_ITEMS).map(|(name, _)| Value::from(name.as_str())).collect(),
            _ => {
                let entries = self.node().into_iter().flat_map(Node::entries).take(MAX_ITEMS);
                entries.map(|(name, _)| Value::from(name.as_ref())).collect()
            }
        }
    }
}
