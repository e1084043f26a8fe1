//! Walks a path over a value, as `jsonpath.go` of client-go does with missing keys allowed.

use std::borrow::Cow;
use std::cmp::Ordering;

use serde_json::Value;

use super::syntax::{Comparison, Filter, Part, Slice, Step};

/// Most values that a template may visit: `..` and ranges in ranges multiply.
const MAX_VISITS: u64 = 20_000_000;

/// Values that one part of a template finds.
pub type Found<'v> = Vec<Cow<'v, Value>>;

type Fault = (usize, String);

/// A walk with its account of visited values.
#[derive(Default)]
pub(super) struct Walk {
    visits: u64,
}

impl Walk {
    /// Finds the values of each part.
    pub(super) fn parts<'v>(&mut self, parts: &[Part], value: &Cow<'v, Value>) -> Result<Vec<Found<'v>>, Fault> {
        let mut found = Vec::new();
        for part in parts {
            match part {
                Part::Path(steps, at) => found.push(self.path(steps, *at, vec![value.clone()])?),
                Part::Range { of, at, body } => {
                    for item in self.path(of, *at, vec![value.clone()])? {
                        found.extend(self.parts(body, &item)?);
                    }
                }
            }
        }
        Ok(found)
    }

    fn path<'v>(&mut self, steps: &[Step], at: usize, mut current: Found<'v>) -> Result<Found<'v>, Fault> {
        for step in steps {
            current = self.step(step, at, current)?;
            self.visit(current.len(), at)?;
        }
        Ok(current)
    }

    fn visit(&mut self, values: usize, at: usize) -> Result<(), Fault> {
        self.visits = self.visits.saturating_add(1 + values as u64);
        if self.visits > MAX_VISITS {
            Err((at, format!("a path that visits more than {MAX_VISITS} values")))
        } else {
            Ok(())
        }
    }

    fn step<'v>(&mut self, step: &Step, at: usize, current: Found<'v>) -> Result<Found<'v>, Fault> {
        match step {
            Step::Text(text) => Ok(vec![Cow::Owned(Value::String(text.clone()))]),
            Step::Number(number) => Ok(vec![Cow::Owned(Value::Number(number.clone()))]),
            Step::Bool(set) => Ok(vec![Cow::Owned(Value::Bool(*set))]),
            Step::Field(name) => Ok(current.into_iter().filter_map(|value| field(value, name)).collect()),
            Step::All => Ok(current.into_iter().flat_map(children).collect()),
            Step::Below => {
                let mut found = Vec::new();
                current.into_iter().try_for_each(|value| self.below(value, at, &mut found))?;
                Ok(found)
            }
            Step::Slice(slice) => {
                let parts: Result<Vec<_>, _> = current.into_iter().map(|value| sliced(value, *slice, at)).collect();
                Ok(parts?.into_iter().flatten().collect())
            }
            Step::Union(paths) => {
                let mut found = Vec::new();
                for path in paths {
                    found.extend(self.path(path, at, current.clone())?);
                }
                Ok(found)
            }
            Step::Filter(filter) => {
                let mut found = Vec::new();
                for value in current {
                    for item in items(value, at, "filtered")? {
                        self.visit(1, at)?;
                        if self.holds(filter, at, &item)? {
                            found.push(item);
                        }
                    }
                }
                Ok(found)
            }
        }
    }

    /// Adds a collection and those below it, outermost first. Depth is that of the document, which readers have bounded.
    fn below<'v>(&mut self, value: Cow<'v, Value>, at: usize, found: &mut Found<'v>) -> Result<(), Fault> {
        let below = children(value.clone());
        self.visit(below.len(), at)?;
        if !below.is_empty() {
            found.push(value);
        }
        below.into_iter().try_for_each(|child| self.below(child, at, found))
    }

    fn holds(&mut self, filter: &Filter, at: usize, item: &Value) -> Result<bool, Fault> {
        let left = self.path(&filter.left, at, vec![Cow::Borrowed(item)])?;
        let Some((comparison, right)) = &filter.compared else { return Ok(!left.is_empty()) };
        let right = self.path(right, at, vec![Cow::Borrowed(item)])?;
        match (left.as_slice(), right.as_slice()) {
            ([], _) | (_, []) => Ok(false),
            ([left], [right]) => compared(*comparison, left, right).map_err(|what| (at, what)),
            _ => Err((at, "a comparison of more than one value".to_owned())),
        }
    }
}

