//! Answers to questions about one bundle, without rules: what is asked and what is answered, as data for any output.

pub mod lines;
pub mod logs;
mod redaction;

pub use redaction::Redaction;
