//! Dates the lines of one source.
//!
//! A line's time is the stamp before it, else the one its program wrote, else that of the nearest
//! earlier line that has one. Stamps are only parsed for lines that matter; [`state::Dating`] keeps the
//! results, so that no line is looked at twice. Further lines are sampled for the time range of the log
//! and the order of its lines.

mod beginning;
mod line_time;
mod range_probe;
pub(in crate::log) mod state;
