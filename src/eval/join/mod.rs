//! Joins: facts are bound one after another, and conditions drop the combinations that they refute.

pub(super) mod bind;
pub(super) mod combination;
mod hash;
mod matching;
pub(super) mod observer;
mod state;
