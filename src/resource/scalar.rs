//! Single fields of objects: scalars and times.

use jiff::Timestamp;

use crate::yaml::Node;

/// Returns the text of a scalar; none if it is empty or the `null` that collectors write.
pub fn scalar_at<'a>(node: Node<'a>, keys: &[&str]) -> Option<&'a str> {
    let text = node.path(keys)?.text();
    (!text.is_empty() && text != "null").then_some(text)
}

/// Parses a time of Kubernetes; Go's zero time (year 1) is none.
pub fn parse_time(text: &str) -> Option<Timestamp> {
    // 0002-01-01T00:00:00Z.
    const YEAR_2: i64 = -62_104_060_800;
    text.parse::<Timestamp>().ok().filter(|t| t.as_second() >= YEAR_2)
}
