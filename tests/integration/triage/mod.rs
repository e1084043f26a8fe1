//! `gleaner triage` over archives of many small bundles of all kinds.

mod answers;
mod archive;
mod attempt;
mod budgets;
mod clusters;
mod inputs;
mod interrupted;
#[cfg(feature = "s3")]
mod objects;
mod pages;
mod questions;
mod resumed;
mod rows;
mod shards;
mod stores;
mod templates;
mod tickets;
