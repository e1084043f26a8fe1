//! The store: an SQLite file with everything that was found, written by one process at a time and read by anybody.
//!
//! [`schema`] makes and migrates it, [`write`] puts in what became of one file in one transaction, [`read`] looks up what is
//! known of a file, [`merge`] brings several stores together.

mod database;
mod error;
mod file;
mod ids;
mod merge;
mod read;
pub mod schema;
#[cfg(test)]
mod tests;
mod write;

pub use database::Store;
pub use error::StoreError;
pub use file::{FileRow, Status};
pub use ids::number;
pub use merge::Merged;
pub use read::{Holdings, KnownFile, Original, RuleRow};
