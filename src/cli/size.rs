//! Sizes as people type them: `65536`, `10GiB`, `1.5M`.

/// What is wrong with a size.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum SizeError {
    /// No number in front.
    #[error("not a size; write a number and a unit, such as 10GiB or 512KiB")]
    Number,
    /// An unknown unit.
    #[error(
        "unknown unit `{0}`; known are B, kB, MB, GB, TB (powers of 1000) and K, M, G, T, KiB, MiB, GiB, TiB (of 1024)"
    )]
    Unit(String),
    /// More than 64 bits hold.
    #[error("too large; the largest size is 16777215TiB")]
    Large,
}

/// Bytes of a size. Plain letters and `iB` count by 1024, `B` by 1000; upper and lower case are equal.
///
/// # Errors
/// When it is no number, has an unknown unit, or does not fit.
pub fn parse(text: &str) -> Result<u64, SizeError> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let unit = unit.trim_start();
    let factor = factor(unit).ok_or_else(|| SizeError::Unit(unit.to_owned()))?;
    match number.split_once('.') {
        None => whole(number)?.checked_mul(factor).ok_or(SizeError::Large),
        Some((whole_part, fraction)) => fractional(whole_part, fraction, factor),
    }
}

/// A size as [`parse`] reads it, in the largest unit that leaves no rest: `64GiB`.
pub fn format(bytes: u64) -> String {
    const UNITS: [(&str, u32); 4] = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)];
    let fits = |(_, shift): &&(&str, u32)| bytes > 0 && bytes.trailing_zeros() >= *shift;
    match UNITS.iter().find(fits) {
        Some((unit, shift)) => format!("{}{unit}", bytes >> shift),
        None => bytes.to_string(),
    }
}

fn whole(digits: &str) -> Result<u64, SizeError> {
    if digits.is_empty() {
        return Err(SizeError::Number);
    }
    digits.parse().map_err(|_| SizeError::Large)
}

/// At most six digits after the point count.
fn fractional(whole_part: &str, fraction: &str, factor: u64) -> Result<u64, SizeError> {
    if fraction.is_empty() || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return Err(SizeError::Number);
    }
    let millionths =
        fraction.bytes().chain(std::iter::repeat(b'0')).take(6).fold(0, |n, b| n * 10 + u128::from(b - b'0'));
    let total = (u128::from(whole(whole_part)?) * 1_000_000 + millionths) * u128::from(factor) / 1_000_000;
    u64::try_from(total).map_err(|_| SizeError::Large)
}

fn factor(unit: &str) -> Option<u64> {
    let unit = unit.to_ascii_lowercase();
    let (power, rest) = match unit.chars().next() {
        None => return Some(1),
        Some('b') => (0, unit.as_str()),
        Some(letter) => (u32::try_from("kmgt".find(letter)?).ok()? + 1, unit.get(1..)?),
    };
    match (power, rest) {
        (0, "b") => Some(1),
        (1.., "" | "ib") => Some(1024_u64.pow(power)),
        (1.., "b") => Some(1000_u64.pow(power)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_people_mean_them() {
        let cases = [
            ("0", 0),
            ("65536", 65536),
            ("10B", 10),
            ("10GiB", 10 << 30),
            ("10 gib", 10 << 30),
            ("2G", 2 << 30),
            ("3kB", 3000),
            ("1.5M", 3 << 19),
            ("1TB", 1_000_000_000_000),
        ];
        for (text, bytes) in cases {
            assert_eq!(parse(text), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn sizes_are_written_as_they_are_read() {
        for (bytes, text) in [(64 << 30, "64GiB"), (1 << 20, "1MiB"), (3 << 19, "1536KiB"), (1000, "1000"), (0, "0")] {
            assert_eq!(format(bytes), text);
            assert_eq!(parse(text), Ok(bytes));
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "GiB", "-1", ".", "1.", "1.2.3", "."] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert_eq!(parse("1 parsec"), Err(SizeError::Unit("parsec".into())));
        assert_eq!(parse("bb"), Err(SizeError::Unit("bb".into())));
        assert_eq!(parse("99999999999999999999"), Err(SizeError::Large));
        assert_eq!(parse("99999999T"), Err(SizeError::Large));
        assert_eq!(parse("99999999.5T"), Err(SizeError::Large));
    }
}
