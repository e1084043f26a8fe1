//! Health of objects, without rules: one judgement for the comparison of bundles and for the list of what is broken.
//!
//! A [`Judge`] asks what an object reports: its conditions ([`conditions`]), its other fields ([`fields`]), the cells of its row in a kubectl
//! table ([`rows`]), its progress, and of pods what kubectl prints of them ([`pod`]). [`unhealthy`] lists and groups those in trouble.

mod claims;
mod conditions;
mod dependents;
mod fields;
mod judge;
mod migration;
mod owner;
mod places;
mod pod;
mod restarts;
mod rows;
mod trouble;
mod unhealthy;
mod warnings;
mod words;

pub use judge::{Judge, PASSING};
pub use owner::{deployment_of_pod, workload};
pub use unhealthy::{Explained, unhealthy};
