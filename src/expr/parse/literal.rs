//! Values of literals: numbers, and texts with their escapes
//! (<https://github.com/google/cel-spec/blob/master/doc/langdef.md#string-and-bytes-values>).

use std::borrow::Cow;
use std::str::Chars;

use crate::expr::eval::value::Value;

/// Returns the whole number that is written, with its sign; none if it has more than 64 bits.
pub(in crate::expr) fn int(written: &str, is_negative: bool) -> Option<i64> {
    let sign = if is_negative { "-" } else { "" };
    match hexadecimal(written) {
        Some(digits) => i64::from_str_radix(&format!("{sign}{digits}"), 16).ok(),
        None if is_negative => format!("-{written}").parse().ok(),
        None => written.parse().ok(),
    }
}

/// Returns the number that is written with a `u` behind it; one too large for an integer is a double.
pub(in crate::expr) fn unsigned(written: &str) -> Option<Value<'static>> {
    let digits = written.strip_suffix(['u', 'U']).unwrap_or(written);
    let number = match hexadecimal(digits) {
        Some(digits) => u64::from_str_radix(digits, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some(i64::try_from(number).map_or(Value::Double(number as f64), Value::Int))
}

/// Returns the number that is written with a point or an exponent; none if it is infinite.
pub(in crate::expr) fn double(written: &str) -> Option<f64> {
    written.parse().ok().filter(|number: &f64| number.is_finite())
}

fn hexadecimal(written: &str) -> Option<&str> {
    written.strip_prefix("0x").or_else(|| written.strip_prefix("0X"))
}

/// Returns the text that is written in quotes; none if it has an escape that CEL does not know.
pub(in crate::expr) fn text(written: &str) -> Option<Cow<'_, str>> {
    let (is_raw, quoted) = match written.strip_prefix(['r', 'R']) {
        Some(quoted) => (true, quoted),
        None => (false, written),
    };
    let width =
        if quoted.len() >= 6 && ["'''", "\"\"\""].iter().any(|quotes| quoted.starts_with(quotes)) { 3 } else { 1 };
    let inside = quoted.get(width..quoted.len().checked_sub(width)?)?;
    let inside = if inside.contains('\r') {
        Cow::Owned(inside.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(inside)
    };
    if is_raw || !inside.contains('\\') { Some(inside) } else { unescaped(&inside).map(Cow::Owned) }
}

fn unescaped(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        plain.push(if char == '\\' { escape(&mut chars)? } else { char });
    }
    Some(plain)
}

/// Returns the character that the rest of an escape means.
fn escape(chars: &mut Chars<'_>) -> Option<char> {
    Some(match chars.next()? {
        'a' => '\x07',
        'b' => '\x08',
        'f' => '\x0C',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\x0B',
        same @ ('\\' | '\'' | '"' | '`' | '?') => same,
        'x' | 'X' => coded(chars, 0, 2, 16)?,
        'u' => coded(chars, 0, 4, 16)?,
        'U' => coded(chars, 0, 8, 16)?,
        first @ '0'..='3' => coded(chars, first.to_digit(8)?, 2, 8)?,
        _ => return None,
    })
}

/// Reads a code point of so many digits; `first` is what digits before them mean.
fn coded(chars: &mut Chars<'_>, first: u32, digits: usize, radix: u32) -> Option<char> {
    let add = |code: u32, char: char| code.checked_mul(radix)?.checked_add(char.to_digit(radix)?);
    let code = (0..digits).try_fold(first, |code, _| add(code, chars.next()?))?;
    char::from_u32(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts() {
        for (written, meant) in [
            ("'a'", "a"),
            ("\"it's\"", "it's"),
            ("'''a'b''c'''", "a'b''c"),
            ("\"\"\"\"\"\"", ""),
            ("r'\\d'", "\\d"),
            ("R\"\\\"", "\\"),
            ("'\\n\\t\\\\\\'\\\"\\`\\?\\a\\b\\f\\v\\r'", "\n\t\\'\"`?\x07\x08\x0C\x0B\r"),
            ("'\\x41\\u00e9\\U0001F600\\101'", "Aé😀A"),
            ("'a\r\nb\rc'", "a\nb\nc"),
        ] {
            assert_eq!(text(written).as_deref(), Some(meant), "{written}");
        }
        for written in ["'\\d'", "'\\x4'", "'\\ud800'", "'\\UFFFFFFFF'", "'\\08'", "'\\400'"] {
            assert_eq!(text(written), None, "{written}");
        }
    }

    #[test]
    fn numbers() {
        assert_eq!(int("9223372036854775807", false), Some(i64::MAX));
        assert_eq!(int("9223372036854775808", true), Some(i64::MIN));
        assert_eq!(
            (int("9223372036854775808", false), int("0xFF", false), int("0X10", true)),
            (None, Some(255), Some(-16))
        );
        assert!(matches!(unsigned("7u"), Some(Value::Int(7))));
        assert!(matches!(unsigned("0xFFFFFFFFFFFFFFFFU"), Some(Value::Double(found)) if found == u64::MAX as f64));
        assert_eq!((double("1.5e3"), double(".5"), double("1e999")), (Some(1500.0), Some(0.5), None));
    }
}
