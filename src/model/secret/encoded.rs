//! Secrets in addresses that are encoded as a whole: `password%3Dx%26user%3Dy`, `%22token%22%3A%22x%22`.

use std::ops::Range;

use super::key::{self, Claim};

/// Beginning of the encoded separators `:` and `=`.
pub(super) const MARK: &str = "%3";

/// An encoded quote.
const QUOTE: &str = "%22";

/// Returns the value behind a separator at a position.
pub(super) fn at(text: &str, position: usize) -> Option<Range<usize>> {
    let before = text.get(..position)?;
    let before = before.strip_suffix(QUOTE).unwrap_or(before);
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let start = before.rfind(|c| !is_part(c)).map_or(0, |at| at + 1);
    let claim = key::claim(before.get(start..)?)?;
    let rest = text.get(position..)?;
    let rest = ["%3D", "%3A", "%3d", "%3a"].iter().find_map(|separator| rest.strip_prefix(separator))?;
    let value = rest.strip_prefix(QUOTE).unwrap_or(rest);
    let from = text.len() - value.len();
    let is_end = |c: char| c.is_whitespace() || matches!(c, '&' | '"' | '\'' | '<' | '\\');
    let ends = [value.find(is_end), value.find(QUOTE), value.find("%26"), value.find("%2C")];
    let length = ends.into_iter().flatten().min().unwrap_or(value.len());
    (claim == Claim::Always && length > 0).then_some(from..from + length)
}
