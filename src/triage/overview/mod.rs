//! What a store shows as a whole, as plain data for pages: [`Snapshot`] answers for one moment of the store.
//!
//! Each content counts once, by the first of its files. What a page lists is bounded by `LISTED`; counts are of everything.

mod axes;
mod bundles;
mod clusters;
mod counts;
mod evidence;
mod rules;
mod snapshot;

pub use bundles::FileLocation;
pub use snapshot::Snapshot;
