//! A cell of a table, and ages in it.

use jiff::Timestamp;

use crate::model::age;
use crate::resource::{Resource, parse_time};

/// Text of a cell whose value is not known.
pub const UNKNOWN: &str = "<unknown>";

/// A cell below its header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    pub header: String,
    pub text: String,
    pub is_wide: bool,
}

impl Cell {
    pub fn new(header: &str, text: String) -> Self {
        Self { header: header.to_owned(), text, is_wide: false }
    }

    pub fn wide(header: &str, text: String) -> Self {
        Self { is_wide: true, ..Self::new(header, text) }
    }
}

/// Returns the age of an object at the time of the collection.
pub fn created(resource: &Resource, now: Option<Timestamp>) -> String {
    since(resource.body().str_at(&["metadata", "creationTimestamp"]).and_then(parse_time), now)
}

/// Returns the time from a moment to the collection.
pub fn since(moment: Option<Timestamp>, now: Option<Timestamp>) -> String {
    let passed = moment.zip(now).map(|(moment, now)| age::human(now.duration_since(moment)));
    passed.unwrap_or_else(|| UNKNOWN.to_owned())
}
