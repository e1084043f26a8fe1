//! Samples lines for the time range of a source: each of the first ones, then some, and the last.

use std::ops::Range;

use memchr::{memchr, memrchr};

use super::state::{Dating, FIRST_LINES, JUMP};
use crate::log::source::line;

/// Bytes between sampled lines, after the first lines.
const STEP: usize = 32 << 10;
/// Bytes between sampled lines where logs of several containers follow each other.
const STEP_SEVERAL: usize = 2 << 10;
/// Number of lines at a sample that are searched for a stamp.
const NEAR: usize = 8;

impl Dating {
    /// Samples the lines before a position, always the first and the last of them.
    pub(super) fn look_until(&mut self, lines: &[u8], end: usize) {
        let lines = lines.get(..end).unwrap_or_default();
        let step = if self.several { STEP_SEVERAL } else { STEP };
        while self.probe.at < end {
            let from = self.probe.at;
            let near = line::ranges(lines, from).take(NEAR);
            let mut behind = end;
            for range in near {
                behind = range.end + 1;
                self.probe.looked += 1;
                if self.look(lines, range) {
                    break;
                }
            }
            self.probe.at = behind.max(from + 1);
            if self.probe.looked >= FIRST_LINES {
                self.probe.at = next_line(lines, self.probe.at + step).unwrap_or(end);
                if self.probe.at >= end {
                    self.look_at_last(lines);
                }
            }
        }
    }

    /// Looks at the last line that has a stamp.
    fn look_at_last(&mut self, lines: &[u8]) {
        let from = self.probe.seen;
        let mut end = lines.len() - usize::from(lines.ends_with(b"\n"));
        for _ in 0..NEAR {
            if end <= from {
                return;
            }
            let before = lines.get(..end).unwrap_or_default();
            let start = memrchr(b'\n', before).map_or(0, |at| at + 1);
            if start < from || self.look(lines, start..end) {
                return;
            }
            end = start.saturating_sub(1);
        }
    }

    /// Adds the time of a line; returns false if it has none. If times jump back, the lines in between count, too.
    fn look(&mut self, lines: &[u8], range: Range<usize>) -> bool {
        if self.truncated.is_some_and(|truncated| range.end <= truncated) {
            return false;
        }
        let Some(time) = self.own(line::trim(lines.get(range.clone()).unwrap_or_default())) else { return false };
        let before = self.probe.last.replace(time);
        if before.is_some_and(|before| before.duration_since(time) > JUMP) && !self.newest_first {
            for between in line::ranges(lines.get(..range.start).unwrap_or_default(), self.probe.seen) {
                let time = self.own(line::trim(lines.get(between).unwrap_or_default()));
                time.into_iter().for_each(|time| self.time_range.see(time));
            }
        }
        self.probe.seen = range.end + 1;
        self.time_range.see(time);
        true
    }
}
/// Returns the position of the first line that begins at a position or later.
fn next_line(lines: &[u8], position: usize) -> Option<usize> {
    let from = position.saturating_sub(1);
    memchr(b'\n', lines.get(from..)?).map(|at| from + at + 1).filter(|at| *at < lines.len())
}
