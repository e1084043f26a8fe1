//! Kubernetes objects of a bundle: identity, body, and how to find them.
//!
//! A [`Resource`] is one object and points into the [`crate::yaml::Document`] it was read from. [`dump::read_objects`]
//! finds the objects of a document, an [`IndexBuilder`] puts those of all documents together. The
//! [`ResourceIndex`] finds them by type, name, uid, owner and label, holds the unified
//! [`Event`]s and Helm releases, and knows what was [`Collected`]. [`ClusterFacts`] are what the
//! objects say about the cluster as a whole.
//!
//! | room | what it holds |
//! |---|---|
//! | [`types`] | names of types, and the table of known ones |
//! | [`dump`] | objects in YAML and JSON, in every shape of list |
//! | [`table`] | rows of kubectl's tables as partial objects |
//! | [`describe`] | texts of `kubectl describe` as partial objects |
//! | [`helm`] | records of Helm as releases |
//! | [`collector_errors`] | failures that the collector reports |
//! | [`index`] | the index of all objects, and what was collected |
//! | [`metadata`] | the bundle's own description |
//! | [`facts`] | versions, nodes and identity of the cluster |

pub mod collector_errors;
pub mod describe;
pub mod dump;
pub mod facts;
mod generated_name;
pub mod helm;
pub mod index;
pub mod metadata;
mod newest;
mod object;
mod scalar;
pub mod table;
pub mod types;

pub use collector_errors::CollectorErrors;
pub use dump::{DumpObjects, DumpPlace, content, summary};
pub use facts::{ClusterFacts, NodeArchives};
pub use generated_name::is_generated;
pub use helm::payload;
pub use index::{Collected, Collection, Empties, Event, IndexBuilder, ResourceIndex};
pub use metadata::Metadata;
pub use newest::newest_time;
pub use object::{Resource, ResourceId};
pub use scalar::{parse_time, scalar_at};
pub use types::TypeName;
