//! Times of lines: years and zones that stamps leave out, and from when to when a log reaches.

pub(super) mod clock;
pub(super) mod dating;
pub(super) mod latest;
mod time_range;
pub(super) mod year;
pub(super) mod zone;
