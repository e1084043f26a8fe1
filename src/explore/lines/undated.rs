//! Lines that a period leaves out because their time is not known.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::period::Period;
use jiff::Timestamp;

/// Numbers of lines without a time, by text; each pass over a text replaces its number.
#[derive(Debug, Default)]
pub struct Undated(Mutex<BTreeMap<usize, u64>>);

impl Undated {
    /// Returns the number of all these lines.
    pub fn all(&self) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).values().sum()
    }

    fn set(&self, text: usize, count: u64) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(text, count);
    }
}

/// A period that is applied to the lines of one text.
#[derive(Debug)]
pub struct PeriodFilter<'u> {
    period: Period,
    text: usize,
    undated: &'u Undated,
    count: u64,
}

impl<'u> PeriodFilter<'u> {
    pub fn new(period: Period, text: usize, undated: &'u Undated) -> Self {
        Self { period, text, undated, count: 0 }
    }

    /// Returns true if the period holds a line; one without a time is in no period.
    pub fn holds(&mut self, time: Option<Timestamp>) -> bool {
        if !self.period.is_bounded() {
            return true;
        }
        self.count += u64::from(time.is_none());
        time.is_some_and(|time| self.period.holds(time))
    }

    /// Notes the number of lines without a time.
    pub fn end(&self) {
        if self.count > 0 {
            self.undated.set(self.text, self.count);
        }
    }
}
