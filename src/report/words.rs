//! Numbers, sizes and times in readable form; the same wording in every format.

use std::borrow::Cow;

use jiff::Timestamp;

/// Returns the number with groups of three digits: `1,234,567`.
pub fn number(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Returns `1 bundle`, `1,204 bundles`.
pub fn counted<N: TryInto<u64>>(count: N, noun: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    format!("{} {noun}{}", number(count), if count == 1 { "" } else { "s" })
}

/// Returns a size in decimal units with one decimal: `20.6 MB`.
pub fn bytes(value: u64) -> String {
    const UNITS: [(&str, u64); 4] =
        [("TB", 1_000_000_000_000), ("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000)];
    match UNITS.iter().find(|(_, size)| value >= *size) {
        Some((unit, size)) => format!("{:.1} {unit}", value as f64 / *size as f64),
        None => format!("{value} B"),
    }
}

/// Returns a time to the second: `2026-03-01 10:00:02 UTC`.
pub fn instant(time: Timestamp) -> String {
    time.strftime("%F %T UTC").to_string()
}

/// Returns the date of a time: `2026-03-01`.
pub fn day(time: Timestamp) -> String {
    time.strftime("%F").to_string()
}

/// Returns both ends of a period, `2026-03-01 10:00:02` and `11:00:00 UTC`, without repeating the date.
pub fn ends(from: Timestamp, to: Timestamp) -> (String, String) {
    let end = if day(from) == day(to) { "%T UTC" } else { "%F %T UTC" };
    (from.strftime("%F %T").to_string(), to.strftime(end).to_string())
}

/// Returns a readable text of at most `limit` characters: see [`with_instants`].
pub fn sentence(text: &str, limit: usize) -> Cow<'_, str> {
    match clipped(text, limit) {
        Cow::Borrowed(text) => with_instants(text),
        Cow::Owned(text) => Cow::Owned(with_instants(&text).into_owned()),
    }
}

/// Replaces the RFC 3339 times in UTC of a sentence by readable ones.
pub fn with_instants(text: &str) -> Cow<'_, str> {
    /// Minimum length of such a time, and maximum length from its T to its Z.
    const LEAST: usize = "2026-03-01T10:00:02Z".len();
    const CLOCK: usize = "T10:00:02.123456789Z".len();
    let mut out = String::new();
    let (mut done, mut at) = (0, 0);
    while let Some(t) = text.get(at..).and_then(|rest| rest.find('T')).map(|found| at + found) {
        at = t + 1;
        let Some(begin) = t.checked_sub(10) else { continue };
        let Some(end) = text.bytes().skip(t).take(CLOCK).position(|b| b == b'Z').map(|z| t + z + 1) else { continue };
        let time = text.get(begin..end).filter(|time| begin >= done && time.len() >= LEAST && is_instant(time));
        let time = time.and_then(|time| time.parse().ok());
        if let (Some(time), Some(before)) = (time, text.get(done..begin)) {
            out.push_str(before);
            out.push_str(&instant(time));
            (done, at) = (end, end);
        }
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(done..).unwrap_or_default());
    Cow::Owned(out)
}

/// Returns true if the whole text is an RFC 3339 time in UTC.
fn is_instant(text: &str) -> bool {
    let fits = |c: char, place: usize| match place {
        4 | 7 => c == '-',
        10 => c == 'T',
        13 | 16 => c == ':',
        19 => c == '.' || c == 'Z',
        _ => c.is_ascii_digit() || (c == 'Z' && place + 1 == text.len()),
    };
    text.chars().enumerate().all(|(place, c)| fits(c, place))
}

/// Returns the text with a capital first letter, for names that are lower case in data (`harvester`).
pub fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

/// Returns at most `limit` characters, with an ellipsis if the text was longer.
pub fn clipped(text: &str, limit: usize) -> Cow<'_, str> {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()).into(),
        None => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_groups() {
        assert_eq!(number(1_234_567), "1,234,567");
        assert_eq!(number(123), "123");
    }

    #[test]
    fn only_one_is_singular() {
        assert_eq!([0_u64, 1, 1_204].map(|n| counted(n, "rule")), ["0 rules", "1 rule", "1,204 rules"]);
    }

    #[test]
    fn sizes_have_one_digit() {
        assert_eq!(bytes(20_600_000), "20.6 MB");
        assert_eq!(bytes(999), "999 B");
    }

    #[test]
    fn times_are_said_once_per_day() {
        let time = |text: &str| text.parse::<Timestamp>().unwrap();
        assert_eq!(instant(time("2026-03-01T10:00:02.5Z")), "2026-03-01 10:00:02 UTC");
        let shown = |from, to| {
            let (from, to) = ends(time(from), time(to));
            format!("{from} to {to}")
        };
        assert_eq!(shown("2026-03-01T10:00:02Z", "2026-03-01T11:00:00Z"), "2026-03-01 10:00:02 to 11:00:00 UTC");
        assert_eq!(
            shown("2026-03-01T10:00:02Z", "2026-03-02T11:00:00Z"),
            "2026-03-01 10:00:02 to 2026-03-02 11:00:00 UTC"
        );
    }

    #[test]
    fn times_in_sentences_are_readable() {
        let text = "Told at 2022-03-08T00:02:31Z and 2022-03-20T07:13:30.5Z, The Zoo T2022-03-08T00:02:31Z.";
        let read = "Told at 2022-03-08 00:02:31 UTC and 2022-03-20 07:13:30 UTC, The Zoo T2022-03-08 00:02:31 UTC.";
        assert_eq!(with_instants(text), read);
        for text in ["", "T", "no times: To Zion", "ä2022-03-0TZ", "2022-03-08T00:02:31+01:00", "20220308T000231Z"] {
            assert!(matches!(with_instants(text), Cow::Borrowed(same) if same == text), "{text}");
        }
    }

    #[test]
    fn clipping_respects_characters() {
        assert_eq!(clipped("äöü", 2), "äö…");
        assert_eq!(clipped("äöü", 3), "äöü");
    }
}
