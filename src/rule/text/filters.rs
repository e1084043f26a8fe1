//! Filters of texts beyond those of the template engine: `bytes`, `percent`, `plural`.

use minijinja::value::{Value, ValueKind};
use minijinja::{Error, ErrorKind, State};

use super::call::call;
use super::marks::UNKNOWN;
use super::print::{decimal, text_of};

/// Filter `bytes`: a number of bytes, or a quantity, in binary units.
pub(super) fn bytes(state: &mut State, value: Value) -> Result<Value, Error> {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let Some(number) = numeric(state, "quantity", &value)? else { return Ok(Value::UNDEFINED) };
    if number.abs() < 1024.0 {
        return Ok(Value::from(format!("{} B", decimal(number, 0))));
    }
    let (mut scaled, mut unit) = (number, "B");
    for next in UNITS {
        if scaled.abs() < 1024.0 {
            break;
        }
        scaled /= 1024.0;
        unit = next;
    }
    Ok(Value::from(format!("{} {unit}", decimal(scaled, 1))))
}

/// Filter `percent`: `{{ x | percent }}` of a number of percent, `{{ part | percent(whole) }}`.
pub(super) fn percent(state: &mut State, value: Value, whole: Option<Value>) -> Result<Value, Error> {
    let share = match whole {
        Some(whole) => call(state, "percent", &[value, whole])?,
        None => value,
    };
    let number = numeric(state, "double", &share)?;
    Ok(number.map_or(Value::UNDEFINED, |number| Value::from(format!("{}%", decimal(number, 1)))))
}

/// Filter `plural`: `{{ n | plural('object', 'objects') }}` is the number with the form that fits it. Of a list it is the
/// number of items, of hits and events their count.
pub(super) fn plural(value: &Value, one: &str, many: &str) -> Result<Value, Error> {
    let number = match value.kind() {
        ValueKind::Seq | ValueKind::Iterable => {
            value.len().map_or_else(|| UNKNOWN.to_owned(), |count| count.to_string())
        }
        _ => text_of(value),
    };
    if number != UNKNOWN && number.parse::<f64>().is_err() {
        return Err(Error::new(ErrorKind::InvalidOperation, format!("plural: \"{number}\" is not a number")));
    }
    let form = if number == "1" { one } else { many };
    Ok(Value::from(format!("{number} {form}")))
}

/// The number that a function makes of a value.
fn numeric(state: &State, function: &str, value: &Value) -> Result<Option<f64>, Error> {
    let made = call(state, function, std::slice::from_ref(value))?;
    if made.is_undefined() {
        return Ok(None);
    }
    f64::try_from(made).map(Some).map_err(|_| Error::new(ErrorKind::InvalidOperation, "a number is expected"))
}
