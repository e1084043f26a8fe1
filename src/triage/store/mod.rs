//! Store: an SQLite file with all results, written by one process at a time and read by any number.
//!
//! [`schema`] creates and migrates it, [`write`] stores the results of one file in one transaction, [`read`] looks up files and
//! rules, [`merge`] merges stores, and `tickets` keeps what people know about files.

mod database;
mod error;
mod file;
mod ids;
mod merge;
mod read;
pub mod schema;
#[cfg(test)]
mod tests;
mod tickets;
mod write;

pub use database::Store;
pub use error::StoreError;
pub use file::{FileRow, Status};
pub use ids::number;
pub use read::{KnownFile, Original, RuleRow};
