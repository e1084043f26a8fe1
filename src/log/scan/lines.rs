//! The numbers of lines while a source streams by.

use std::collections::VecDeque;
use std::ops::Range;

use memchr::memchr_iter;

use crate::log::source::text::Jump;

/// Counts line ends, each once.
#[derive(Default)]
pub(super) struct Lines {
    /// Line ends before a position of the window.
    counted: (usize, u64),
    /// Where in the text the window's fresh part begins, less its place in the window.
    position: u64,
    /// Where the number of lines jumps, from there on.
    jumps: VecDeque<Jump>,
}

impl Lines {
    /// So many lines of the entry stand before the source.
    pub fn after(before: u64) -> Self {
        Self { counted: (0, before), ..Self::default() }
    }

    /// A window comes, whose fresh part begins at `position` of the text.
    pub fn enter(&mut self, fresh: &Range<usize>, position: u64) {
        self.counted.0 = fresh.start;
        self.position = position.wrapping_sub(fresh.start as u64);
    }

    /// Takes note of where the number of lines jumps.
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

    /// The line end of a cut or last line stands nowhere, but it is a line.
    pub fn end_unseen(&mut self) {
        self.counted.1 += 1;
    }

    /// All of them, at the end of the source.
    pub fn all(&self) -> u64 {
        self.jumps.iter().fold(self.counted.1, |lines, (_, by)| lines.saturating_add_signed(*by))
    }
}
