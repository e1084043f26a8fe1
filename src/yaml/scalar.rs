//! Meaning of plain scalars: YAML 1.2's core schema, which Go's writer follows.

use jiff::Timestamp;

use super::tape::Kind;

/// Plain key that adds the entries of another mapping (YAML 1.1, <https://yaml.org/type/merge.html>).
pub const MERGE_KEY: &str = "<<";

/// Returns the kind of a plain scalar.
pub fn plain_kind(text: &str) -> Kind {
    // The first letter decides for nearly all keys and values: none of the words below is longer than `false`.
    if let Some(first @ (b'A'..=b'Z' | b'a'..=b'z')) = text.as_bytes().first()
        && (text.len() > 5 || !matches!(first, b'f' | b'F' | b'n' | b'N' | b't' | b'T'))
    {
        return Kind::String;
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Kind::Null,
        "true" | "True" | "TRUE" | "false" | "False" | "FALSE" => Kind::Bool,
        _ if parse_number(text).is_some() => Kind::Number,
        _ => Kind::String,
    }
}

/// Parses a number of the core schema.
pub fn parse_number(text: &str) -> Option<f64> {
    let first = *text.as_bytes().first()?;
    if !(first.is_ascii_digit() || matches!(first, b'-' | b'+' | b'.')) {
        return None;
    }
    match text {
        ".inf" | "+.inf" | ".Inf" | "+.Inf" | ".INF" | "+.INF" => return Some(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => return Some(f64::NEG_INFINITY),
        ".nan" | ".NaN" | ".NAN" => return Some(f64::NAN),
        _ => {}
    }
    if let Some(hex) = text.strip_prefix("0x") {
        return from_radix(hex, 16);
    }
    if let Some(octal) = text.strip_prefix("0o") {
        return from_radix(octal, 8);
    }
    let decimal = text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E'));
    if decimal { text.parse().ok() } else { None }
}

fn from_radix(digits: &str, radix: u32) -> Option<f64> {
    if digits.starts_with('+') {
        return None;
    }
    u64::from_str_radix(digits, radix).ok().map(|v| v as f64)
}

/// Converts a time that PowerShell 5.1 writes into JSON as `/Date(1741252530000)/`, milliseconds since 1970 in UTC, to RFC 3339. An
/// offset after them is only the zone of the writer.
pub fn windows_time(text: &str) -> Option<String> {
    let inner = text.strip_prefix("/Date(")?.strip_suffix(")/")?;
    let zone = inner.rfind(['+', '-']).filter(|at| *at > 0 && inner.len() - at == 5);
    let milliseconds = inner.get(..zone.unwrap_or(inner.len()))?.parse().ok()?;
    Timestamp::from_millisecond(milliseconds).ok().map(|time| time.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_windows() {
        for (text, time) in [
            ("/Date(1741252530123)/", Some("2025-03-06T09:15:30.123Z")),
            ("/Date(1741252530000+0100)/", Some("2025-03-06T09:15:30Z")),
            ("/Date(-1000)/", Some("1969-12-31T23:59:59Z")),
            ("/Date(x)/", None),
            ("/Date(99999999999999999)/", None),
            ("/Date(999999999999999999999)/", None),
            ("/Date(1741252530000)/ x", None),
        ] {
            assert_eq!(windows_time(text).as_deref(), time, "{text}");
        }
    }

    #[test]
    fn numbers_of_the_core_schema() {
        for (text, value) in [
            ("1e+09", 1e9),
            ("-3", -3.0),
            ("+.5", 0.5),
            ("1.", 1.0),
            ("0x1F", 31.0),
            ("0o17", 15.0),
            ("0777", 777.0),
            ("1.18225516953e+11", 118_225_516_953.0),
        ] {
            assert_eq!(parse_number(text), Some(value), "{text}");
        }
        for text in ["", "-", ".", "1_000", "10.0.0.1", "2022-03-06", "1e", "inf", "+inf", "nan", "0x", "0x+5", "8Gi"] {
            assert_eq!(parse_number(text), None, "{text}");
        }
    }

    #[test]
    fn only_the_core_words_have_a_kind() {
        assert_eq!(plain_kind("~"), Kind::Null);
        assert_eq!(plain_kind("True"), Kind::Bool);
        assert_eq!(plain_kind("yes"), Kind::String);
        assert_eq!(plain_kind("12"), Kind::Number);
    }
}
