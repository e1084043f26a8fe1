//! Containers of bundles: zip, tar, compressed files and folders. Each is listed as a [`listing::Listing`].

pub(super) mod detect;
pub(super) mod dir;
pub(super) mod guard;
pub(super) mod layer;
pub(super) mod listing;
pub(super) mod packed;
pub(super) mod packing;
pub(super) mod parts;
mod sparse;
mod tally;
pub(super) mod tar;
pub(super) mod zip;
