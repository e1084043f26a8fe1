//! `gleaner triage` over archives of many small bundles of all kinds.

mod archive;
mod budgets;
mod clusters;
mod inputs;
mod interrupted;
mod resumed;
mod rows;
mod shards;
mod stores;
