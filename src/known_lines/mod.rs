//! Known lines: templates whose meaning is data, matched with the templates of logs and the messages of events, never with lines.

mod lines;
mod programs;
mod template;

pub use lines::{KnownHere, KnownLineSource, KnownLines};
pub use template::Template;
