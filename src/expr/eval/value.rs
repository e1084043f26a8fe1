//! Values of expressions: tape nodes without copies, and values computed from them.
//!
//! A [`Value`] is the binding of a fact or the result of an expression. Mappings and sequences stay in their document;
//! scalars are read from the tape on demand.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::log::HitGroup;
use crate::model::message::{Reason, SharedReason, ValueKind};
use crate::model::{ObjectRef, Origin, secret};
use crate::resource::ResourceId;
use crate::yaml::{Document, Kind, Node};

/// Text from a document or made by a function.
#[derive(Clone, Debug)]
pub enum Text<'a> {
    Borrowed(&'a str),
    Shared(Arc<str>),
}

impl Text<'_> {
    /// Returns the text.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Borrowed(text) => text,
            Self::Shared(text) => text,
        }
    }

    fn lasting(&self) -> Text<'static> {
        Text::Shared(match self {
            Self::Borrowed(text) => Arc::from(*text),
            Self::Shared(text) => Arc::clone(text),
        })
    }
}

/// Value of an expression or binding of a fact.
#[derive(Clone, Debug)]
pub enum Value<'a> {
    Null,
    /// Undecided, with the reason.
    Undecided(SharedReason),
    Bool(bool),
    Int(i64),
    Double(f64),
    Str(Text<'a>),
    Time(Timestamp),
    Duration(SignedDuration),
    /// A mapping or sequence of a resource's document.
    Node {
        node: Node<'a>,
        resource: Option<ResourceId>,
    },
    /// A mapping or sequence of a document decoded from a field.
    Decoded {
        document: Arc<Document>,
        node: u32,
    },
    Resource(ResourceId),
    /// Hits of a log fact.
    Hits(Arc<HitGroup>),
    /// Matches of a sequence.
    Sequence(Arc<SequenceGroup>),
    /// A group of events.
    Events(Arc<EventGroup>),
    File(Arc<FileFact>),
    List(Arc<[Value<'a>]>),
    /// In order of insertion.
    Map(Arc<[(Text<'a>, Value<'a>)]>),
}

impl<'a> Value<'a> {
    /// Borrows text of the document; the empty text is absent.
    pub fn borrowed(text: &'a str) -> Self {
        if text.is_empty() { Self::Null } else { Self::Str(Text::Borrowed(text)) }
    }

    /// Makes an owned text; the empty text is absent.
    pub fn text(text: &str) -> Self {
        if text.is_empty() { Self::Null } else { Self::Str(Text::Shared(Arc::from(text))) }
    }

    /// Makes an owned text; undecided if a collector hid it.
    pub fn shown(text: &str) -> Self {
        if secret::is_withheld(text) { Self::Undecided(Reason::Withheld.into()) } else { Self::text(text) }
    }

    /// Borrows text of the document; undecided if a collector hid it.
    pub fn stated(text: &'a str) -> Self {
        if secret::is_withheld(text) { Self::Undecided(Reason::Withheld.into()) } else { Self::borrowed(text) }
    }

    /// Makes a list of values.
    pub fn list(items: Vec<Value<'a>>) -> Self {
        Self::List(items.into())
    }

    /// Returns the value of a node; a scalar is read, a collection stays in its document.
    pub fn of_node(node: Node<'a>, resource: Option<ResourceId>) -> Self {
        match node.kind() {
            Kind::Mapping | Kind::Sequence => Self::Node { node, resource },
            // Secrets are masked here, so that no expression can show them.
            kind if kind != Kind::Null && node.is_secret() => Self::borrowed(secret::MASK),
            _ => Self::of_scalar(node),
        }
    }

    fn of_scalar(node: Node<'a>) -> Self {
        match node.kind() {
            Kind::String => Self::stated(node.text()),
            _ => plain(node),
        }
    }

    /// Returns the value of a node of a decoded document.
    pub fn of_decoded(document: &Arc<Document>, node: Node<'_>) -> Self {
        match node.kind() {
            Kind::Mapping | Kind::Sequence => Self::Decoded { document: Arc::clone(document), node: node.index() },
            kind if kind != Kind::Null && node.is_secret() => Self::borrowed(secret::MASK),
            Kind::String => Self::shown(node.text()),
            _ => plain(node),
        }
    }

    /// Returns the text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Str(text) => Some(text.as_str()),
            _ => None,
        }
    }

    /// Returns the node of a mapping or sequence in any document.
    pub fn as_node(&self) -> Option<Node<'_>> {
        match self {
            Self::Node { node, .. } => Some(*node),
            Self::Decoded { document, node } => Some(document.node(*node)),
            _ => None,
        }
    }

    /// Returns true if the value is absent.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Returns true if a `value` or `each` in `unless` counts as found: neither null, false nor empty.
    pub fn is_present(&self) -> bool {
        match self {
            Self::Null | Self::Undecided(_) | Self::Bool(false) => false,
            Self::Node { .. } | Self::Decoded { .. } => self.as_node().is_some_and(|node| !node.is_empty()),
            Self::List(items) => !items.is_empty(),
            Self::Map(entries) => !entries.is_empty(),
            _ => true,
        }
    }

    /// Returns the value without borrowed parts; none if it has a mapping or a list of a document.
    pub(in crate::expr) fn lasting(&self) -> Option<Value<'static>> {
        Some(match self {
            Self::Null => Value::Null,
            Self::Undecided(reason) => Value::Undecided(reason.clone()),
            Self::Bool(value) => Value::Bool(*value),
            Self::Int(value) => Value::Int(*value),
            Self::Double(value) => Value::Double(*value),
            Self::Str(value) => Value::Str(value.lasting()),
            Self::Time(value) => Value::Time(*value),
            Self::Duration(value) => Value::Duration(*value),
            Self::Node { .. } => return None,
            Self::Decoded { document, node } => Value::Decoded { document: Arc::clone(document), node: *node },
            Self::Resource(id) => Value::Resource(*id),
            Self::Hits(group) => Value::Hits(Arc::clone(group)),
            Self::Sequence(group) => Value::Sequence(Arc::clone(group)),
            Self::Events(group) => Value::Events(Arc::clone(group)),
            Self::File(file) => Value::File(Arc::clone(file)),
            Self::List(items) => Value::List(items.iter().map(Value::lasting).collect::<Option<_>>()?),
            Self::Map(entries) => {
                let entries = entries.iter().map(|(name, value)| Some((name.lasting(), value.lasting()?)));
                Value::Map(entries.collect::<Option<_>>()?)
            }
        })
    }

    /// Returns its type, for messages.
    pub fn describe(&self) -> ValueKind {
        match self {
            Self::Null => ValueKind::Null,
            Self::Undecided(_) => ValueKind::Unknown,
            Self::Bool(_) => ValueKind::Boolean,
            Self::Int(_) | Self::Double(_) => ValueKind::Number,
            Self::Str(_) => ValueKind::Text,
            Self::Time(_) => ValueKind::Time,
            Self::Duration(_) => ValueKind::Duration,
            Self::Node { .. } | Self::Decoded { .. } => match self.as_node().map(Node::kind) {
                Some(Kind::Sequence) => ValueKind::List,
                _ => ValueKind::Map,
            },
            Self::Resource(_) => ValueKind::Object,
            Self::Hits(_) => ValueKind::Hits,
            Self::Sequence(_) => ValueKind::Sequence,
            Self::Events(_) => ValueKind::Events,
            Self::File(_) => ValueKind::File,
            Self::List(_) => ValueKind::List,
            Self::Map(_) => ValueKind::Map,
        }
    }
}

