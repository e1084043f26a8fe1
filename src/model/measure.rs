//! Parses quantities and durations.

use jiff::SignedDuration;

/// Suffixes of Kubernetes quantities with their factors.
const SUFFIXES: [(&str, f64); 15] = [
    ("Ki", 1024.0),
    ("Mi", 1_048_576.0),
    ("Gi", 1_073_741_824.0),
    ("Ti", 1_099_511_627_776.0),
    ("Pi", 1_125_899_906_842_624.0),
    ("Ei", 1_152_921_504_606_846_976.0),
    ("n", 1e-9),
    ("u", 1e-6),
    ("m", 1e-3),
    ("k", 1e3),
    ("M", 1e6),
    ("G", 1e9),
    ("T", 1e12),
    ("P", 1e15),
    ("E", 1e18),
];

/// Parses a quantity such as `500m`, `10Gi` or `1e3`.
pub fn quantity(text: &str) -> Option<f64> {
    let text = text.trim();
    if let Some(value) = plain(text) {
        return Some(value);
    }
    let (digits, factor) = SUFFIXES.iter().find_map(|(suffix, factor)| Some((text.strip_suffix(suffix)?, *factor)))?;
    let value = plain(digits)?;
    // Thousandths are exact by division, not by multiplication.
    Some(if factor < 1.0 { value / (1.0 / factor).round() } else { value * factor })
}

fn plain(text: &str) -> Option<f64> {
    let numeric = text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E'));
    if numeric { text.parse().ok() } else { None }
}

/// Parses a measured value into a number that can be compared with others of its kind: plain numbers as they are,
/// durations in seconds (`1.2s`, `150ms`; `5m` are minutes), quantities in the base unit (`10Gi`). None for any other
/// text.
pub fn magnitude(text: &str) -> Option<f64> {
    let text = text.trim();
    let value = plain(text).or_else(|| duration(text).map(|d| d.as_secs_f64())).or_else(|| quantity(text))?;
    value.is_finite().then_some(value)
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

/// Parses a duration such as `3d4h`, `1.5h` or `-90s`; none for any other text.
pub fn duration(text: &str) -> Option<SignedDuration> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let nanos = if digits == "0" { Some(0) } else { sum_parts(digits) };
    nanos.map(|value| if negative { -value } else { value }).and_then(from_nanos)
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
    // Fractional values of 1e27 ns (3e10 years) and more are rejected.
    let nanos = value * size as f64;
    (nanos.abs() < 1e27).then_some(nanos.round() as i128)
}

/// Converts nanoseconds to a duration, if it can hold them.
pub fn from_nanos(nanos: i128) -> Option<SignedDuration> {
    let seconds = i64::try_from(nanos.div_euclid(1_000_000_000)).ok()?;
    let rest = i32::try_from(nanos.rem_euclid(1_000_000_000)).ok()?;
    SignedDuration::from_secs(seconds).checked_add(SignedDuration::new(0, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn magnitudes_of_one_kind_are_in_order() {
        for (small, large) in [("9", "10"), ("999ms", "1.2s"), ("59s", "1m0.5s"), ("900Mi", "1Gi"), ("-3", "-2.5")] {
            assert!(magnitude(small) < magnitude(large), "{small} {large}");
        }
        assert_eq!(magnitude(" 1.5s "), Some(1.5));
        assert_eq!(magnitude("5m"), Some(300.0));
        for text in ["", "fast", "1.2.3", "1e999", "s"] {
            assert_eq!(magnitude(text), None, "{text}");
        }
    }
}
