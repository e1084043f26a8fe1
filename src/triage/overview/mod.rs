//! Data of web pages about a store: [`Snapshot`] reads one state of the store.
//!
//! Copies count once, by the first of their files. Lists on pages have at most `LISTED` rows; counts include everything.

mod axes;
mod bundles;
mod clusters;
mod counts;
mod customers;
mod evidence;
mod quarter;
mod reasons;
mod rules;
mod snapshot;
mod templates;

pub use bundles::FileLocation;
pub use snapshot::Snapshot;
