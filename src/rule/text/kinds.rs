//! Tests of texts: `x is defined`.

use crate::expr::Value;

use super::value::is_list;

/// A test by its name, with the number of its arguments.
#[derive(Debug)]
pub(super) struct Kind {
    pub name: &'static str,
    pub arguments: usize,
    pub holds: for<'v, 'a> fn(&'v Value<'a>, &'v [Value<'a>]) -> bool,
}

/// Tests of texts.
const KINDS: &[Kind] = &[
    kind("defined", |value, _| !value.is_null()),
    kind("undefined", |value, _| value.is_null()),
    kind("none", |value, _| value.is_null()),
    kind("string", |value, _| value.as_str().is_some()),
    kind("boolean", |value, _| matches!(value, Value::Bool(_))),
    kind("number", |value, _| matches!(value, Value::Int(_) | Value::Double(_))),
    kind("integer", |value, _| matches!(value, Value::Int(_))),
    kind("float", |value, _| matches!(value, Value::Double(_))),
    kind("sequence", |value, _| is_list(value)),
    kind("iterable", |value, _| is_list(value)),
    kind("mapping", |value, _| matches!(value, Value::Map(_)) || (value.as_node().is_some() && !is_list(value))),
    kind("odd", |value, _| matches!(value, Value::Int(number) if number % 2 != 0)),
    kind("even", |value, _| matches!(value, Value::Int(number) if number % 2 == 0)),
    kind("true", |value, _| matches!(value, Value::Bool(true))),
    kind("false", |value, _| matches!(value, Value::Bool(false))),
    with_argument("eq", equals_all),
    with_argument("equalto", equals_all),
    with_argument("divisibleby", |value, others| match (value, others.first()) {
        (Value::Int(number), Some(Value::Int(by))) => number.checked_rem(*by) == Some(0),
        _ => false,
    }),
    with_argument("startingwith", |value, others| both(value, others, |a, b| a.starts_with(b))),
    with_argument("endingwith", |value, others| both(value, others, |a, b| a.ends_with(b))),
];

fn equals_all(value: &Value<'_>, others: &[Value<'_>]) -> bool {
    others.iter().all(|other| value.equals(other).unwrap_or(false))
}

const fn kind(name: &'static str, holds: for<'v, 'a> fn(&'v Value<'a>, &'v [Value<'a>]) -> bool) -> Kind {
    Kind { name, arguments: 0, holds }
}

const fn with_argument(name: &'static str, holds: for<'v, 'a> fn(&'v Value<'a>, &'v [Value<'a>]) -> bool) -> Kind {
    Kind { name, arguments: 1, holds }
}

fn both(value: &Value<'_>, others: &[Value<'_>], holds: fn(&str, &str) -> bool) -> bool {
    let pair = value.as_str().zip(others.first().and_then(Value::as_str));
    pair.is_some_and(|(a, b)| holds(a, b))
}

/// Finds a test.
pub(super) fn find(name: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.name == name)
}
