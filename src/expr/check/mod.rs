//! Checks before a bundle is read: kinds of values, fields and joins.

pub(super) mod infer;
pub(super) mod join;
pub mod shape;
