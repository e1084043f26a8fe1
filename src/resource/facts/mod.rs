//! Facts that the objects give about the cluster as a whole: versions of products, nodes, identity.
//!
//! [`ClusterFacts`] looks in several places for each product, the most reliable first ([`versions`]), and fills the
//! parts of [`crate::model::BundleFacts`] that come from objects.

mod cluster_facts;
mod lookup;
mod nodes;
mod versions;

pub use cluster_facts::ClusterFacts;
pub use nodes::NodeArchives;
