//! Lines of the texts of a bundle in the order of their times, in bounded memory.
//!
//! A [`Chooser`] picks lines of one text, page by page. Lines of one text are given as they are read. Those of several are
//! merged: each pass over the texts keeps the earliest lines that fit into [`order::MEMORY`], and the next pass goes on after them, so that
//! any number of lines comes in order without being kept. All of a usual bundle fits into one pass.

mod label;
mod line;
mod order;
mod period;
mod reading;
mod sink;
#[cfg(test)]
mod tests;
mod undated;

pub use label::{is_named, label, short_labels};
pub use line::{Block, Key, TextLine};
pub use order::{Answer, MEMORY, Question, answer};
pub use period::{Period, When, WhenError};
pub use reading::{PageVisitor, Reading};
pub use sink::{Chooser, Give};
pub use undated::{PeriodFilter, Undated};
