//! Equality, order and hash keys of values.
//!
//! [`Value::equals`] and [`Key`] agree: two present values are equal exactly if both have a key and the keys are equal,
//! so a hash join finds the same pairs as `==`.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::resource::ResourceId;
use crate::yaml::{Kind, Node};

use crate::expr::eval::stop::Stop;
use crate::expr::eval::time;
use crate::expr::eval::value::Value;
use crate::model::message::WrongValue;

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

impl Value<'_> {
    /// Returns the key of equal values; none for values that equal nothing (null, undecided, NaN, hits).
    pub fn key(&self) -> Option<Key> {
        match self {
            Self::Bool(value) => Some(Key::Bool(*value)),
            Self::Int(value) => Some(Key::Int(*value)),
            Self::Double(value) => double_key(*value),
            Self::Str(text) => Some(Key::Text(text.as_str().into())),
            Self::Time(value) => Some(Key::Text(time::print(*value).into())),
            Self::Duration(value) => Some(Key::Duration(value.as_nanos())),
            Self::Resource(id) => Some(Key::Resource(*id)),
            Self::Node { .. } | Self::Decoded { .. } => self.as_node().and_then(node_key),
            Self::List(items) => items.iter().map(Value::key).collect::<Option<_>>().map(Key::List),
            Self::Map(entries) => {
                let keys = entries.iter().map(|(name, value)| Some((name.as_str().into(), value.key()?)));
                keys.collect::<Option<_>>().map(Key::Map)
            }
            Self::Null | Self::Undecided(_) | Self::Hits(_) | Self::Sequence(_) | Self::Events(_) | Self::File(_) => {
                None
            }
        }
    }

    /// Returns the keys for which `x in self` holds: items of a list or names of a map.
    pub fn member_keys(&self) -> Vec<Key> {
        match self {
            Self::List(items) => items.iter().filter_map(Value::key).collect(),
            Self::Map(entries) => entries.iter().map(|(name, _)| Key::Text(name.as_str().into())).collect(),
            _ => match self.as_node() {
                Some(node) if node.kind() == Kind::Mapping => {
                    node.entries().map(|(name, _)| Key::Text(name.as_ref().into())).collect()
                }
                Some(node) => node.items().filter_map(node_key).collect(),
                None => Vec::new(),
            },
        }
    }

    /// Returns true if both are present and equal; integers and doubles mix, text never equals a number.
    pub fn equals(&self, other: &Value<'_>) -> bool {
        match (self, other) {
            (Self::Str(a), Value::Str(b)) => a.as_str() == b.as_str(),
            (Self::Bool(a), Value::Bool(b)) => a == b,
            (Self::Int(a), Value::Int(b)) => a == b,
            (Self::Double(a), Value::Double(b)) => a == b,
            (Self::Time(a), Value::Time(b)) => a == b,
            (Self::Resource(a), Value::Resource(b)) => a == b,
            (Self::Null, _) | (_, Value::Null) => false,
            _ => same_key(self.key(), &other.key()),
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

fn same_key(a: Option<Key>, b: &Option<Key>) -> bool {
    a.is_some() && a == *b
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
fn node_key(node: Node<'_>) -> Option<Key> {
    match node.kind() {
        Kind::Mapping => node
            .entries()
            .map(|(name, value)| Some((name.as_ref().into(), node_key(value)?)))
            .collect::<Option<_>>()
            .map(Key::Map),
        Kind::Sequence => node.items().map(node_key).collect::<Option<_>>().map(Key::List),
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
