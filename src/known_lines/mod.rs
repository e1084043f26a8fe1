//! Known lines: templates whose meaning is data, matched with the templates of logs and the messages of events, never with lines.

mod key;
mod lines;
mod programs;
mod shipped;
mod template;

pub use lines::{KnownHere, KnownLineSource, KnownLines};
pub use shipped::{ShippedIndex, ShippedLine, ShippedLines};
pub use template::Template;
