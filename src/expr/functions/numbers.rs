//! Functions that make or compare numbers.

use crate::expr::check::shape::Kind;
use std::cmp::Ordering;

use crate::expr::eval::arithmetic::{compute, number};
use crate::expr::eval::elements::is_list;
use crate::expr::eval::member;
use crate::expr::eval::stop::{Answer, Stop};
use crate::expr::eval::value::Value;
use crate::expr::functions::function::{Caller, Function, LENIENT, Parameter, Returns, STRICT, Takes};
use crate::expr::parse::ast::Arithmetic;
use crate::model::measure;
use crate::model::message::{ExpectedValue, Operand, ValueKind, WantedValue, WrongValue};

/// Functions declared in this file.
pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "quantity",
        parameters: &[Parameter::required("text", Takes::Text).checked(check_quantity)],
        returns: Returns::Kind(Kind::Number),
        doc: "value of a Kubernetes quantity as a number",
        run: quantity,
        options: STRICT.example("quantity('10Gi')"),
    },
    Function {
        name: "percent",
        parameters: &[Parameter::required("part", Takes::Number), Parameter::required("whole", Takes::Number)],
        returns: Returns::Kind(Kind::Number),
        doc: "the part as a percentage of the whole",
        run: percent,
        options: STRICT,
    },
    Function {
        name: "int",
        parameters: &[Parameter::required("x", Takes::Anything)],
        returns: Returns::Kind(Kind::Number),
        doc: "a text, number or time as a whole number",
        run: int,
        options: STRICT,
    },
    Function {
        name: "double",
        parameters: &[Parameter::required("x", Takes::Anything)],
        returns: Returns::Kind(Kind::Number),
        doc: "a text as a number",
        run: double,
        options: STRICT,
    },
    Function {
        name: "sum",
        parameters: &[Parameter::required("list", Takes::List)],
        returns: Returns::Kind(Kind::Number),
        doc: "sum of numbers or durations; 0 for an empty list",
        run: sum,
        options: LENIENT,
    },
    Function {
        name: "min",
        parameters: &[Parameter::required("list", Takes::Anything), Parameter::repeated(Takes::Anything)],
        returns: Returns::Anything,
        doc: "smallest; also `min(a, b)`",
        run: least,
        options: LENIENT.aliases(&["math.least"]).example("min(list) or min(a, b)"),
    },
    Function {
        name: "max",
        parameters: &[Parameter::required("list", Takes::Anything), Parameter::repeated(Takes::Anything)],
        returns: Returns::Anything,
        doc: "largest; also `max(a, b)`",
        run: greatest,
        options: LENIENT.aliases(&["math.greatest"]).example("max(list) or max(a, b)"),
    },
    Function {
        name: "abs",
        parameters: &[Parameter::required("x", Takes::Number)],
        returns: Returns::Kind(Kind::Number),
        doc: "absolute value",
        run: abs,
        options: STRICT.aliases(&["math.abs"]),
    },
    Function {
        name: "math.ceil",
        parameters: &[Parameter::required("x", Takes::Number)],
        returns: Returns::Kind(Kind::Number),
        doc: "rounded up",
        run: ceil,
        options: STRICT,
    },
    Function {
        name: "math.floor",
        parameters: &[Parameter::required("x", Takes::Number)],
        returns: Returns::Kind(Kind::Number),
        doc: "rounded down",
        run: floor,
        options: STRICT,
    },
    Function {
        name: "math.round",
        parameters: &[Parameter::required("x", Takes::Number)],
        returns: Returns::Kind(Kind::Number),
        doc: "rounded",
        run: round,
        options: STRICT,
    },
];

fn check_quantity(text: &str) -> Result<(), (String, Option<String>)> {
    let hint = "write a number with a unit such as 500m, 10Gi, 1.5G";
    measure::quantity(text).map(drop).ok_or_else(|| (format!("'{text}' is no quantity"), Some(hint.to_owned())))
}

pub(super) fn quantity<'a>(_: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    match args.first() {
        Some(Value::Str(text)) => measure::quantity(text.as_str())
            .map(number)
            .ok_or_else(|| Stop::is_no(Operand::text(text.as_str()), WantedValue::Quantity)),
        Some(value @ (Value::Int(_) | Value::Double(_))) => Ok(value.clone()),
        Some(other) => Err(Stop::is_no(other.describe(), WantedValue::Quantity)),
        None => Ok(Value::Null),
    }
}

