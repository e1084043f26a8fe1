//! Evaluates a filter: all outputs in their order, until an error or until the steps are used up.

use std::borrow::Cow;
use std::cmp::Ordering;

use jaq_core::ops::Cmp;
use serde_json::{Map, Value};

use super::compile::{Access, Node, PathStep, Plain};

/// Number of bytes of a text that one step reads.
const BYTES: usize = 16;

/// Reason why there are no further outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// An error of jq: the input has no such part, is of the wrong kind...
    Error,
    Steps,
}

/// Parts of the line, and of the filter, are borrowed; only scalars are owned.
type Output<'v> = Cow<'v, Value>;
type Outputs<'v> = Vec<Output<'v>>;

/// Returns whether a value is neither null nor false.
pub fn is_true(value: &Value) -> bool {
    !matches!(value, Value::Null | Value::Bool(false))
}

/// One evaluation.
pub struct FilterRun {
    steps: usize,
}

impl FilterRun {
    pub fn new(steps: usize) -> Self {
        Self { steps }
    }

    fn spend(&mut self, bytes: usize) -> Result<(), Stop> {
        self.steps = self.steps.checked_sub(1 + bytes / BYTES).ok_or(Stop::Steps)?;
        Ok(())
    }

    /// Adds the outputs for an input; those before an error are kept.
    pub fn node<'v>(&mut self, node: &'v Node, input: Output<'v>, out: &mut Outputs<'v>) -> Result<(), Stop> {
        self.spend(0)?;
        match node {
            Node::Input => out.push(input),
            Node::Everything => self.everything(input, out)?,
            Node::Constant(value) => out.push(Cow::Borrowed(value)),
            Node::Path(of, steps) => {
                let (values, ended) = self.outputs(of, input);
                for value in values {
                    self.path(value, steps, out)?;
                }
                ended?;
            }
            Node::Pipe(left, right) => {
                let (values, ended) = self.outputs(left, input);
                for value in values {
                    self.node(right, value, out)?;
                }
                ended?;
            }
            Node::Both(left, right) => {
                self.node(left, input.clone(), out)?;
                self.node(right, input, out)?;
            }
            Node::Otherwise(left, right) => {
                let (mut values, ended) = self.outputs(left, input.clone());
                values.retain(|value| is_true(value));
                match ended {
                    Err(Stop::Steps) => return ended,
                    _ if values.is_empty() => self.node(right, input, out)?,
                    _ => out.append(&mut values),
                }
            }
            Node::And(left, right) => self.logic(false, (left, right), input, out)?,
            Node::Or(left, right) => self.logic(true, (left, right), input, out)?,
            Node::Compare(left, comparison, right) => self.compare((left, *comparison, right), input, out)?,
            Node::Try(of) => match self.node(of, input, out) {
                Err(Stop::Error) => {}
                ended => ended?,
            },
            Node::Select(condition) => {
                let (values, ended) = self.outputs(condition, input.clone());
                let kept = values.iter().filter(|value| is_true(value));
                out.extend(kept.map(|_| input.clone()));
                ended?;
            }
            Node::Any(over, condition) => self.quantified(true, (over, condition), input, out)?,
            Node::All(over, condition) => self.quantified(false, (over, condition), input, out)?,
            Node::Test(expression) => {
                let found = self.text(&input)?;
                out.push(bool(expression.is_match(found.as_bytes())));
            }
            Node::Contains(part) => {
                if std::mem::discriminant(&*input) != std::mem::discriminant(part) {
                    return Err(Stop::Error);
                }
                out.push(bool(self.contains(&input, part)?));
            }
            Node::StartsWith(start) => out.push(bool(self.text(&input)?.starts_with(start))),
            Node::EndsWith(end) => out.push(bool(self.text(&input)?.ends_with(end))),
            Node::Has(key) => out.push(bool(has(&input, key)?)),
            Node::Plain(plain) => {
                let value = self.plain(*plain, input)?;
                out.push(value);
            }
        }
        Ok(())
    }

    fn outputs<'v>(&mut self, node: &'v Node, input: Output<'v>) -> (Outputs<'v>, Result<(), Stop>) {
        let mut values = Vec::new();
        let ended = self.node(node, input, &mut values);
        (values, ended)
    }

    /// Adds the value and everything in it; JSON limits the depth.
    fn everything<'v>(&mut self, value: Output<'v>, out: &mut Outputs<'v>) -> Result<(), Stop> {
        self.spend(0)?;
        if let Cow::Borrowed(value) = value {
            out.push(Cow::Borrowed(value));
            for part in parts(value) {
                self.everything(Cow::Borrowed(part), out)?;
            }
        } else {
            out.push(value);
        }
        Ok(())
    }

    fn path<'v>(&mut self, value: Output<'v>, steps: &[PathStep], out: &mut Outputs<'v>) -> Result<(), Stop> {
        self.spend(0)?;
        let Some((step, rest)) = steps.split_first() else {
            out.push(value);
            return Ok(());
        };
        let next = match &step.part {
            Access::Each => match value {
                Cow::Borrowed(list @ (Value::Array(_) | Value::Object(_))) => {
                    return parts(list).try_for_each(|part| self.path(Cow::Borrowed(part), rest, out));
                }
                _ => None,
            },
            Access::Key(key) => member(value, |value| value.as_object().map(|object| object.get(key))),
            Access::Index(index) => member(value, |value| value.as_array().map(|array| at(array, *index))),
        };
        match next {
            Some(next) => self.path(next, rest, out),
            None if step.optional => Ok(()),
            None => Err(Stop::Error),
        }
    }

    /// Evaluates `and` and `or`; if the left side is `decisive`, the right side is not evaluated.
    fn logic<'v>(
        &mut self,
        decisive: bool,
        (left, right): (&'v Node, &'v Node),
        input: Output<'v>,
        out: &mut Outputs<'v>,
    ) -> Result<(), Stop> {
        let (values, ended) = self.outputs(left, input.clone());
        for value in values {
            if is_true(&value) == decisive {
                out.push(bool(decisive));
                continue;
            }
            let (values, ended) = self.outputs(right, input.clone());
            out.extend(values.iter().map(|value| bool(is_true(value))));
            ended?;
        }
        ended
    }

    fn compare<'v>(
        &mut self,
        (left, comparison, right): (&'v Node, Cmp, &'v Node),
        input: Output<'v>,
        out: &mut Outputs<'v>,
    ) -> Result<(), Stop> {
        let (rights, ended) = self.outputs(right, input.clone());
        for right in rights {
            let (lefts, ended) = self.outputs(left, input.clone());
            for left in lefts {
                let order = self.order(&left, &right)?;
                out.push(bool(comparison.run(&order, &Ordering::Equal)));
            }
            ended?;
        }
        ended
    }

    /// Returns whether the condition holds for any, or for all, of the elements.
    fn quantified<'v>(
        &mut self,
        any: bool,
        (over, condition): (&'v Node, &'v Node),
        input: Output<'v>,
        out: &mut Outputs<'v>,
    ) -> Result<(), Stop> {
        let (values, ended) = self.outputs(over, input);
        for value in values {
            let (verdicts, ended) = self.outputs(condition, value);
            if verdicts.iter().any(|verdict| is_true(verdict) == any) {
                out.push(bool(any));
                return Ok(());
            }
            ended?;
        }
        ended?;
        out.push(bool(!any));
        Ok(())
    }

    fn text<'a>(&mut self, value: &'a Value) -> Result<&'a str, Stop> {
        let text = value.as_str().ok_or(Stop::Error)?;
        self.spend(text.len())?;
        Ok(text)
    }

    fn plain<'v>(&mut self, plain: Plain, input: Output<'v>) -> Result<Output<'v>, Stop> {
        let made = match (plain, &*input) {
            (Plain::Not, value) => Value::Bool(!is_true(value)),
            (Plain::Type, value) => Value::from(kind(value)),
            (Plain::Length, value) => self.length(value)?,
            (Plain::ToNumber, Value::Number(_)) | (Plain::ToString, Value::String(_)) => return Ok(input),
            (Plain::ToNumber, Value::String(text)) => {
                self.spend(text.len())?;
                Value::Number(serde_json::from_str(text).map_err(|_| Stop::Error)?)
            }
            (Plain::ToString, value) => {
                let text = value.to_string();
                self.spend(text.len())?;
                Value::String(text)
            }
            (Plain::Downcase, value) => Value::String(self.text(value)?.to_ascii_lowercase()),
            (Plain::ToNumber, _) => return Err(Stop::Error),
        };
        Ok(Cow::Owned(made))
    }

    fn length(&mut self, value: &Value) -> Result<Value, Stop> {
        match value {
            Value::Null => Ok(Value::from(0)),
            Value::Bool(_) => Err(Stop::Error),
            Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
                (Some(_), _, _) => Ok(value.clone()),
                (_, Some(negative), _) => Ok(Value::from(negative.unsigned_abs())),
                (_, _, number) => Ok(Value::from(number.unwrap_or_default().abs())),
            },
            Value::String(_) => Ok(Value::from(self.text(value)?.chars().count())),
            Value::Array(array) => Ok(Value::from(array.len())),
            Value::Object(object) => Ok(Value::from(object.len())),
        }
    }

    /// Tests `contains`: parts of texts, some elements of lists, some keys of objects; else equality.
    fn contains(&mut self, whole: &Value, part: &Value) -> Result<bool, Stop> {
        self.spend(0)?;
        match (whole, part) {
            (Value::String(_), Value::String(part)) => Ok(self.text(whole)?.contains(part)),
            (Value::Array(whole), Value::Array(parts)) => {
                for part in parts {
                    if !self.any_contains(whole, part)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (Value::Object(whole), Value::Object(parts)) => {
                for (key, part) in parts {
                    match whole.get(key) {
                        Some(value) if self.contains(value, part)? => {}
                        _ => return Ok(false),
                    }
                }
                Ok(true)
            }
            _ => Ok(self.order(whole, part)?.is_eq()),
        }
    }

    fn any_contains(&mut self, list: &[Value], part: &Value) -> Result<bool, Stop> {
        for value in list {
            if self.contains(value, part)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// null, false, true, numbers, texts, lists, objects.
    fn order(&mut self, a: &Value, b: &Value) -> Result<Ordering, Stop> {
        self.spend(0)?;
        match (a, b) {
            (Value::Number(a), Value::Number(b)) => Ok(numbers(a, b)),
            (Value::String(a), Value::String(b)) => {
                self.spend(a.len().min(b.len()))?;
                Ok(a.cmp(b))
            }
            (Value::Array(a), Value::Array(b)) => self.order_all(a.iter().zip(b), a.len().cmp(&b.len())),
            (Value::Object(a), Value::Object(b)) => {
                let (a_keys, b_keys) = (self.keys(a)?, self.keys(b)?);
                match a_keys.cmp(&b_keys) {
                    Ordering::Equal => {
                        let values = a_keys.iter().filter_map(|key| Some((a.get(*key)?, b.get(*key)?)));
                        self.order_all(values, Ordering::Equal)
                    }
                    unequal => Ok(unequal),
                }
            }
            _ => Ok(rank(a).cmp(&rank(b))),
        }
    }

    /// Compares by the first pair that differs, else by `rest`.
    fn order_all<'a>(
        &mut self,
        pairs: impl Iterator<Item = (&'a Value, &'a Value)>,
        rest: Ordering,
    ) -> Result<Ordering, Stop> {
        for (a, b) in pairs {
            let order = self.order(a, b)?;
            if order.is_ne() {
                return Ok(order);
            }
        }
        Ok(rest)
    }

    fn keys<'a>(&mut self, object: &'a Map<String, Value>) -> Result<Vec<&'a String>, Stop> {
        let mut keys: Vec<&String> = object.keys().collect();
        let length = keys.iter().map(|key| BYTES + key.len()).sum();
        self.spend(length)?;
        keys.sort_unstable();
        Ok(keys)
    }
}

