//! Objects of one document: every shape of list that collectors write.
//!
//! [`read_objects`] looks at one document alone, so that many can be read in parallel; an
//! [`super::IndexBuilder`] puts the [`DumpObjects`] together. [`content`] recognises what the bytes of a file are, [`summary`]
//! reads the objects that troubleshoot.sh writes in a form of its own.

pub mod content;
mod identity;
pub(super) mod objects;
pub(super) mod place;
mod reader;
pub mod summary;
#[cfg(test)]
mod tests;

pub use objects::DumpObjects;
pub use place::DumpPlace;
pub use reader::read_objects;
