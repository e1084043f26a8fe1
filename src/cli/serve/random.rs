//! Words that nobody guesses.

use anyhow::Context;

/// Returns 128 random bits in hexadecimal digits.
///
/// # Errors
/// Fails if the system has no random numbers.
pub fn word() -> anyhow::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).context("the system has no random numbers")?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Compares in a time that says nothing about where two words differ.
pub fn is_equal(left: &str, right: &str) -> bool {
    left.len() == right.len() && left.bytes().zip(right.bytes()).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
}
