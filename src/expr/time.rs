//! Times and durations as rules write them and as reports print them.

use jiff::{SignedDuration, Timestamp, Unit};

use super::value::Value;

/// A time in RFC 3339; the zero time of Go programs (year 1) is absent.
///
/// # Errors
/// The text is no time.
pub fn parse(text: &str) -> Result<Option<Timestamp>, String> {
    if text.starts_with("0001-01-01T00:00:00") {
        return Ok(None);
    }
    match text.parse::<Timestamp>() {
        Ok(time) => Ok(Some(time)),
        Err(_) => Err(format!("{} is no time in RFC 3339", shorten(text))),
    }
}

/// The time a value stands for: a time, or a text that is one.
pub(super) fn of_value(value: &Value<'_>) -> Result<Option<Timestamp>, String> {
    match value {
        Value::Null => Ok(None),
        Value::Time(time) => Ok(Some(*time)),
        Value::Str(text) => parse(text.as_str()),
        other => Err(format!("{} is no time", other.describe())),
    }
}

/// RFC 3339 in UTC without fraction.
pub fn print(time: Timestamp) -> String {
    // Rounding down cannot leave the range of times, so the time itself is a safe fallback.
    let options = jiff::TimestampRound::new().smallest(Unit::Second).mode(jiff::RoundMode::Floor);
    time.round(options).unwrap_or(time).to_string()
}

/// Units of durations with their nanoseconds.
const UNITS: [(&str, i128); 9] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
    ("d", 86_400_000_000_000),
    ("w", 604_800_000_000_000),
];

/// A duration such as `3d4h`, `1.5h`, `-90s`.
///
/// # Errors
/// The text is no duration.
pub fn parse_duration(text: &str) -> Result<SignedDuration, String> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let nanos = if digits == "0" { Some(0) } else { sum_parts(digits) };
    nanos
        .map(|value| if negative { -value } else { value })
        .and_then(from_nanos)
        .ok_or_else(|| format!("{} is no duration such as 3d4h, 90s or 1.5h", shorten(text)))
}

fn sum_parts(mut rest: &str) -> Option<i128> {
    let mut nanos = 0_i128;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let number_end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, tail) = rest.split_at(number_end);
        let unit_end = tail.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(tail.len());
        let (unit, after) = tail.split_at(unit_end);
        let size = UNITS.iter().find(|(name, _)| *name == unit)?.1;
        nanos = nanos.checked_add(part(number, size)?)?;
        rest = after;
    }
    Some(nanos)
}

fn part(number: &str, size: i128) -> Option<i128> {
    if let Ok(whole) = number.parse::<i64>() {
        return i128::from(whole).checked_mul(size);
    }
    let value: f64 = number.parse().ok()?;
    // Fractions of units beyond a few thousand years are nonsense.
    let nanos = value * size as f64;
    (nanos.abs() < 1e27).then_some(nanos.round() as i128)
}

/// A duration of so many nanoseconds, if there is one.
pub(super) fn from_nanos(nanos: i128) -> Option<SignedDuration> {
    let seconds = i64::try_from(nanos.div_euclid(1_000_000_000)).ok()?;
    let rest = i32::try_from(nanos.rem_euclid(1_000_000_000)).ok()?;
    SignedDuration::from_secs(seconds).checked_add(SignedDuration::new(0, rest))
}

/// A duration for people: its two largest units (`3d4h`, `12m5s`, `0s`).
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

/// A text in quotes, cut to what a message can show.
pub(super) fn shorten(text: &str) -> String {
    const SHOWN: usize = 60;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("'{}...'", text.get(..end).unwrap_or_default()),
        None => format!("'{text}'"),
    }
}
