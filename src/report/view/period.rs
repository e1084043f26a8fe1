//! When something on the page was, for the filter by period.

use jiff::Timestamp;
use serde::Serialize;

/// First and last second since 1970, `1772359200 1772362800`; without an end it lasts. Scripts read it from `data-at`.
#[derive(Serialize)]
#[serde(transparent)]
pub struct Period(String);

impl Period {
    /// Returns the period of something that was seen, if any time of it is known.
    pub fn seen(first: Option<Timestamp>, last: Option<Timestamp>) -> Option<Self> {
        let first = first.or(last)?;
        Some(Self(format!("{} {}", first.as_second(), last.unwrap_or(first).as_second())))
    }

    /// Returns the period of something that lasts since a time.
    pub fn since(first: Option<Timestamp>) -> Option<Self> {
        first.map(|first| Self(first.as_second().to_string()))
    }
}
