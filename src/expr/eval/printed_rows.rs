//! Rows that `columns()` printed, kept for all rules: some 40 rules ask for the row of every pod.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::expr::eval::stop::Answer;
use crate::resource::ResourceId;

/// Most rows that are kept, about 1 KiB each; the others are printed for every question.
const MOST: usize = 1 << 15;

/// Rows by resource.
#[derive(Debug, Default)]
pub(in crate::expr) struct PrintedRows {
    rows: Box<[OnceLock<Box<Answer<'static>>>]>,
    kept: AtomicUsize,
}

impl PrintedRows {
    /// Makes room for the rows of that many resources.
    pub fn new(resources: usize) -> Self {
        Self { rows: (0..resources).map(|_| OnceLock::new()).collect(), kept: AtomicUsize::new(0) }
    }

    /// Returns the row of a resource, printed by `print` if it is not known yet.
    pub fn get<'a>(&self, id: ResourceId, print: impl FnOnce() -> Answer<'a>) -> Answer<'a> {
        let Some(place) = self.rows.get(id as usize) else { return print() };
        if let Some(known) = place.get() {
            return (**known).clone();
        }
        let row = print();
        if self.kept.fetch_add(1, Ordering::Relaxed) < MOST
            && let Some(row) = lasting_answer(&row)
        {
            // Another thread may have printed the same.
            let _ = place.set(Box::new(row));
        }
        row
    }
}

fn lasting_answer(row: &Answer<'_>) -> Option<Answer<'static>> {
    match row {
        Ok(row) => row.lasting().map(Ok),
        Err(stop) => Some(Err(stop.clone())),
    }
}
