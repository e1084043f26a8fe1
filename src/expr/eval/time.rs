//! Times and durations as rules write them and reports print them.

use jiff::{SignedDuration, Timestamp, Unit};

use crate::expr::eval::value::Value;
use crate::model::measure;
use crate::model::message::{Operand, WantedValue, WrongValue};

/// Parses a time in RFC 3339; the zero time of Go programs (year 1) is absent.
///
/// # Errors
///
/// Returns an error if the text is not a time.
pub fn parse(text: &str) -> Result<Option<Timestamp>, WrongValue> {
    if text.starts_with("0001-01-01T00:00:00") {
        return Ok(None);
    }
    match text.parse::<Timestamp>() {
        Ok(time) => Ok(Some(time)),
        Err(_) => Err(WrongValue::IsNo { found: Operand::text(text), wanted: WantedValue::TimeInRfc3339 }),
    }
}

/// Returns the time of a value: a time, or a text that is one.
pub(in crate::expr) fn time_of_value(value: &Value<'_>) -> Result<Option<Timestamp>, WrongValue> {
    match value {
        Value::Null => Ok(None),
        Value::Time(time) => Ok(Some(*time)),
        Value::Str(text) => parse(text.as_str()),
        other => Err(WrongValue::IsNo { found: other.describe().into(), wanted: WantedValue::Time }),
    }
}

/// Formats as RFC 3339 in UTC without fraction.
pub fn print(time: Timestamp) -> String {
    // Rounding down stays within the range of times, so the time itself is a safe fallback.
    let options = jiff::TimestampRound::new().smallest(Unit::Second).mode(jiff::RoundMode::Floor);
    time.round(options).unwrap_or(time).to_string()
}

/// Parses a duration such as `3d4h`, `1.5h` or `-90s`.
///
/// # Errors
///
/// Returns an error if the text is not a duration.
pub fn parse_duration(text: &str) -> Result<SignedDuration, WrongValue> {
    measure::duration(text)
        .ok_or_else(|| WrongValue::IsNo { found: Operand::text(text), wanted: WantedValue::Duration })
}

/// Formats a duration for people with its two largest units (`3d4h`, `12m5s`, `0s`).
pub fn print_duration(duration: SignedDuration) -> String {
    let total = duration.as_secs().unsigned_abs();
    if total == 0 {
        let millis = duration.subsec_millis();
        return if millis == 0 { "0s".to_owned() } else { format!("{millis}ms") };
    }
    let parts = [(total / 86_400, 'd'), (total / 3_600 % 24, 'h'), (total / 60 % 60, 'm'), (total % 60, 's')];
    let first = parts.iter().position(|(count, _)| *count > 0).unwrap_or(3);
    let mut text = String::from(if duration.is_negative() { "-" } else { "" });
    for (count, unit) in parts.iter().skip(first).take(2).filter(|(count, _)| *count > 0) {
        text.push_str(&format!("{count}{unit}"));
    }
    text
}