fn bool(value: bool) -> Output<'static> {
    Cow::Owned(Value::Bool(value))
}

fn parts(value: &Value) -> Box<dyn Iterator<Item = &Value> + '_> {
    match value {
        Value::Array(array) => Box::new(array.iter()),
        Value::Object(object) => Box::new(object.values()),
        _ => Box::new(std::iter::empty()),
    }
}

/// Returns a part of a value, null if it is absent; `None` if the value cannot have such parts.
fn member<'v>(value: Output<'v>, get: impl Fn(&'v Value) -> Option<Option<&'v Value>>) -> Option<Output<'v>> {
    match value {
        Cow::Borrowed(Value::Null) | Cow::Owned(Value::Null) => Some(Cow::Owned(Value::Null)),
        Cow::Borrowed(value) => Some(get(value)?.map_or(Cow::Owned(Value::Null), Cow::Borrowed)),
        Cow::Owned(_) => None,
    }
}

/// Negative positions count from the end.
fn at(array: &[Value], index: i64) -> Option<&Value> {
    let back = usize::try_from(index.unsigned_abs()).ok()?;
    let position = if index < 0 { array.len().checked_sub(back)? } else { back };
    array.get(position)
}

fn has(value: &Value, key: &Value) -> Result<bool, Stop> {
    match (value, key) {
        (Value::Object(object), Value::String(key)) => Ok(object.contains_key(key)),
        (Value::Array(array), Value::Number(index)) => {
            Ok(index.as_u64().and_then(|index| usize::try_from(index).ok()).is_some_and(|index| index < array.len()))
        }
        _ => Err(Stop::Error),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn rank(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bool(false) => 1,
        Value::Bool(true) => 2,
        Value::Number(_) => 3,
        Value::String(_) => 4,
        Value::Array(_) => 5,
        Value::Object(_) => 6,
    }
}

fn numbers(a: &serde_json::Number, b: &serde_json::Number) -> Ordering {
    match (a.as_i64().zip(b.as_i64()), a.as_u64().zip(b.as_u64())) {
        (Some((a, b)), _) => a.cmp(&b),
        (_, Some((a, b))) => a.cmp(&b),
        _ => a.as_f64().unwrap_or_default().total_cmp(&b.as_f64().unwrap_or_default()),
    }
}
