//! Facts of a rule: finds the candidates of each of them in the bundle, before joins.

pub(super) mod alternative_set;
pub(super) mod alternatives;
pub(super) mod candidate;
mod events;
mod files;
mod logs;
pub(super) mod lookup;
pub(super) mod resources;
mod sequence;
