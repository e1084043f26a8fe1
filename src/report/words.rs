//! Numbers, sizes and times in readable form; the same wording in every format.

use std::borrow::Cow;

use jiff::Timestamp;

use crate::model::TimedText;

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

/// Returns a time to the minute: `2026-03-01 10:00 UTC`.
pub fn minute(time: Timestamp) -> String {
    time.strftime("%F %R UTC").to_string()
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

/// Returns at most `limit` characters of a text; its times are readable.
pub fn sentence(text: &TimedText, limit: usize) -> Cow<'_, str> {
    if text.parts().all(|part| part.time.is_none()) {
        return clipped(text, limit);
    }
    let mut out = String::new();
    let mut room = limit;
    for part in text.parts() {
        let length = part.text.chars().count();
        match part.time.filter(|_| length <= room) {
            Some(time) => out.push_str(&instant(time)),
            None => out.push_str(&clipped(part.text, room)),
        }
        if length > room {
            break;
        }
        room -= length;
    }
    out.into()
}

/// Returns the text with a capital first letter, for names that are lower case in data (`harvester`).
pub fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

/// Returns a text whose middle gives way to an ellipsis if it is longer than `limit` characters: messages begin with who says something,
/// and end with what is wrong.
pub fn without_middle(text: &str, limit: usize) -> Cow<'_, str> {
    let length = text.chars().count();
    if length <= limit {
        return text.into();
    }
    let tail = limit * 2 / 5;
    let head: String = text.chars().take(limit - tail).collect();
    format!("{head}…{}", text.chars().skip(length - tail).collect::<String>()).into()
}

/// Returns at most `limit` characters, with an ellipsis if the text was longer.
pub fn clipped(text: &str, limit: usize) -> Cow<'_, str> {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()).into(),
        None => text.into(),
    }
}

/// Returns true for http and https addresses without characters that could end the address or hide its target.
pub fn is_web_address(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    rest.is_some_and(|r| {
        !r.is_empty() && r.chars().all(|c| c.is_ascii_graphic() && !matches!(c, '"' | '\'' | '<' | '>' | '\\'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_web_addresses_become_links() {
        assert!(is_web_address("https://example.org/a?b=c#d"));
        for text in
            ["javascript:alert(1)", "data:text/html,x", "https://", "https://a b", "https://a\"onclick=", "/etc"]
        {
            assert!(!is_web_address(text), "{text}");
        }
    }

    #[test]
    fn numbers_have_groups() {
        assert_eq!(number(1_234_567), "1,234,567");
        assert_eq!(number(123), "123");
    }

    #[test]
    fn the_ends_of_a_long_text_are_kept() {
        assert_eq!(without_middle("0123456789", 10), "0123456789");
        assert_eq!(without_middle("0123456789ä", 10), "012345…789ä");
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
        assert_eq!(minute(time("2026-03-01T10:00:59Z")), "2026-03-01 10:00 UTC");
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
        let text = TimedText::parse("Told at 2022-03-08T00:02:31Z and 2022-03-20T07:13:30.5Z.");
        let read = "Told at 2022-03-08 00:02:31 UTC and 2022-03-20 07:13:30 UTC.";
        assert_eq!(sentence(&text, 99), read);
        assert_eq!(sentence(&text, 28), "Told at 2022-03-08 00:02:31 UTC…");
        assert_eq!(sentence(&text, 10), "Told at 20…");
        assert_eq!(sentence(&"at 2022-03-08T00:02:31Z".into(), 99), "at 2022-03-08T00:02:31Z", "a quote");
    }

    #[test]
    fn clipping_respects_characters() {
        assert_eq!(clipped("äöü", 2), "äö…");
        assert_eq!(clipped("äöü", 3), "äöü");
    }
}
