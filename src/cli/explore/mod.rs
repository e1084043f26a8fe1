//! Questions about one bundle, answered on standard output.

mod asking;
pub mod describe;
pub mod events;
pub mod get;
pub mod grep;
mod lines;
pub mod logs;
mod notes;
mod redaction;
mod session;
mod table;
pub mod timeline;
pub mod top;
