//! Values of loops that read nothing of a combination, such as `nodes.map(n, n.metadata.name)`: computed once for a rule, and
//! hashed for `in`, because 20,000 combinations would each walk through 20,000 nodes.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::expr::eval::compare::Key;
use crate::expr::eval::value::Value;
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
    /// Positions of the items of which a part is undecided.
    undecided: Vec<usize>,
}

impl ClosedLoops {
    pub fn get(&self, number: u64) -> Option<Arc<ClosedLoop>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&number).cloned()
    }

    /// Keeps a value, unless it has parts of documents that are only borrowed.
    pub fn keep(&self, number: u64, value: Result<&Value<'_>, &SharedReason>) {
        let value = match value {
            Ok(value) => match value.lasting() {
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
        let Value::List(items) = self.value.as_ref().map_err(SharedReason::clone)? else { return Ok(false) };
        let members = self.members.get_or_init(|| Members::of(items));
        match wanted.key() {
            Ok(Some(key)) if members.keys.contains(&key) => Ok(true),
            Ok(Some(_)) => any_equals(wanted, members.undecided.iter().filter_map(|position| items.get(*position))),
            Ok(None) => Ok(false),
            Err(_) => any_equals(wanted, items.iter()),
        }
    }
}

fn any_equals<'v>(wanted: &Value<'_>, items: impl Iterator<Item = &'v Value<'static>>) -> Result<bool, SharedReason> {
    let mut undecided = None;
    for item in items {
        match item.equals(wanted) {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            Err(reason) => undecided = undecided.or(Some(reason)),
        }
    }
    undecided.map_or(Ok(false), Err)
}

impl Members {
    fn of(items: &[Value<'_>]) -> Self {
        let (mut keys, mut undecided) = (HashSet::new(), Vec::new());
        for (position, item) in items.iter().enumerate() {
            match item.key() {
                Ok(key) => keys.extend(key),
                Err(_) => undecided.push(position),
            }
        }
        Self { keys, undecided }
    }
}
