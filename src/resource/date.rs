//! The output of `date`, which tells when a collection on a host was made.
//!
//! `Wed Mar  6 10:15:30 UTC 2024` (locale C) or `Wed 06 Mar 2024 10:15:30 AM UTC` (en_US): the words are told by their form.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{Offset, TimeZone};

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Hours ahead of UTC of the abbreviations that mean one zone only. Others, such as CST and IST, are not guessed.
const ZONES: [(&str, i8); 13] = [
    ("UTC", 0),
    ("GMT", 0),
    ("Z", 0),
    ("CET", 1),
    ("CEST", 2),
    ("EET", 2),
    ("EEST", 3),
    ("MSK", 3),
    ("JST", 9),
    ("EDT", -4),
    ("CDT", -5),
    ("PST", -8),
    ("PDT", -7),
];

#[derive(Default)]
struct Parts {
    month: Option<i8>,
    day: Option<i8>,
    year: Option<i16>,
    time: Option<Time>,
    afternoon: Option<bool>,
    offset: Option<Offset>,
}

/// The time that `date` printed; none if a part of it is missing or the zone is not known.
pub(super) fn parse(text: &str) -> Option<Timestamp> {
    let mut parts = Parts::default();
    let line = text.lines().find(|line| !line.trim().is_empty())?;
    for word in line.split_whitespace().take(10) {
        parts.take(word.trim_end_matches(','));
    }
    let date = Date::new(parts.year?, parts.month?, parts.day?).ok()?;
    let zone = TimeZone::fixed(parts.offset?);
    zone.to_timestamp(DateTime::from_parts(date, parts.clock()?)).ok()
}

impl Parts {
    fn take(&mut self, word: &str) {
        let month = || MONTHS.iter().zip(1..).find(|(name, _)| **name == word).map(|(_, number)| number);
        let is_number = word.bytes().all(|b| b.is_ascii_digit());
        match word {
            "AM" | "PM" => self.afternoon = Some(word == "PM"),
            _ if word.contains(':') => self.time = word.parse().ok(),
            _ if is_number && word.len() == 4 => self.year = word.parse().ok(),
            _ if is_number => self.day = word.parse().ok(),
            _ => match month() {
                Some(month) => self.month = Some(month),
                None => self.offset = self.offset.or_else(|| offset(word)),
            },
        }
    }

    /// The time of day, on the clock of 24 hours.
    fn clock(&self) -> Option<Time> {
        let time = self.time?;
        let hour = match (self.afternoon, time.hour()) {
            (Some(false), 12) => 0,
            (Some(true), hour) if hour < 12 => hour + 12,
            (_, hour) => hour,
        };
        Time::new(hour, time.minute(), time.second(), 0).ok()
    }
}

/// `CET`, `+01`, `-0330`.
fn offset(word: &str) -> Option<Offset> {
    if let Some((_, hours)) = ZONES.iter().find(|(name, _)| *name == word) {
        return Offset::from_seconds(i32::from(*hours) * 3600).ok();
    }
    let sign = match word.bytes().next()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let number = |part: Option<&str>| part.unwrap_or("0").parse::<i32>().ok();
    let (hours, minutes) = (number(word.get(1..3))?, number(word.get(3..5))?);
    Offset::from_seconds(sign * (hours * 3600 + minutes * 60)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_date() {
        let rows = [
            ("Wed Mar  6 10:15:30 UTC 2024\n", Some("2024-03-06T10:15:30Z")),
            ("Wed 06 Mar 2024 10:15:30 PM CET", Some("2024-03-06T21:15:30Z")),
            ("Wed Mar 6 12:15:30 AM -03 2024", Some("2024-03-06T03:15:30Z")),
            ("Thu Mar  7 01:00:00 +0530 2024", Some("2024-03-06T19:30:00Z")),
            ("Wed Mar  6 10:15:30 IST 2024", None),
            ("Wed Feb 30 10:15:30 UTC 2024", None),
            ("bash: date: command not found", None),
            ("", None),
        ];
        for (text, wanted) in rows {
            assert_eq!(parse(text).map(|time| time.to_string()).as_deref(), wanted, "{text}");
        }
    }
}
