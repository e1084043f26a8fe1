//! Lines that match a pattern, in all texts of a bundle.

mod context;
mod line;
mod matches;
mod pattern;
mod search;
mod tally;

pub use matches::grep;
pub use pattern::Pattern;
pub use search::{Context, Search, Within, texts};
pub use tally::{By, Counts, count};
