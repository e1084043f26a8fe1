//! Counts in words.

/// Returns `1 rule`, `2 rules`.
pub fn counted<N: TryInto<u64>>(count: N, noun: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn only_one_is_singular() {
        assert_eq!([0_u64, 1, 2].map(|count| counted(count, "rule")), ["0 rules", "1 rule", "2 rules"]);
    }
}
