//! Records the steps of a join, with some of their combinations.

use crate::eval::join::combination::{Combination, Row};
use crate::eval::join::observer::JoinObserver;
use crate::expr::{Expr, Slot};

/// Largest number of combinations that are kept of each step; their count is exact.
const KEPT: usize = 200;

/// The steps of a join, in their order.
#[derive(Debug, Default)]
pub struct JoinRecord<'a> {
    pub steps: Vec<RecordedStep<'a>>,
}

/// One step; `after` is the number of combinations after it.
#[derive(Debug)]
pub enum RecordedStep<'a> {
    Bound {
        slot: Slot,
        conditions: Vec<Expr>,
        before: RecordedRows<'a>,
        met: Vec<usize>,
        after: usize,
    },
    Filtered {
        condition: Expr,
        before: RecordedRows<'a>,
        after: usize,
    },
    /// `found` are combinations with the facts of the group.
    Forbidden {
        group: Vec<Slot>,
        found: RecordedRows<'a>,
        after: usize,
    },
}

impl<'a> RecordedStep<'a> {
    fn after(&mut self) -> &mut usize {
        match self {
            Self::Bound { after, .. } | Self::Filtered { after, .. } | Self::Forbidden { after, .. } => after,
        }
    }
}

/// Combinations, of which the first are kept.
#[derive(Debug, Default)]
pub struct RecordedRows<'a> {
    pub kept: Vec<Combination<'a>>,
    pub count: usize,
}

impl<'a> RecordedRows<'a> {
    fn of(rows: &[Row<'a>]) -> Self {
        Self { kept: rows.iter().take(KEPT).map(|(_, row)| row.clone()).collect(), count: rows.len() }
    }
}

impl<'a> JoinRecord<'a> {
    fn end(&mut self, combinations: usize) {
        if let Some(step) = self.steps.last_mut() {
            *step.after() = combinations;
        }
    }
}

impl<'a> JoinObserver<'a> for JoinRecord<'a> {
    fn counts(&self) -> bool {
        true
    }

    fn binding(&mut self, slot: Slot, conditions: &[&Expr], rows: &[Row<'a>]) {
        let conditions = conditions.iter().map(|&condition| condition.clone()).collect();
        self.steps.push(RecordedStep::Bound {
            slot,
            conditions,
            before: RecordedRows::of(rows),
            met: Vec::new(),
            after: 0,
        });
    }

    fn bound(&mut self, counts: &[usize], combinations: usize) {
        self.end(combinations);
        if let Some(RecordedStep::Bound { met, .. }) = self.steps.last_mut() {
            *met = counts.to_vec();
        }
    }

    fn filtering(&mut self, condition: &Expr, rows: &[Row<'a>]) {
        self.steps.push(RecordedStep::Filtered {
            condition: condition.clone(),
            before: RecordedRows::of(rows),
            after: 0,
        });
    }

    fn filtered(&mut self, combinations: usize) {
        self.end(combinations);
    }

    fn forbidden(&mut self, group: &[Slot], found: &[Row<'a>], combinations: usize) {
        self.steps.push(RecordedStep::Forbidden {
            group: group.to_vec(),
            found: RecordedRows::of(found),
            after: combinations,
        });
    }
}
