//! From rule files to a [`super::RuleSet`], or everything that is wrong with them.
//!
//! [`rule_set`] compiles all files together, [`rule`] one rule, with a [`compiler::Compiler`]; [`fact`], [`log`],
//! [`sequence`], [`group`] and [`texts`] compile its parts. [`names`] and [`explains`] check references between facts and
//! between rules.

pub mod compiler;
pub mod explains;
mod fact;
pub mod group;
pub mod id;
mod log;
pub mod names;
mod rule;
pub mod rule_set;
pub mod scan;
pub mod selector;
mod sequence;
mod texts;