fn field<'v>(value: Cow<'v, Value>, name: &str) -> Option<Cow<'v, Value>> {
    match value {
        Cow::Borrowed(value) => value.as_object()?.get(name).map(Cow::Borrowed),
        Cow::Owned(Value::Object(mut map)) => map.shift_remove(name).map(Cow::Owned),
        Cow::Owned(_) => None,
    }
}

fn children(value: Cow<'_, Value>) -> Found<'_> {
    match value {
        Cow::Borrowed(Value::Array(items)) => items.iter().map(Cow::Borrowed).collect(),
        Cow::Borrowed(Value::Object(map)) => map.values().map(Cow::Borrowed).collect(),
        Cow::Owned(Value::Array(items)) => items.into_iter().map(Cow::Owned).collect(),
        Cow::Owned(Value::Object(map)) => map.into_iter().map(|(_, value)| Cow::Owned(value)).collect(),
        _ => Vec::new(),
    }
}

/// Returns the items of a list; null has none.
fn items<'v>(value: Cow<'v, Value>, at: usize, what: &str) -> Result<Found<'v>, Fault> {
    match &*value {
        Value::Null => Ok(Vec::new()),
        Value::Array(_) => Ok(children(value)),
        _ => Err((at, format!("a value that is no list is {what}"))),
    }
}

fn sliced<'v>(value: Cow<'v, Value>, slice: Slice, at: usize) -> Result<Found<'v>, Fault> {
    if value.is_null() {
        return Ok(Vec::new());
    }
    let items = items(value, at, "indexed")?;
    let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
    let from = if slice.from < 0 { slice.from.saturating_add(length) } else { slice.from };
    let to = match slice.to {
        None => length,
        Some(to) if to < 0 => to.saturating_add(length),
        Some(to) => to,
    };
    if from == to {
        return Ok(Vec::new());
    }
    let outside = |index: i64| Err((at, format!("the index {index} is outside of a list of {length}")));
    if from < 0 || from >= length {
        return outside(if slice.is_index { slice.from } else { from });
    }
    if to < 0 || to > length {
        return outside(to.saturating_sub(1));
    }
    if from > to {
        return Err((at, format!("the slice begins at {from}, after its end {to}")));
    }
    let (from, count) = (usize::try_from(from).unwrap_or_default(), usize::try_from(to - from).unwrap_or_default());
    let by = usize::try_from(slice.by).unwrap_or(usize::MAX);
    Ok(items.into_iter().skip(from).take(count).step_by(by).collect())
}

/// Compares two scalars of one type; whole and other numbers are one type.
fn compared(comparison: Comparison, left: &Value, right: &Value) -> Result<bool, String> {
    let order = match (left, right) {
        (Value::String(left), Value::String(right)) => Some(left.cmp(right)),
        (Value::Number(left), Value::Number(right)) => match (left.as_i64(), right.as_i64()) {
            (Some(left), Some(right)) => Some(left.cmp(&right)),
            _ => left.as_f64().zip(right.as_f64()).and_then(|(left, right)| left.partial_cmp(&right)),
        },
        (Value::Bool(left), Value::Bool(right)) if is_equality(comparison) => Some(left.cmp(right)),
        _ => None,
    };
    let Some(order) = order else {
        return Err(format!("{} cannot be compared with {}", kind(left), kind(right)));
    };
    Ok(match comparison {
        Comparison::Less => order == Ordering::Less,
        Comparison::LessOrEqual => order != Ordering::Greater,
        Comparison::Greater => order == Ordering::Greater,
        Comparison::GreaterOrEqual => order != Ordering::Less,
        Comparison::Equal => order == Ordering::Equal,
        Comparison::NotEqual => order != Ordering::Equal,
    })
}

fn is_equality(comparison: Comparison) -> bool {
    matches!(comparison, Comparison::Equal | Comparison::NotEqual)
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
