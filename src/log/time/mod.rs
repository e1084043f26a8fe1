//! Times of lines: the years and zones that stamps leave out, and the time range of a log.

pub(super) mod clock;
pub(super) mod dating;
pub(super) mod latest;
mod time_range;
pub(super) mod year;
pub(super) mod zone;
