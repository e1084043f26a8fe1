//! Facts of a rule: what each of them finds in the bundle before it meets the others.

pub(super) mod alternative_set;
pub(super) mod alternatives;
pub(super) mod candidate;
mod events;
mod files;
mod logs;
pub(super) mod lookup;
pub(super) mod resources;
mod sequence;
