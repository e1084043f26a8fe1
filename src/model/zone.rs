//! Abbreviations of time zones, as printed by `date` and journals.

/// Minutes east of UTC for abbreviations that mean one zone in the output of `date`. CST, IST and others with several
/// meanings are left out.
const ZONES: [(&str, i32); 44] = [
    ("ACDT", 630),
    ("ACST", 570),
    ("ADT", -180),
    ("AEDT", 660),
    ("AEST", 600),
    ("AKDT", -480),
    ("AKST", -540),
    ("AST", -240),
    ("AWST", 480),
    ("BST", 60),
    ("CAT", 120),
    ("CDT", -300),
    ("CEST", 120),
    ("CET", 60),
    ("EAT", 180),
    ("EDT", -240),
    ("EEST", 180),
    ("EET", 120),
    ("EST", -300),
    ("GMT", 0),
    ("HKT", 480),
    ("HST", -600),
    ("JST", 540),
    ("KST", 540),
    ("MDT", -360),
    ("MSK", 180),
    ("MST", -420),
    ("NDT", -150),
    ("NST", -210),
    ("NZDT", 780),
    ("NZST", 720),
    ("PDT", -420),
    ("PKT", 300),
    ("PST", -480),
    ("SAST", 120),
    ("UTC", 0),
    ("WAT", 60),
    ("WEST", 60),
    ("WET", 0),
    ("WIB", 420),
    ("WIT", 540),
    ("WITA", 480),
    ("Z", 0),
    ("Zulu", 0),
];

/// Returns seconds east of UTC for `CET`, `+08`, `-0330` or `+05:30`; none for unknown or ambiguous names.
pub fn offset(name: &str) -> Option<i32> {
    match ZONES.binary_search_by_key(&name, |(known, _)| known) {
        Ok(at) => ZONES.get(at).map(|(_, minutes)| minutes * 60),
        Err(_) => numeric(name),
    }
}

fn numeric(name: &str) -> Option<i32> {
    let (sign, digits) = match name.split_at_checked(1)? {
        ("+", digits) => (1, digits),
        ("-", digits) => (-1, digits),
        _ => return None,
    };
    let digits: String = digits.chars().filter(|sign| *sign != ':').collect();
    let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let number: i32 = digits.parse().ok().filter(|_| is_number)?;
    match digits.len() {
        2 if number < 24 => Some(sign * number * 3600),
        4 if number < 2400 && number % 100 < 60 => Some(sign * (number / 100 * 3600 + number % 100 * 60)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_numbers_are_read() {
        assert!(ZONES.is_sorted_by_key(|(name, _)| *name));
        let rows = [
            ("UTC", Some(0)),
            ("EST", Some(-18_000)),
            ("ACST", Some(34_200)),
            ("+08", Some(28_800)),
            ("-0330", Some(-12_600)),
            ("+05:30", Some(19_800)),
            ("CST", None),
            ("IST", None),
            ("+", None),
            ("+99", None),
            ("+1x", None),
            ("", None),
        ];
        for (name, wanted) in rows {
            assert_eq!(offset(name), wanted, "{name}");
        }
    }
}
