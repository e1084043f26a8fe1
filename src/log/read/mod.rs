//! Reads the lines of one text for people: as they stand, with numbers, times and levels, and with secrets masked.
//!
//! A [`LineReader`] shows a text as [`Page`]s, windows of whole lines. Whoever reads looks for lines in the bytes of a page, and asks for
//! the place and the shown text only of those that are wanted.

mod level;
mod page;
mod reader;
mod secrets;
#[cfg(test)]
mod tests;

pub use level::LevelReader;
pub use page::{LinePlace, Page};
pub use reader::LineReader;
