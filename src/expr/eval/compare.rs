//! Equality, order and hash keys of values.
//!
//! [`Value::equals`] and [`Key`] agree: two present values are equal exactly if both have a key and the keys are equal,
//! so a hash join finds the same pairs as `==`. A list or map with a part that nobody knows has no key; it differs from
//! another one only if a part that is known differs.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

use crate::resource::ResourceId;
use crate::yaml::{Kind, Node};

use crate::expr::eval::elements::visit_collection;
use crate::expr::eval::stop::Stop;
use crate::expr::eval::time;
use crate::expr::eval::value::Value;
use crate::model::message::{SharedReason, WrongValue};

/// Canonical form of a value for hash joins; an integer and a double of the same number have the same key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    Bool(bool),
    Int(i64),
    /// Bits of a double that is not an integer.
    Double(u64),
    /// Text, or a time as the API prints it.
    Text(Box<str>),
    /// Nanoseconds.
    Duration(i128),
    Resource(ResourceId),
    List(Vec<Key>),
    Map(BTreeMap<Box<str>, Key>),
}

/// The key of a value; none for values that equal nothing (null, NaN, hits), the reason if a part is undecided.
type KeyAnswer = Result<Option<Key>, SharedReason>;

impl Value<'_> {
    /// Returns the key of equal values; none for values that equal nothing (null, NaN, hits).
    ///
    /// # Errors
    ///
    /// The reason why the value or a part of it is undecided.
    pub fn key(&self) -> KeyAnswer {
        match self {
            Self::Bool(value) => Ok(Some(Key::Bool(*value))),
            Self::Int(value) => Ok(Some(Key::Int(*value))),
            Self::Double(value) => Ok(double_key(*value)),
            Self::Str(text) => Ok(Some(Key::Text(text.as_str().into()))),
            Self::Time(value) => Ok(Some(Key::Text(time::print(*value).into()))),
            Self::Duration(value) => Ok(Some(Key::Duration(value.as_nanos()))),
            Self::Resource(id) => Ok(Some(Key::Resource(*id))),
            Self::Undecided(reason) => Err(reason.clone()),
            Self::Node { .. } | Self::Decoded { .. } => self.as_node().map_or(Ok(None), node_key),
            Self::List(items) => list_key(items.iter().map(Value::key)),
            Self::Map(entries) => map_key(entries.iter().map(|(name, value)| (name.as_str().into(), value.key()))),
            Self::Null | Self::Hits(_) | Self::Sequence(_) | Self::Events(_) | Self::File(_) => Ok(None),
        }
    }

    /// Returns the keys for which `x in self` holds: items of a list or names of a map.
    ///
    /// # Errors
    ///
    /// The reason why an item is undecided.
    pub fn member_keys(&self) -> Result<Vec<Key>, SharedReason> {
        let known = |keys: &mut dyn Iterator<Item = KeyAnswer>| keys.filter_map(Result::transpose).collect();
        match self {
            Self::List(items) => known(&mut items.iter().map(Value::key)),
            Self::Map(entries) => Ok(entries.iter().map(|(name, _)| Key::Text(name.as_str().into())).collect()),
            _ => match self.as_node() {
                Some(node) if node.kind() == Kind::Mapping => {
                    Ok(node.entries().map(|(name, _)| Key::Text(name.as_ref().into())).collect())
                }
                Some(node) => known(&mut node.items().map(node_key)),
                None => Ok(Vec::new()),
            },
        }
    }

    /// Returns true if both are present and equal; integers and doubles mix, text never equals a number.
    ///
    /// # Errors
    ///
    /// The reason why a part on which the answer depends is undecided.
    pub fn equals(&self, other: &Value<'_>) -> Result<bool, SharedReason> {
        match (self, other) {
            (Self::Str(a), Value::Str(b)) => Ok(a.as_str() == b.as_str()),
            (Self::Bool(a), Value::Bool(b)) => Ok(a == b),
            (Self::Int(a), Value::Int(b)) => Ok(a == b),
            (Self::Double(a), Value::Double(b)) => Ok(a == b),
            (Self::Time(a), Value::Time(b)) => Ok(a == b),
            (Self::Resource(a), Value::Resource(b)) => Ok(a == b),
            (Self::Null, _) | (_, Value::Null) => Ok(false),
            _ => match (self.key(), other.key()) {
                (Ok(None), _) | (_, Ok(None)) => Ok(false),
                (Ok(a), Ok(b)) => Ok(a == b),
                (Err(reason), _) | (_, Err(reason)) => same_parts(self, other).unwrap_or(Err(reason)),
            },
        }
    }

    /// Orders two values; `Err` if they have no order, `Ok(None)` if one is absent or NaN.
    pub(in crate::expr) fn order(&self, other: &Value<'_>) -> Result<Option<Ordering>, WrongValue> {
        match (self, other) {
            (Self::Null, _) | (_, Value::Null) => Ok(None),
            (Self::Int(a), Value::Int(b)) => Ok(Some(a.cmp(b))),
            (Self::Int(a), Value::Double(b)) => Ok(order_mixed(*a, *b)),
            (Self::Double(a), Value::Int(b)) => Ok(order_mixed(*b, *a).map(Ordering::reverse)),
            (Self::Double(a), Value::Double(b)) => Ok(a.partial_cmp(b)),
            (Self::Str(a), Value::Str(b)) => Ok(Some(a.as_str().cmp(b.as_str()))),
            (Self::Duration(a), Value::Duration(b)) => Ok(Some(a.cmp(b))),
            (Self::Bool(a), Value::Bool(b)) => Ok(Some(a.cmp(b))),
            (Self::Time(_), _) | (_, Value::Time(_)) => order_times(self, other),
            _ => Err(WrongValue::NoOrder { left: self.describe(), right: other.describe() }),
        }
    }
}

