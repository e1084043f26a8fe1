//! Who wants to know what a join does, step by step; most of the time nobody.

use crate::eval::join::combination::Row;
use crate::expr::{Expr, Slot};

/// Is told the steps of a join. What is not overridden costs a call a step.
pub trait JoinObserver<'a> {
    /// A fact is about to be bound to these combinations, by these conditions.
    fn binding(&mut self, _slot: Slot, _conditions: &[&Expr], _rows: &[Row<'a>]) {}

    /// It was bound: how many of its candidates were tried and how many met the first condition, the second as well, and
    /// so on; and how many combinations there are now.
    fn bound(&mut self, _met: &[usize], _combinations: usize) {}

    /// A condition on the whole is about to be tested on these combinations.
    fn filtering(&mut self, _condition: &Expr, _rows: &[Row<'a>]) {}

    /// How many combinations are left.
    fn filtered(&mut self, _combinations: usize) {}

    /// A group of `unless` was looked for: these combinations with what was found are there, and so many are left without.
    fn forbidden(&mut self, _group: &[Slot], _found: &[Row<'a>], _combinations: usize) {}
}

/// Nobody.
impl JoinObserver<'_> for () {}
