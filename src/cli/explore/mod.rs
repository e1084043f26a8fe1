//! Questions about one bundle, answered on standard output.

pub mod events;
pub mod grep;
mod lines;
pub mod logs;
mod session;
mod table;
pub mod timeline;
