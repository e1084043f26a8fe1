//! Comparison of texts that are often empty, such as API groups.
//!
//! An empty `String` or `Box<str>` has no address. On processors with AVX-512 glibc compares it with masked reads, and the processor takes
//! 130 ns to find that nothing is to be read; texts of seven bytes take 2 ns.

use std::cmp::Ordering;

/// Compares as [`Ord`] of the texts.
pub fn compare(first: &str, second: &str) -> Ordering {
    match first.is_empty() || second.is_empty() {
        true => first.len().cmp(&second.len()),
        false => first.cmp(second),
    }
}

/// Compares as [`PartialEq`] of the texts.
pub fn are_equal(first: &str, second: &str) -> bool {
    first.len() == second.len() && (first.is_empty() || first == second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_texts_come_first() {
        for first in ["", "a", "ab", "b"] {
            for second in ["", "a", "ab", "b"] {
                assert_eq!(compare(first, second), first.cmp(second), "{first} {second}");
                assert_eq!(are_equal(first, second), first == second, "{first} {second}");
            }
        }
    }
}
