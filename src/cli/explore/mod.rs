//! Questions about one bundle, answered on standard output.

pub mod describe;
pub mod events;
pub mod get;
pub mod grep;
mod lines;
pub mod logs;
mod notes;
mod session;
mod table;
pub mod timeline;
pub mod top;
