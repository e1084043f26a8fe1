//! Logs as they are read: who wrote them, which queries want them, and their text line by line.

mod clean;
pub(super) mod entry;
pub(super) mod journal;
pub(super) mod line;
pub(super) mod origin;
mod runtime;
pub(super) mod selector;
pub(super) mod stamp;
pub(super) mod text;
pub(super) mod window;
