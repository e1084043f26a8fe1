//! Answers to questions about one bundle: what is asked and what is answered, as data for any output.

pub mod age;
pub mod events;
pub mod grep;
pub mod lines;
pub mod logs;
mod named_object;
mod redaction;
pub mod timeline;

pub use named_object::{NamedObject, NoObject};
pub use redaction::Redaction;
