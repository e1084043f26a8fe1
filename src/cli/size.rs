//! Sizes in human form: `65536`, `10GiB`, `1.5M`.

/// Error in a size.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum SizeError {
    /// The text does not begin with a number.
    #[error("not a size; write a number and a unit, such as 10GiB or 512KiB")]
    Number,
    /// The unit is unknown.
    #[error(
        "unknown unit `{0}`; use B, kB, MB, GB, TB (powers of 1000) or K, M, G, T, KiB, MiB, GiB, TiB (powers of 1024)"
    )]
    Unit(String),
    /// The size does not fit into 64 bits.
    #[error("too large; the largest size is 16777215TiB")]
    Large,
}

/// Parses a size into bytes. `K` and `KiB` are powers of 1024, `kB` of 1000; case does not matter.
///
/// # Errors
/// Fails when the text has no number or an unknown unit, or when the size does not fit.
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

/// Formats bytes for [`parse`], in the largest unit without a remainder: `64GiB`.
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

/// Uses at most six digits after the point.
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
    fn sizes_are_parsed() {
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
    fn formatted_sizes_are_parsed_again() {
        for (bytes, text) in [(64 << 30, "64GiB"), (1 << 20, "1MiB"), (3 << 19, "1536KiB"), (1000, "1000"), (0, "0")] {
            assert_eq!(format(bytes), text);
            assert_eq!(parse(text), Ok(bytes));
        }
    }

    #[test]
    fn invalid_sizes_are_rejected() {
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