/// Returns the first number as a percentage of the second; null if the second is 0.
pub(super) fn percent<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    let [part, whole] = args else { return Ok(Value::Null) };
    let share = compute(caller.world, Arithmetic::Divide, part, whole)?;
    compute(caller.world, Arithmetic::Multiply, &share, &Value::Int(100))
}

pub(super) fn int<'a>(_: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    match args.first() {
        Some(Value::Int(value)) => Ok(Value::Int(*value)),
        Some(Value::Double(value)) => Ok(whole(value.trunc())),
        Some(Value::Time(time)) => Ok(Value::Int(time.as_second())),
        Some(Value::Str(text)) => {
            let text = text.as_str();
            text.trim().parse().map(Value::Int).map_err(|_| Stop::is_no(Operand::text(text), WantedValue::WholeNumber))
        }
        Some(other) => Err(Stop::is_no(other.describe(), WantedValue::Number)),
        None => Ok(Value::Null),
    }
}

pub(super) fn double<'a>(_: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    match args.first() {
        Some(Value::Int(value)) => Ok(Value::Double(*value as f64)),
        Some(Value::Double(value)) => Ok(Value::Double(*value)),
        Some(Value::Str(text)) => match text.as_str().trim().parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Value::Double(value)),
            _ => Err(Stop::is_no(Operand::text(text.as_str()), WantedValue::Number)),
        },
        Some(other) => Err(Stop::is_no(other.describe(), WantedValue::Number)),
        None => Ok(Value::Null),
    }
}

/// Sum of numbers or durations; absent items are skipped, an empty list gives 0.
pub(super) fn sum<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    let mut total = Value::Null;
    for item in items(caller, args)? {
        match (&item, &total) {
            (Value::Null, _) => {}
            (Value::Int(_) | Value::Double(_) | Value::Duration(_), Value::Null) => total = item,
            (Value::Int(_) | Value::Double(_) | Value::Duration(_), _) => {
                total = compute(caller.world, Arithmetic::Add, &total, &item)?;
            }
            (other, _) => return Err(Stop::wrong(WrongValue::NotSummable { found: other.describe() })),
        }
    }
    Ok(if total.is_null() { Value::Int(0) } else { total })
}

/// Returns the items of one list, or the arguments themselves.
fn items<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Result<Vec<Value<'a>>, Stop> {
    match args {
        [Value::Null] => Ok(Vec::new()),
        [list] if is_list(list) => member::values(caller.world, list),
        [Value::Map(_) | Value::Node { .. } | Value::Decoded { .. }] => {
            Err(Stop::expected(ValueKind::Map, ExpectedValue::List))
        }
        _ => Ok(args.to_vec()),
    }
}

pub(super) fn least<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    extreme(caller, args, Ordering::Less)
}

pub(super) fn greatest<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    extreme(caller, args, Ordering::Greater)
}

/// Returns the first item that sorts before (or after) all others; absent ones are left out.
fn extreme<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>], wanted: Ordering) -> Answer<'a> {
    let mut best = Value::Null;
    for item in items(caller, args)? {
        if best.is_null() || item.order(&best).map_err(Stop::wrong)? == Some(wanted) {
            best = item;
        }
    }
    Ok(best)
}

pub(super) fn abs<'a>(_: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    match args.first() {
        Some(Value::Int(value)) => Ok(value.checked_abs().map_or(Value::Double((*value as f64).abs()), Value::Int)),
        Some(Value::Double(value)) => Ok(Value::Double(value.abs())),
        Some(Value::Duration(value)) => Ok(Value::Duration(value.abs())),
        Some(other) => Err(Stop::is_no(other.describe(), WantedValue::Number)),
        None => Ok(Value::Null),
    }
}

pub(super) fn ceil<'a>(_: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    rounded(args, f64::ceil)
}

pub(super) fn floor<'a>(_: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    rounded(args, f64::floor)
}

pub(super) fn round<'a>(_: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    rounded(args, f64::round)
}

fn rounded<'a>(args: &[Value<'a>], how: fn(f64) -> f64) -> Answer<'a> {
    match args.first() {
        Some(Value::Int(value)) => Ok(Value::Int(*value)),
        Some(Value::Double(value)) => Ok(whole(how(*value))),
        Some(other) => Err(Stop::is_no(other.describe(), WantedValue::Number)),
        None => Ok(Value::Null),
    }
}

/// Converts to an integer if it fits.
fn whole<'a>(value: f64) -> Value<'a> {
    // 2^63 is the first double that does not fit.
    if value.abs() < 9_223_372_036_854_775_808.0 { Value::Int(value as i64) } else { number(value) }
}
