//! Times that a question asks for.

use jiff::{SignedDuration, Timestamp};

use crate::model::measure;

/// Time, as it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    At(Timestamp),
    /// Before the collection.
    Before(SignedDuration),
}

/// The reason why a time cannot be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WhenError {
    #[error(
        "not a time; write a duration before the collection, such as 90s, 2h or 3d4h, or a time in UTC, such as 2025-03-18, \
         2025-03-18T09:30 or 2025-03-18T09:30:00Z"
    )]
    Unknown,
    #[error(
        "the bundle does not say when it was collected, so a duration before that has no meaning; write a time such as 2025-03-18T09:30:00Z"
    )]
    NoCollectionTime,
}

impl When {
    /// Parses `2h`, `2025-03-18`, `2025-03-18T09:30`, `2025-03-18T09:30:00.5Z` and `2025-03-18 09:30:00 UTC`.
    ///
    /// # Errors
    /// Says which forms there are.
    pub fn parse(text: &str) -> Result<Self, WhenError> {
        let text = text.trim();
        if let Some(before) = measure::duration(text).filter(|before| !before.is_negative()) {
            return Ok(Self::Before(before));
        }
        // As pages write it.
        let plain = text.strip_suffix(" UTC").unwrap_or(text).replacen(' ', "T", 1);
        let full = "0000-01-01T00:00:00Z";
        let rest = [full.get(plain.len()..).filter(|_| plain.len() >= 4), Some("Z"), Some("")];
        let times = rest.into_iter().flatten().map(|rest| format!("{plain}{rest}"));
        times.filter_map(|time| time.parse().ok()).next().map(Self::At).ok_or(WhenError::Unknown)
    }

    /// Returns the time, given that of the collection.
    ///
    /// # Errors
    /// Fails for a duration if the time of the collection is not known.
    pub fn at(self, now: Option<Timestamp>) -> Result<Timestamp, WhenError> {
        match self {
            Self::At(time) => Ok(time),
            Self::Before(before) => {
                let now = now.ok_or(WhenError::NoCollectionTime)?;
                Ok(now.checked_sub(before).unwrap_or(Timestamp::MIN))
            }
        }
    }
}

/// Times that count, both ends included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Period {
    pub since: Option<Timestamp>,
    pub until: Option<Timestamp>,
}

impl Period {
    /// Returns the period around a time.
    pub fn around(time: Timestamp, within: SignedDuration) -> Self {
        let since = time.checked_sub(within).unwrap_or(Timestamp::MIN);
        Self { since: Some(since), until: Some(time.checked_add(within).unwrap_or(Timestamp::MAX)) }
    }

    /// Returns the times that are in both.
    pub fn and(self, other: Self) -> Self {
        let both =
            |a: Option<Timestamp>, b: Option<Timestamp>, pick: fn(Timestamp, Timestamp) -> Timestamp| match (a, b) {
                (Some(a), Some(b)) => Some(pick(a, b)),
                (a, b) => a.or(b),
            };
        Self { since: both(self.since, other.since, Ord::max), until: both(self.until, other.until, Ord::min) }
    }

    /// Returns true if it leaves out any time.
    pub fn is_bounded(self) -> bool {
        self != Self::default()
    }

    /// Returns true if it holds a time.
    pub fn holds(self, time: Timestamp) -> bool {
        self.since.is_none_or(|since| time >= since) && self.until.is_none_or(|until| time <= until)
    }

    /// Returns true if it holds any time from one to another.
    pub fn meets(self, from: Timestamp, to: Timestamp) -> bool {
        self.since.is_none_or(|since| to >= since) && self.until.is_none_or(|until| from <= until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: &str) -> Timestamp {
        time.parse().unwrap()
    }

    #[test]
    fn times_have_several_forms() {
        let now = Some(at("2025-03-18T12:00:00Z"));
        for (text, want) in [
            ("2h", "2025-03-18T10:00:00Z"),
            ("3d4h", "2025-03-15T08:00:00Z"),
            ("0", "2025-03-18T12:00:00Z"),
            ("2025", "2025-01-01T00:00:00Z"),
            ("2025-03", "2025-03-01T00:00:00Z"),
            ("2025-03-18", "2025-03-18T00:00:00Z"),
            ("2025-03-18T09:30", "2025-03-18T09:30:00Z"),
            ("2025-03-18T09:30:05", "2025-03-18T09:30:05Z"),
            ("2025-03-18T09:30:05Z", "2025-03-18T09:30:05Z"),
            ("2025-03-18T09:30:05.25Z", "2025-03-18T09:30:05.25Z"),
            ("2025-03-18T09:30:05.25", "2025-03-18T09:30:05.25Z"),
            ("2025-03-18T09:30:05+02:00", "2025-03-18T07:30:05Z"),
            ("2025-03-18 09:30:05 UTC", "2025-03-18T09:30:05Z"),
        ] {
            assert_eq!(When::parse(text).and_then(|when| when.at(now)), Ok(at(want)), "{text}");
        }
        for text in ["", "yesterday", "-2h", "25", "2025-13", "2025-03-18T25:00", "2 h"] {
            assert_eq!(When::parse(text), Err(WhenError::Unknown), "{text}");
        }
        assert_eq!(When::parse("2h").unwrap().at(None), Err(WhenError::NoCollectionTime));
    }

    #[test]
    fn periods_include_their_ends() {
        let period = Period::around(at("2025-03-18T12:00:00Z"), SignedDuration::from_mins(5));
        let holds =
            ["11:54:59", "11:55:00", "12:05:00", "12:05:01"].map(|t| period.holds(at(&format!("2025-03-18T{t}Z"))));
        assert_eq!(holds, [false, true, true, false]);
        let since = Period { since: Some(at("2025-03-18T12:00:00Z")), until: None };
        assert_eq!(period.and(since), Period { until: period.until, ..since });
        assert!(period.meets(at("2025-03-18T11:00:00Z"), at("2025-03-18T13:00:00Z")));
        assert!(!since.meets(at("2025-03-18T11:00:00Z"), at("2025-03-18T11:59:59Z")));
        assert!(since.is_bounded() && !Period::default().is_bounded());
    }
}