/// Reads a boolean, a number or null.
fn plain<'a>(node: Node<'_>) -> Value<'a> {
    match node.kind() {
        Kind::Bool => node.as_bool().map_or(Value::Null, Value::Bool),
        Kind::Number => match node.as_i64() {
            Some(value) => Value::Int(value),
            None => node.as_f64().map_or(Value::Null, Value::Double),
        },
        _ => Value::Null,
    }
}

/// Matches of a sequence that belong together.
#[derive(Clone, Debug)]
pub struct SequenceGroup {
    /// Values that conditions between steps compare for equality; without conditions the logs of the steps.
    pub key: Vec<String>,
    /// Number of matches.
    pub count: u64,
    pub first: Timestamp,
    pub last: Timestamp,
    /// Last match: present steps by name, in their order.
    pub steps: Vec<(String, Arc<HitGroup>)>,
    /// The first match.
    pub earliest: Vec<Arc<HitGroup>>,
}

impl SequenceGroup {
    /// Returns the hits of its first and last match.
    pub fn hits(&self) -> impl Iterator<Item = &Arc<HitGroup>> {
        let last = self.steps.iter().map(|(_, hits)| hits);
        self.earliest.iter().filter(|_| self.count > 1).chain(last)
    }
}

/// Events of one group; without `by` and captures each event is its own group.
#[derive(Clone, Debug)]
pub struct EventGroup {
    /// Resources of the events; the event that supplies the texts comes last.
    pub events: Vec<ResourceId>,
    pub key: Vec<String>,
    pub reason: String,
    pub message: String,
    pub type_: String,
    pub object: ObjectRef,
    pub captures: BTreeMap<String, String>,
    /// Distinct values of each capture; at most 100 each.
    pub all: BTreeMap<String, BTreeSet<String>>,
    /// Sum over the events; with `distinct`, the number of values.
    pub count: u64,
    pub first: Option<Timestamp>,
    pub last: Option<Timestamp>,
}

/// Entry that a file fact matched.
#[derive(Clone, Debug)]
pub struct FileFact {
    /// Path of the entry; for a section, including its name.
    pub path: Arc<str>,
    /// Origin of the entry; for a section, with its first line.
    pub origin: Origin,
    pub node: Option<String>,
    pub text: Arc<str>,
    /// Parsed content; none with `as: text`.
    pub data: Option<Arc<Document>>,
}
