//! Answers from a store: built-in questions and SQL ([`question`]), bundles that are like another one ([`like`]), whole tables ([`export`]), and output formats ([`sink`]).

pub mod export;
pub mod like;
pub mod question;
pub mod sink;

pub use question::{QueryError, Question, TemplateFilter};
