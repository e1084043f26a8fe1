//! Evaluates the tree over values of a bundle.

pub(super) mod arithmetic;
pub(super) mod budget;
pub(super) mod closed;
pub(super) mod compare;
pub(super) mod decodings;
pub(super) mod display;
pub(super) mod elements;
pub(super) mod evaluation;
pub(super) mod limits;
mod loops;
pub(super) mod member;
pub(super) mod place;
pub(super) mod printed_rows;
pub(super) mod stop;
pub mod time;
mod trace;
pub mod value;
pub mod world;