/// Compares lists or maps of which a part is undecided; none if one of the values has no parts.
///
/// Recursion is bounded: values of rules and documents nest at most [`crate::yaml::tape::MAX_DEPTH`] deep.
fn same_parts(a: &Value<'_>, b: &Value<'_>) -> Option<Result<bool, SharedReason>> {
    let is_undecided = |value: &Value<'_>| matches!(value, Value::Undecided(_));
    let (parts, others) = match (parts(a), parts(b)) {
        (Some(parts), Some(others)) => (parts, others),
        _ if is_undecided(a) || is_undecided(b) => return None,
        _ => return Some(Ok(false)),
    };
    if !parts.keys().eq(others.keys()) {
        return Some(Ok(false));
    }
    let mut undecided = None;
    for (part, other) in parts.values().zip(others.values()) {
        match part.equals(other) {
            Ok(true) => {}
            Ok(false) => return Some(Ok(false)),
            Err(reason) => undecided = undecided.or(Some(reason)),
        }
    }
    Some(undecided.map_or(Ok(true), Err))
}

/// Returns the items of a list by position or the values of a map by name; none for other values.
fn parts<'a>(value: &Value<'a>) -> Option<BTreeMap<Key, Value<'a>>> {
    let mut parts = BTreeMap::new();
    let is_collection = visit_collection(value, &mut |element| {
        if let Ok(Some(key)) = element.key.key() {
            parts.insert(key, element.value);
        }
        ControlFlow::Continue(())
    });
    is_collection.then_some(parts)
}

fn list_key(keys: impl Iterator<Item = KeyAnswer>) -> KeyAnswer {
    Ok(all_parts(keys)?.map(Key::List))
}

fn map_key(entries: impl Iterator<Item = (Box<str>, KeyAnswer)>) -> KeyAnswer {
    let named = |(name, key): (_, KeyAnswer)| key.map(|key| key.map(|key| (name, key)));
    Ok(all_parts(entries.map(named))?.map(Key::Map))
}

/// Collects the parts of a key. A part that equals nothing decides more than one that is undecided.
fn all_parts<T, C: Default + Extend<T>>(
    parts: impl Iterator<Item = Result<Option<T>, SharedReason>>,
) -> Result<Option<C>, SharedReason> {
    let (mut found, mut undecided) = (C::default(), None);
    for part in parts {
        match part {
            Ok(Some(part)) => found.extend([part]),
            Ok(None) => return Ok(None),
            Err(reason) => undecided = undecided.or(Some(reason)),
        }
    }
    undecided.map_or(Ok(Some(found)), Err)
}

/// Orders times; texts of objects count as times when compared with one.
fn order_times(a: &Value<'_>, b: &Value<'_>) -> Result<Option<Ordering>, WrongValue> {
    match (time::time_of_value(a)?, time::time_of_value(b)?) {
        (Some(a), Some(b)) => Ok(Some(a.cmp(&b))),
        _ => Ok(None),
    }
}

/// 2^63, the first double above all integers.
const LIMIT: f64 = 9_223_372_036_854_775_808.0;

fn order_mixed(int: i64, double: f64) -> Option<Ordering> {
    if double.is_nan() {
        return None;
    }
    if double >= LIMIT {
        return Some(Ordering::Less);
    }
    if double < -LIMIT {
        return Some(Ordering::Greater);
    }
    // The value is in range, so the whole part is an exact integer and the fraction decides ties.
    let whole = double.trunc();
    Some(int.cmp(&(whole as i64)).then_with(|| 0.0_f64.partial_cmp(&(double - whole)).unwrap_or(Ordering::Equal)))
}

fn double_key(value: f64) -> Option<Key> {
    if value.is_nan() {
        return None;
    }
    if value.fract() == 0.0 && (-LIMIT..LIMIT).contains(&value) {
        return Some(Key::Int(value as i64));
    }
    Some(Key::Double(value.to_bits()))
}

/// Recursion is bounded: documents nest at most [`crate::yaml::tape::MAX_DEPTH`] deep.
fn node_key(node: Node<'_>) -> KeyAnswer {
    match node.kind() {
        Kind::Mapping => map_key(node.entries().map(|(name, value)| (name.as_ref().into(), node_key(value)))),
        Kind::Sequence => list_key(node.items().map(node_key)),
        _ => Value::of_node(node, None).key(),
    }
}

/// Sorts by the first of each pair; stable, absent keys last. Keys of different kinds have no order.
pub(in crate::expr) fn member_sort<'a>(items: &mut [(Value<'a>, Value<'a>)]) -> Result<(), Stop> {
    let absent = |value: &Value<'_>| value.is_null() || matches!(value, Value::Double(number) if number.is_nan());
    let mut present = items.iter().map(|(key, _)| key).filter(|key| !absent(key));
    if let Some(first) = present.next() {
        // A sort needs a total order, so every key must be of the first one's kind.
        for key in std::iter::once(first).chain(present) {
            if key.describe() != first.describe() {
                return Err(Stop::wrong(WrongValue::NoOrder { left: key.describe(), right: first.describe() }));
            }
            key.order(first).map_err(Stop::wrong)?;
        }
    }
    items.sort_by(|(a, _), (b, _)| match (absent(a), absent(b)) {
        (false, false) => a.order(b).ok().flatten().unwrap_or(Ordering::Equal),
        (a, b) => a.cmp(&b),
    });
    Ok(())
}
