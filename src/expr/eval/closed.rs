//! Values of loops that read nothing of a combination, such as `nodes.map(n, n.metadata.name)`: computed once for a rule, and
//! hashed for `in`, because 20,000 combinations would each walk through 20,000 nodes.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::expr::eval::compare::Key;
use crate::expr::eval::value::{Text, Value};
use crate::model::message::SharedReason;

/// Values of one rule by the number of their loop.
#[derive(Debug, Default)]
pub(in crate::expr) struct ClosedLoops {
    known: Mutex<BTreeMap<u64, Arc<ClosedLoop>>>,
}

/// Value of a loop, or why it is undecided.
#[derive(Debug)]
pub(in crate::expr) struct ClosedLoop {
    pub value: Result<Value<'static>, SharedReason>,
    members: OnceLock<Members>,
}

#[derive(Debug)]
struct Members {
    keys: HashSet<Key>,
    /// Reason why an item is undecided.
    unknown: Option<SharedReason>,
}

impl ClosedLoops {
    pub fn get(&self, number: u64) -> Option<Arc<ClosedLoop>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&number).cloned()
    }

    /// Keeps a value, unless it has parts of documents that are only borrowed.
    pub fn keep(&self, number: u64, value: Result<&Value<'_>, &SharedReason>) {
        let value = match value {
            Ok(value) => match lasting(value) {
                Some(value) => Ok(value),
                None => return,
            },
            Err(reason) => Err(reason.clone()),
        };
        let found = ClosedLoop { value, members: OnceLock::new() };
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(number, Arc::new(found));
    }
}

impl ClosedLoop {
    /// Returns whether its list has an item that equals a value.
    pub fn contains(&self, wanted: &Value<'_>) -> Result<bool, SharedReason> {
        let list = self.value.as_ref().map_err(SharedReason::clone)?;
        let members = self.members.get_or_init(|| Members::of(list));
        match (wanted.key().is_some_and(|key| members.keys.contains(&key)), &members.unknown) {
            (false, Some(reason)) => Err(reason.clone()),
            (found, _) => Ok(found),
        }
    }
}

impl Members {
    fn of(list: &Value<'_>) -> Self {
        let Value::List(items) = list else { return Self { keys: HashSet::new(), unknown: None } };
        let unknown = items.iter().rev().find_map(|item| match item {
            Value::Undecided(reason) => Some(reason.clone()),
            _ => None,
        });
        Self { keys: items.iter().filter_map(Value::key).collect(), unknown }
    }
}

/// Returns a value without borrowed parts; none if it has a mapping or a list of a document.
fn lasting(value: &Value<'_>) -> Option<Value<'static>> {
    let text = |text: &Text<'_>| match text {
        Text::Borrowed(text) => Text::Shared(Arc::from(*text)),
        Text::Shared(text) => Text::Shared(Arc::clone(text)),
    };
    Some(match value {
        Value::Null => Value::Null,
        Value::Undecided(reason) => Value::Undecided(reason.clone()),
        Value::Bool(value) => Value::Bool(*value),
        Value::Int(value) => Value::Int(*value),
        Value::Double(value) => Value::Double(*value),
        Value::Str(value) => Value::Str(text(value)),
        Value::Time(value) => Value::Time(*value),
        Value::Duration(value) => Value::Duration(*value),
        Value::Node { .. } => return None,
        Value::Decoded { document, node } => Value::Decoded { document: Arc::clone(document), node: *node },
        Value::Resource(id) => Value::Resource(*id),
        Value::Hits(group) => Value::Hits(Arc::clone(group)),
        Value::Sequence(group) => Value::Sequence(Arc::clone(group)),
        Value::Events(group) => Value::Events(Arc::clone(group)),
        Value::File(file) => Value::File(Arc::clone(file)),
        Value::List(items) => Value::List(items.iter().map(lasting).collect::<Option<_>>()?),
        Value::Map(entries) => {
            let entries = entries.iter().map(|(name, value)| Some((text(name), lasting(value)?)));
            Value::Map(entries.collect::<Option<_>>()?)
        }
    })
}
