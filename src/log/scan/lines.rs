//! Line numbers while a source streams by.

use std::collections::VecDeque;
use std::ops::Range;

use memchr::memchr_iter;

use crate::log::source::text::Jump;

/// Counts line ends, each once.
#[derive(Default)]
pub(in crate::log) struct Lines {
    /// Line ends before a position of the window.
    counted: (usize, u64),
    /// Position of the window's fresh part in the text, less its position in the window.
    position: u64,
    /// Positions from which line numbers jump.
    jumps: VecDeque<Jump>,
}

impl Lines {
    /// Sets the number of lines of the entry before the source.
    pub fn after(before: u64) -> Self {
        Self { counted: (0, before), ..Self::default() }
    }

    /// Begins a window whose fresh part begins at `position` of the text.
    pub fn enter(&mut self, fresh: &Range<usize>, position: u64) {
        self.counted.0 = fresh.start;
        self.position = position.wrapping_sub(fresh.start as u64);
    }

    /// Adds positions at which line numbers jump.
    pub fn jump(&mut self, jumps: &[Jump]) {
        self.jumps.extend(jumps);
    }

    /// Line ends before a position of the window; ask for positions in their order.
    pub fn before(&mut self, all: &[u8], position: usize) -> u64 {
        let between = all.get(self.counted.0..position).unwrap_or_default();
        let mut count = self.counted.1 + memchr_iter(b'\n', between).count() as u64;
        let place = self.position.wrapping_add(position as u64);
        while let Some((_, by)) = self.jumps.front().filter(|(at, _)| *at <= place) {
            count = count.saturating_add_signed(*by);
            self.jumps.pop_front();
        }
        self.counted = (position, count);
        count
    }

    /// Counts a line of the window if all before it are counted: looking for its end again was a seventh of what templates cost.
    pub fn pass(&mut self, all: &[u8], line: &Range<usize>) {
        let (counted, count) = self.counted;
        if counted == line.start && self.jumps.is_empty() && all.get(line.end) == Some(&b'\n') {
            self.counted = (line.end + 1, count + 1);
        }
    }

    /// Counts a truncated or last line, which has no line end.
    pub fn end_unseen(&mut self) {
        self.counted.1 += 1;
    }

    /// Returns the number of all lines, at the end of the source.
    pub fn all(&self) -> u64 {
        self.jumps.iter().fold(self.counted.1, |lines, (_, by)| lines.saturating_add_signed(*by))
    }
}
