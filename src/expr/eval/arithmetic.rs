//! `+ - * / %` and negation: absent operands give null, integers and doubles mix, division is exact.

use jiff::Timestamp;

use crate::expr::eval::elements::is_list;
use crate::expr::eval::limits::{MAX_ITEMS, MAX_TEXT};
use crate::expr::eval::member;
use crate::expr::eval::stop::{Answer, Stop};
use crate::expr::eval::time;
use crate::expr::eval::value::{Text, Value};
use crate::expr::eval::world::World;
use crate::expr::parse::ast::Arithmetic;
use crate::model::measure;
use crate::model::message::{Reason, WrongValue};

/// Computes `a operator b`.
pub(in crate::expr) fn compute<'a>(world: &'a World, operator: Arithmetic, a: &Value<'a>, b: &Value<'a>) -> Answer<'a> {
    if a.is_null() || b.is_null() {
        return Ok(with_absent(operator, a, b));
    }
    match (a, b) {
        (Value::Int(x), Value::Int(y)) => Ok(integers(operator, *x, *y)),
        (Value::Int(x), Value::Double(y)) => Ok(doubles(operator, *x as f64, *y)),
        (Value::Double(x), Value::Int(y)) => Ok(doubles(operator, *x, *y as f64)),
        (Value::Double(x), Value::Double(y)) => Ok(doubles(operator, *x, *y)),
        (Value::Str(x), Value::Str(y)) if operator == Arithmetic::Add => concat(x, y),
        (Value::Time(_) | Value::Duration(_), _) | (_, Value::Time(_) | Value::Duration(_)) => times(operator, a, b),
        _ if operator == Arithmetic::Add && is_list(a) && is_list(b) => append(world, a, b),
        _ => Err(mismatch(operator, a, b)),
    }
}

/// Treats an absent list as empty; any other operation with null gives null.
fn with_absent<'a>(operator: Arithmetic, a: &Value<'a>, b: &Value<'a>) -> Value<'a> {
    match operator {
        Arithmetic::Add if is_list(a) => a.clone(),
        Arithmetic::Add if is_list(b) => b.clone(),
        _ => Value::Null,
    }
}

fn mismatch(operator: Arithmetic, a: &Value<'_>, b: &Value<'_>) -> Stop {
    let sign = match operator {
        Arithmetic::Add => "+",
        Arithmetic::Subtract => "-",
        Arithmetic::Multiply => "*",
        Arithmetic::Divide => "/",
        Arithmetic::Remainder => "%",
    };
    Stop::wrong(WrongValue::NoMeaning { left: a.describe(), sign, right: b.describe() })
}

/// Computes with integers; results beyond 64 bits become doubles. Division by zero gives null.
fn integers<'a>(operator: Arithmetic, a: i64, b: i64) -> Value<'a> {
    let exact = match operator {
        Arithmetic::Add => a.checked_add(b),
        Arithmetic::Subtract => a.checked_sub(b),
        Arithmetic::Multiply => a.checked_mul(b),
        Arithmetic::Divide | Arithmetic::Remainder if b == 0 => return Value::Null,
        Arithmetic::Divide => a.checked_rem(b).filter(|rest| *rest == 0).and_then(|_| a.checked_div(b)),
        // Only the smallest integer by -1 overflows; its remainder is 0.
        Arithmetic::Remainder => return Value::Int(a.checked_rem(b).unwrap_or(0)),
    };
    exact.map_or_else(|| doubles(operator, a as f64, b as f64), Value::Int)
}

fn doubles<'a>(operator: Arithmetic, a: f64, b: f64) -> Value<'a> {
    let result = match operator {
        Arithmetic::Add => a + b,
        Arithmetic::Subtract => a - b,
        Arithmetic::Multiply => a * b,
        Arithmetic::Divide => a / b,
        Arithmetic::Remainder => a % b,
    };
    number(result)
}

/// Converts a double to an integer if it is whole; null for NaN and infinity.
pub(in crate::expr) fn number<'a>(value: f64) -> Value<'a> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if !value.is_finite() {
        Value::Null
    } else if value.fract() == 0.0 && value.abs() <= EXACT {
        Value::Int(value as i64)
    } else {
        Value::Double(value)
    }
}

