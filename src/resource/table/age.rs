//! Ages as kubectl prints them.

use jiff::SignedDuration;

/// Parses an age such as `5s`, `3m12s`, `4h5m`, `2d3h`, `12d` or `2y45d`; a year has 365 days.
pub fn parse_age(text: &str) -> Option<SignedDuration> {
    let mut seconds: i64 = 0;
    let mut rest = text;
    for _ in 0..3 {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, behind) = rest.split_at(digits);
        let unit = behind.chars().next()?;
        let factor = [('s', 1), ('m', 60), ('h', 3600), ('d', 86_400), ('y', 31_536_000)];
        let (_, factor) = factor.iter().find(|(sign, _)| *sign == unit)?;
        seconds = number.parse::<i64>().ok()?.checked_mul(*factor)?.checked_add(seconds)?;
        rest = behind.get(1..)?;
        if rest.is_empty() {
            // Ages of a thousand years and more are rejected.
            return (seconds < 31_536_000_000).then(|| SignedDuration::from_secs(seconds));
        }
    }
    None
}

/// Splits what kubectl prints for an event that happened several times, `12m (x5 over 1h)`: the age of the last one, how often, and the
/// age of the first one; the age alone if it happened once.
pub fn occurrences(text: &str) -> (&str, Option<(&str, &str)>) {
    let Some((last, rest)) = text.split_once(" (x") else { return (text, None) };
    (last, rest.strip_suffix(')').and_then(|rest| rest.split_once(" over ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_read_as_kubectl_prints_them() {
        let seconds = |text: &str| parse_age(text).map(|age| age.as_secs());
        let rows = [
            ("5s", Some(5)),
            ("3m12s", Some(192)),
            ("7d3h", Some(7 * 86_400 + 3 * 3600)),
            ("2y45d", Some(775 * 86_400)),
            ("<unknown>", None),
            ("", None),
            ("5", None),
            ("d", None),
            ("1d2h3m4s", None),
            ("99999999999999999y", None),
            ("5x", None),
        ];
        for (text, wanted) in rows {
            assert_eq!(seconds(text), wanted, "{text}");
        }
    }
}
