//! Output of `date`: the time of a collection on a host.
//!
//! `Wed Mar  6 10:15:30 UTC 2024` (locale C) or `Wed 06 Mar 2024 10:15:30 AM UTC` (en_US): words are recognised by their form.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::Offset;

use crate::model::zone;

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Parsed output of `date`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum DateOutput {
    /// Time, and the offset of the host's clock in seconds east of UTC.
    Time(Timestamp, i32),
    /// Time in a zone with an ambiguous name.
    Somewhere(String),
}

#[derive(Default)]
struct DateParts {
    month: Option<i8>,
    day: Option<i8>,
    year: Option<i16>,
    time: Option<Time>,
    afternoon: Option<bool>,
    offset: Option<i32>,
    /// Name of an unknown zone.
    elsewhere: Option<String>,
}

/// Parses the output of `date`; none if it is not a time.
pub(super) fn parse(text: &str) -> Option<DateOutput> {
    let mut parts = DateParts::default();
    let line = text.lines().find(|line| !line.trim().is_empty())?;
    for word in line.split_whitespace().take(10) {
        parts.take(word.trim_end_matches(','));
    }
    let date = Date::new(parts.year?, parts.month?, parts.day?).ok()?;
    let local = DateTime::from_parts(date, parts.clock()?);
    match (parts.offset, parts.elsewhere) {
        (Some(seconds), _) => {
            let time = Offset::from_seconds(seconds).ok()?.to_timestamp(local).ok()?;
            Some(DateOutput::Time(time, seconds))
        }
        (None, zone) => zone.map(DateOutput::Somewhere),
    }
}

impl DateParts {
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
                None => self.zone(word),
            },
        }
    }

    /// Takes a zone. The name of the day is as short, but comes first and is overwritten.
    fn zone(&mut self, word: &str) {
        self.offset = self.offset.or_else(|| zone::offset(word));
        if word.len() > 2 && word.len() < 6 && word.bytes().all(|b| b.is_ascii_uppercase()) {
            self.elsewhere = Some(word.to_owned());
        }
    }

    /// Returns the time of day on a 24-hour clock.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_date() {
        let rows = [
            ("Wed Mar  6 10:15:30 UTC 2024\n", Some(("2024-03-06T10:15:30Z", 0))),
            ("Wed 06 Mar 2024 10:15:30 PM CET", Some(("2024-03-06T21:15:30Z", 3600))),
            ("Wed Mar  6 10:15:30 EST 2024\n", Some(("2024-03-06T15:15:30Z", -18_000))),
            ("Wed Mar  6 18:15:30 +08 2024\n", Some(("2024-03-06T10:15:30Z", 28_800))),
            ("Wed Mar 6 12:15:30 AM -03 2024", Some(("2024-03-06T03:15:30Z", -10_800))),
            ("Thu Mar  7 01:00:00 +0530 2024", Some(("2024-03-06T19:30:00Z", 19_800))),
            ("Wed Feb 30 10:15:30 UTC 2024", None),
            ("Wed Mar  6 10:15:30 2024", None),
            ("bash: date: command not found", None),
            ("", None),
        ];
        for (text, wanted) in rows {
            let wanted = wanted.map(|(time, zone)| DateOutput::Time(time.parse().unwrap(), zone));
            assert_eq!(parse(text), wanted, "{text}");
        }
        assert_eq!(parse("Wed Mar  6 10:15:30 IST 2024"), Some(DateOutput::Somewhere("IST".to_owned())));
    }
}
