//! Rules for readers: facts in words, lists, pages in Markdown, the schema for editors.

pub mod describe;
mod fence;
pub mod listing;
pub mod page;
pub mod pages;
pub mod schema;
