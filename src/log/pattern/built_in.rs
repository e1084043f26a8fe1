//! Literals of the patterns of built-in rules, as `build.rs` found them: parsing a pattern takes 0.13 M instructions, and making the plans for
//! the logs of a small bundle needs those of a thousand (170 of 1,610 M instructions of a whole run).

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::log::pattern::literal::RequiredLiteral;

/// Records; `build/literals.rs` describes them.
static RECORDS: &str = include_str!(concat!(env!("OUT_DIR"), "/literals.txt"));

/// What a record says of the literal of its pattern.
static BY_PATTERN: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| records().collect());

fn records() -> impl Iterator<Item = (&'static str, &'static str)> {
    RECORDS.split('\x1e').filter_map(|record| record.split_once('\x1f'))
}

/// Returns the required literal of a pattern of lines or texts; `None` if no built-in rule has the pattern.
pub fn known_literal(pattern: &str) -> Option<Option<RequiredLiteral>> {
    BY_PATTERN.get(pattern).map(|field| read(field))
}

fn read(field: &str) -> Option<RequiredLiteral> {
    let (ignore_case, alternatives) = match field.split_at_checked(1)? {
        ("~", alternatives) => (true, alternatives),
        (_, alternatives) => (false, alternatives),
    };
    let alternatives = alternatives.split('\x1d').map(|text| text.as_bytes().to_vec()).collect();
    Some(RequiredLiteral { alternatives, ignore_case })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::pattern::literal::{required_literal, required_literal_of};

    #[test]
    fn literals_are_those_of_their_patterns() {
        let mut kinds = [0, 0, 0];
        for (pattern, _) in records() {
            let known = known_literal(pattern).unwrap();
            assert_eq!(known, required_literal(pattern), "{pattern}");
            assert_eq!(known, required_literal_of(&regex_syntax::parse(pattern).unwrap()), "{pattern}");
            kinds[known.map_or(0, |literal| 1 + usize::from(literal.ignore_case))] += 1;
        }
        assert!(kinds[1] > 100 && kinds[2] > 10, "{kinds:?}");
        assert_eq!(known_literal("no rule has this"), None);
    }
}
