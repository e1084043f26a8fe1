//! Questions about one bundle, answered on standard output.

mod lines;
pub mod logs;
mod session;
