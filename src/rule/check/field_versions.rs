//! Versions that have a field, such as `longhorn 1.1.3..1.2.6,1.5.5..1.12.1 @v1beta2; harvester 1.3.2..1.8.0`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::api_fields::version_texts;
use crate::model::version::Range;

/// Highest sampled minor line of each product.
static LATEST: LazyLock<BTreeMap<&'static str, (u64, u64)>> = LazyLock::new(|| {
    let mut latest = BTreeMap::new();
    for (product, spans) in version_texts().flat_map(|text| text.split("; ")).filter_map(|part| part.split_once(' ')) {
        for end in
            spans.split(' ').next().unwrap_or_default().split(',').filter_map(|span| line(span.rsplit("..").next()?))
        {
            let known = latest.entry(product).or_insert(end);
            *known = (*known).max(end);
        }
    }
    latest
});

/// Returns the reason why no version of the product in `range` has a field of these versions; none if one may have it or
/// nothing is known of the product. Each sampled version stands for its minor line, the latest one for all later ones, too.
pub fn lacks(product: &str, range: &Range, versions: &str) -> Option<String> {
    let own = versions.split("; ").filter_map(|part| part.split_once(' ')).find(|(name, _)| *name == product)?.1;
    let spans = own.split(' ').next().unwrap_or_default();
    let possible = spans.split(',').any(|span| {
        let (first, last) = span.split_once("..").unwrap_or((span, span));
        match (line(first), line(last)) {
            (Some(first), Some(last)) => {
                let is_latest = LATEST.get(product) == Some(&last);
                lines(first, last, is_latest).any(|version| range.contains(&version) != Some(false))
            }
            _ => true,
        }
    });
    (!possible).then(|| format!("is only in {product} {spans}, and affects says {}", range.text()))
}

/// Major and minor number of a version.
fn line(version: &str) -> Option<(u64, u64)> {
    let mut numbers = version.trim_start_matches('v').split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// First and last possible versions of all minor lines from one to another; if `open`, also of some lines after it.
fn lines(first: (u64, u64), last: (u64, u64), open: bool) -> impl Iterator<Item = String> {
    const LATER_LINES: u64 = 20;
    let until = last.1 + if open { LATER_LINES } else { 0 };
    (first.1..=until).flat_map(move |minor| [0, 99].map(|patch| format!("{}.{minor}.{patch}", first.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(range: &str, versions: &str) -> Option<String> {
        lacks("longhorn", &Range::parse(range).unwrap(), versions)
    }

    #[test]
    fn versions_without_the_field_are_told() {
        let versions = "harvester 1.2.1..1.8.0; longhorn 1.5.5..1.8.1 @v1beta2";
        assert_eq!(
            reason(">=1.2 <1.5", versions).unwrap(),
            "is only in longhorn 1.5.5..1.8.1, and affects says >=1.2 <1.5"
        );
        assert!(reason(">=1.9", versions).is_some(), "removed in a later version");
        assert_eq!(reason(">=1.13", "longhorn 1.5.5..1.12.1"), None, "later than every sampled version");
        for range in ["*", ">=1.2", "1.5.0", "<1.6"] {
            assert_eq!(reason(range, versions), None, "{range}");
        }
        assert_eq!(reason("1.2", "kubernetes 1.20..1.34"), None, "nothing is known of the product");
    }
}
