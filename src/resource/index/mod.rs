//! The index of all objects of a bundle, and what was collected.
//!
//! An [`IndexBuilder`] takes the objects of all entries and makes a [`ResourceIndex`] of them. A [`Collection`] knows the dumps,
//! and answers as [`Collected`] whether the absence of an object proves anything.

mod builder;
mod collected;
mod collection;
mod completeness;
#[cfg(test)]
mod corpus;
mod event;
mod failure_groups;
mod merge;
mod resource_index;
#[cfg(test)]
pub(super) mod testing;

pub use builder::IndexBuilder;
pub use collected::Collected;
pub use collection::{Collection, Empties};
pub use event::Event;
pub use resource_index::ResourceIndex;
