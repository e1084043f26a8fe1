//! Answers from a store: built-in questions ([`question`]), SQL ([`sql`]), bundles that are like another one ([`like`]), whole tables ([`export`]), and output formats ([`sink`]).

pub mod export;
pub mod like;
pub mod question;
pub mod sink;
pub mod sql;

pub use question::{QueryError, Question, TemplateFilter};
