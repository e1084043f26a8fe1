//! Converts arguments and results of functions to the expected types.

use crate::expr::eval::limits::MAX_TEXT;
use crate::expr::eval::stop::{Answer, Stop};
use crate::expr::eval::value::Value;
use crate::expr::nearest::nearest;
use crate::model::message::{ExpectedValue, Reason};

/// Reads the text of an argument.
pub(super) fn text_arg<'v>(args: &'v [Value<'_>], position: usize) -> Result<&'v str, Stop> {
    match args.get(position) {
        Some(Value::Str(text)) => Ok(text.as_str()),
        Some(other) => Err(Stop::expected(other.describe(), ExpectedValue::Text)),
        None => Ok(""),
    }
}

/// Reads the integer of an argument.
pub(super) fn int_arg(args: &[Value<'_>], position: usize) -> Result<Option<i64>, Stop> {
    match args.get(position) {
        Some(Value::Int(number)) => Ok(Some(*number)),
        Some(other) => Err(Stop::expected(other.describe(), ExpectedValue::WholeNumber)),
        None => Ok(None),
    }
}

/// Returns a computed text within the length limit.
pub(super) fn made_text<'a>(text: &str) -> Answer<'a> {
    if text.len() > MAX_TEXT {
        return Err(Stop::undecided(Reason::ValueTooLong { most: MAX_TEXT }));
    }
    Ok(Value::text(text))
}

/// Checks that a constant is a known name; an error has message and hint.
pub(super) fn check_one_of(what: &str, name: &str, known: &[&str]) -> Result<(), (String, Option<String>)> {
    if known.contains(&name) {
        return Ok(());
    }
    let hint = nearest(name, known.iter().copied())
        .map_or_else(|| format!("one of {}", known.join(", ")), |near| format!("did you mean '{near}'?"));
    Err((format!("there is no {what} '{name}'"), Some(hint)))
}
