//! Scalars as text.

use crate::expr::eval::time;
use crate::expr::eval::value::Value;

/// Formats a scalar: times in RFC 3339, durations as `3d4h`; none for anything else.
pub(in crate::expr) fn display(value: &Value<'_>) -> Option<String> {
    match value {
        Value::Str(text) => Some(text.as_str().to_owned()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Int(value) => Some(value.to_string()),
        Value::Double(value) => Some(value.to_string()),
        Value::Time(value) => Some(time::print(*value)),
        Value::Duration(value) => Some(time::print_duration(*value)),
        _ => None,
    }
}
