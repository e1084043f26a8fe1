//! Rule files as written: every key checked, every value with its place, nothing resolved yet.
//!
//! [`key_table`] has one row for each key. [`read_rule`] reads a file into a [`rule::RuleSource`] with the other `read_*`
//! files; [`reader`] turns nodes of YAML into values, [`locate`] finds their places, [`yaml_pitfalls`] explains what YAML
//! reads differently than it was meant.

pub mod basis;
pub mod document;
pub mod fact;
pub mod key_table;
pub mod keys;
pub mod locate;
mod read_any;
mod read_fact;
mod read_log;
pub mod read_rule;
mod read_sequence;
pub mod reader;
pub mod rule;
pub mod texts;
pub mod yaml_pitfalls;
