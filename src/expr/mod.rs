//! Expressions of rules: CEL with "absent is null", a third value "undecided", and evidence.
//!
//! The grammar is that of CEL's specification. Parser and evaluation are our own, because every operator differs from standard CEL (absent
//! is null, exact division, a third truth value) and because conditions must report the fields that they read. An
//! [`Expr`] is compiled once against the names of its rule, each name being a [`Slot`], and evaluated against a
//! [`World`] and the values in the slots.

mod check;
mod conjuncts;
mod error;
mod eval;
mod expression;
mod functions;
mod nearest;
mod parse;
pub mod polarity;
mod scope;
mod template_access;
#[cfg(test)]
mod tests;
mod truth;

pub use check::infer::{Doubt, DoubtKind, Shapes, comparison_doubt, function_result};
pub use check::join::{JoinKey, JoinKind};
pub use check::shape::{self, Shape};
pub use conjuncts::Conjuncts;
pub use error::{ErrorKind, ExprError};
pub use eval::compare::Key;
pub use eval::value::{self, FileFact, Text, Value};
pub use eval::world::World;
pub use expression::Expr;
pub use functions::columns::{defined_columns, printed_cells};
pub use nearest::nearest;
pub use parse::ast::{Arithmetic, Comparison};
pub use parse::pattern::Pattern;
pub use scope::{Scope, Slot};
pub use template_access::{check_arguments, display, function_docs, function_names};
pub use truth::{TracedField, Truth};
