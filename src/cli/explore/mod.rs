//! Questions about one bundle: `get`, `describe`, `top`.

mod asking;
pub mod describe;
pub mod get;
mod notes;
mod redaction;
pub mod top;
