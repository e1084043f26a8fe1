//! Files that may be bundles: archives, recognised by content, and folders with unpacked bundles.
//!
//! A folder is walked twice: first to find unpacked bundles, then to list the files outside of them. Only files that the
//! caller does not know are opened, to recognise archives.

mod error;
mod inputs;
mod list;
pub mod objects;
mod search;
pub mod shard;
pub mod stamp;
mod walk;

pub use inputs::{Candidate, InputFiles};
pub use list::parse_paths;
