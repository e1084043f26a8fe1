//! Sources: logs and their writers, selectors of sources, and the text of a log, line by line.

mod clean;
pub(super) mod entry;
pub(super) mod journal;
mod journal_entry;
pub(super) mod line;
mod months;
pub(super) mod origin;
mod runtime;
pub(super) mod selector;
pub(super) mod stamp;
mod terminal;
pub(super) mod text;
pub(super) mod window;
