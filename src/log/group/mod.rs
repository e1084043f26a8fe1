//! Hits: their groups while a source is scanned, and the answers from all sources together.

pub(super) mod answer;
pub(super) mod boots;
pub(super) mod burst;
mod copies;
pub(super) mod groups;
pub(super) mod hit_group;
pub(super) mod index;
mod mark;
pub(super) mod mask;
mod merge;
pub(super) mod retained;
pub(super) mod sample;
pub mod sequence;
pub(super) mod single_hits;
pub(super) mod source_hits;
