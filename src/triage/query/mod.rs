//! Answers from a store: built-in questions and SQL ([`question`]), whole tables ([`export`]), and output formats ([`sink`]).

pub mod export;
pub mod question;
pub mod sink;

pub use question::{QueryError, Question, TemplateFilter};