fn concat<'a>(a: &Text<'a>, b: &Text<'a>) -> Answer<'a> {
    if a.as_str().len() + b.as_str().len() > MAX_TEXT {
        return Err(Stop::undecided(Reason::ValueTooLong { most: MAX_TEXT }));
    }
    Ok(Value::text(&[a.as_str(), b.as_str()].concat()))
}

fn append<'a>(world: &'a World, a: &Value<'a>, b: &Value<'a>) -> Answer<'a> {
    let mut items = member::values(world, a)?;
    items.extend(member::values(world, b)?);
    if items.len() > MAX_ITEMS {
        return Err(Stop::undecided(Reason::ListTooLong { most: MAX_ITEMS }));
    }
    Ok(Value::list(items))
}

/// Computes with times and durations; a text next to a time counts as a time, because objects hold times as texts.
fn times<'a>(operator: Arithmetic, a: &Value<'a>, b: &Value<'a>) -> Answer<'a> {
    let result = match (operator, a, b) {
        (Arithmetic::Add, Value::Duration(x), Value::Duration(y)) => x.checked_add(*y).map(Value::Duration),
        (Arithmetic::Subtract, Value::Duration(x), Value::Duration(y)) => x.checked_sub(*y).map(Value::Duration),
        (Arithmetic::Divide, Value::Duration(x), Value::Duration(y)) => Some(number(x.as_secs_f64() / y.as_secs_f64())),
        (Arithmetic::Multiply | Arithmetic::Divide, Value::Duration(_), _) => scaled(operator, a, b),
        (Arithmetic::Multiply, _, Value::Duration(_)) => scaled(operator, b, a),
        (Arithmetic::Subtract, Value::Time(_) | Value::Str(_), Value::Time(_) | Value::Str(_)) => {
            let (Some(x), Some(y)) = (moment(a)?, moment(b)?) else { return Ok(Value::Null) };
            Some(Value::Duration(x.duration_since(y)))
        }
        (Arithmetic::Add, Value::Duration(x), other) | (Arithmetic::Add, other, Value::Duration(x)) => {
            let Some(time) = moment(other)? else { return Ok(Value::Null) };
            time.checked_add(*x).ok().map(Value::Time)
        }
        (Arithmetic::Subtract, other, Value::Duration(x)) => {
            let Some(time) = moment(other)? else { return Ok(Value::Null) };
            time.checked_sub(*x).ok().map(Value::Time)
        }
        _ => return Err(mismatch(operator, a, b)),
    };
    result.ok_or_else(|| mismatch(operator, a, b))
}

fn moment(value: &Value<'_>) -> Result<Option<Timestamp>, Stop> {
    time::time_of_value(value).map_err(Stop::wrong)
}

fn scaled<'a>(operator: Arithmetic, duration: &Value<'a>, by: &Value<'a>) -> Option<Value<'a>> {
    let Value::Duration(duration) = duration else { return None };
    let factor = match by {
        Value::Int(number) => *number as f64,
        Value::Double(number) => *number,
        _ => return None,
    };
    let nanos = duration.as_secs_f64() * 1e9;
    let scaled = if operator == Arithmetic::Divide { nanos / factor } else { nanos * factor };
    // Durations of 1e27 ns and more are rejected.
    (scaled.abs() < 1e27).then(|| measure::from_nanos(scaled.round() as i128)).flatten().map(Value::Duration)
}

/// Computes `-a`.
pub(in crate::expr) fn negate<'a>(value: &Value<'a>) -> Answer<'a> {
    match value {
        Value::Null => Ok(Value::Null),
        Value::Int(number) => Ok(number.checked_neg().map_or(Value::Double(-(*number as f64)), Value::Int)),
        Value::Double(number) => Ok(Value::Double(-number)),
        Value::Duration(duration) => Ok(duration.checked_neg().map_or(Value::Null, Value::Duration)),
        other => Err(Stop::wrong(WrongValue::NotNegatable { found: other.describe() })),
    }
}
