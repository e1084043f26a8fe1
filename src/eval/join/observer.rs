//! Observer of join steps, used by `rules explain`.

use crate::eval::join::combination::Row;
use crate::expr::{Expr, Slot};

/// Observes the steps of a join. A method that is not overridden costs one call for each step.
pub trait JoinObserver<'a> {
    /// Whether it counts candidates, so that all are tried, even if the result is known earlier.
    fn counts(&self) -> bool {
        false
    }

    /// Called before a fact is bound to these combinations, by these conditions.
    fn binding(&mut self, _slot: Slot, _conditions: &[&Expr], _rows: &[Row<'a>]) {}

    /// Called after it was bound: how many of its candidates were tried and how many met the first condition, the second as well, and
    /// so on; and how many combinations there are now.
    fn bound(&mut self, _met: &[usize], _combinations: usize) {}

    /// Called before a condition of `when` is tested on these combinations.
    fn filtering(&mut self, _condition: &Expr, _rows: &[Row<'a>]) {}

    /// Called with the number of combinations that are left.
    fn filtered(&mut self, _combinations: usize) {}

    /// Called after a group of `unless` was looked for: with the combinations in which it was found, and the number of those left.
    fn forbidden(&mut self, _group: &[Slot], _found: &[Row<'a>], _combinations: usize) {}
}

/// No observer.
impl JoinObserver<'_> for () {}
