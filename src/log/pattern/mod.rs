//! Queries of all rules, compiled once: patterns, their literals, and the plan for each kind of source.

mod boot_query;
pub(super) mod built_in;
pub(super) mod compile;
pub(super) mod compiled_query;
pub(super) mod expression;
mod grams;
pub(super) mod literal;
mod literal_table;
pub(super) mod plan;
pub(super) mod query;
pub(super) mod retention;
pub(super) mod set;
mod syntax;
