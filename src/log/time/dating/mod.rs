//! When the lines of one source were written.
//!
//! A line's time is the stamp before it, else the one its program wrote, else that of the nearest
//! earlier line that has one. Stamps are only parsed for lines that matter; [`state::Dating`] keeps what it
//! has learned, so that no line is looked at twice. Some lines are looked at to learn from when to when the log reaches
//! and whether its newest line comes first.

mod beginning;
mod line_time;
mod range_probe;
pub(in crate::log) mod state;
