//! Templates of log lines: what stays the same of a line whose numbers, names and values change.
//!
//! [`header`] removes what a logging library or a collector writes before a message, and reads its level; [`token`] walks
//! over the words of a message and leaves out what varies; [`miner`] counts the templates of one source while it
//! streams by. Only lines that warn, or report an error, have a template with a text: the others are left as soon
//! as their level is read, or known by a hash. [`likeness`] knows lines that differ only in digits from such a line. [`parts`] takes a single line apart in the same way.
//! [`foreign`] knows lines that are no messages.

mod foreign;
pub(in crate::log) mod header;
mod likeness;
pub(in crate::log) mod miner;
pub(in crate::log) mod parts;
mod severity;
pub(in crate::log) mod token;
