//! Errors in the syntax of expressions, with advice.

use std::ops::Range;

use crate::expr::error::{ErrorKind, ExprError};
use crate::expr::eval::time::parse_duration;

/// Makes an error with a hint.
pub(in crate::expr) fn refuse(range: Range<usize>, message: String, hint: &str) -> ExprError {
    ExprError { kind: ErrorKind::Wrong, range, message, hint: Some(hint.to_owned()) }
}

/// Makes the error of a part of a text that is no token.
pub(in crate::expr) fn bad_token(text: &str, range: Range<usize>, message: &str) -> ExprError {
    if let Some(found) = bare_duration(text, range.start) {
        return found;
    }
    // Tokens are split by bytes: a range that ends inside a character is widened to its end.
    let mut end = range.end.max(range.start + 1).min(text.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    let hint = match text.get(range.start..).and_then(|rest| rest.chars().next()) {
        Some('&') => "`and` is written &&",
        Some('|') => "`or` is written ||",
        Some('\'' | '"') => "close the text with the same quote",
        _ => "texts stand in quotes",
    };
    refuse(range.start..end, message.to_owned(), hint)
}

/// Finds a number with a unit directly after it, as other languages write durations.
fn bare_duration(text: &str, start: usize) -> Option<ExprError> {
    let rest = text.get(start..)?;
    let written = rest.get(..rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len()))?;
    parse_duration(written).ok()?;
    let hint = format!("write duration('{written}')");
    Some(refuse(start..start + written.len(), format!("{written} is no value"), &hint))
}

/// Makes the error of a token at which something else must stand. `wanted` names it, such as "`)`"; a value if it is empty.
pub(in crate::expr) fn unexpected(text: &str, range: Range<usize>, wanted: &str) -> ExprError {
    let found = text.get(range.clone()).filter(|found| !found.is_empty());
    let word = match found {
        Some("and") => Some(("`and` is no operator", "write &&")),
        Some("or") => Some(("`or` is no operator", "write ||")),
        Some("not") => Some(("`not` is no operator", "write !")),
        _ => None,
    };
    if let Some((message, hint)) = word {
        return refuse(range, message.to_owned(), hint);
    }
    let found = found.map_or_else(|| "the end".to_owned(), |found| format!("`{found}`"));
    match wanted {
        "" => refuse(
            range,
            format!("a value is expected, not {found}"),
            "write a name, a text in quotes, a number or a call",
        ),
        "the end" => refuse(
            range,
            format!("{found} is not expected here"),
            "an operator is missing before it, or a bracket is closed too often",
        ),
        _ => refuse(range, format!("{wanted} is expected, not {found}"), "check brackets, commas and quotes"),
    }
}
