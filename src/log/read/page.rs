//! Window of whole lines of a text.

use std::ops::Range;

use jiff::Timestamp;

use super::secrets::{Before, masks_of_whole};
use crate::log::group::mask;
use crate::log::scan::lines::Lines;
use crate::log::source::line;
use crate::log::time::dating::state::{Crossing, Dating};
use crate::log::time::year::year_earlier;

/// Number and time of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinePlace {
    /// 1-based line of the entry.
    pub number: u64,
    /// None before the first stamp of a text, and in texts that are no logs.
    pub time: Option<Timestamp>,
}

/// State of reading a text that goes on from page to page.
pub(super) struct Progress {
    /// None for texts that are no logs.
    pub dating: Option<Dating>,
    pub lines: Lines,
    pub before: Before,
    /// Borders between years that are still to come: the text before them was written as many years earlier than its stamps say.
    pub years_to_come: u32,
    /// Borders between years so far.
    pub years: u32,
}

/// Whole lines of a text.
pub struct Page<'p> {
    pub(super) all: &'p [u8],
    pub(super) fresh: Range<usize>,
    /// Position of the first line in the text.
    pub(super) position: u64,
    pub(super) progress: &'p mut Progress,
    /// Bytes of a line that are shown.
    pub(super) max_line: usize,
    /// True if the last line continues beyond the page.
    pub(super) is_cut: bool,
    /// True if the page is the whole text, whose secrets are found together.
    pub(super) is_whole: bool,
}

impl<'p> Page<'p> {
    /// Returns the text up to the end of the page; what is before [`Page::start`] was on the page before.
    pub fn text(&self) -> &'p [u8] {
        self.all.get(..self.fresh.end).unwrap_or_default()
    }

    /// Returns where the first line begins.
    pub fn start(&self) -> usize {
        self.fresh.start
    }

    /// Returns the places of all lines, without their ends.
    pub fn lines(&self) -> impl Iterator<Item = Range<usize>> + use<'p> {
        line::ranges(self.text(), self.fresh.start)
    }

    /// Returns the line around a position.
    pub fn around(&self, position: usize) -> Range<usize> {
        line::around(self.text(), self.fresh.start, position)
    }

    /// Returns true if the text writes no years and may be longer than one.
    pub fn watches_years(&self) -> bool {
        self.progress.dating.as_ref().is_some_and(|dating| dating.watch.is_some())
    }

    /// Returns number and time of a line; ask for lines in their order.
    pub fn place(&mut self, line: &Range<usize>) -> LinePlace {
        let time = self.time(line);
        LinePlace { number: self.progress.lines.before(self.all, line.start) + 1, time }
    }

    /// Returns the position of a line in the text, in bytes; bytes that were removed do not count.
    pub fn position(&self, line: &Range<usize>) -> u64 {
        self.position + (line.start - self.fresh.start) as u64
    }

    fn time(&mut self, line: &Range<usize>) -> Option<Timestamp> {
        self.cross(line.start);
        let dating = self.progress.dating.as_mut()?;
        let (_, stamp) = line::text(self.all, line.clone(), self.max_line);
        let time = dating.time_of(self.all, line.clone(), stamp)?;
        Some((0..self.progress.years_to_come).fold(time, |time, _| year_earlier(time)))
    }

    /// Passes the borders between years before a position.
    pub(super) fn cross(&mut self, position: usize) {
        let Progress { dating: Some(dating), years, years_to_come, .. } = &mut *self.progress else { return };
        while let Some(crossing) = dating.crosses(self.all, position) {
            if crossing == Crossing::Newer {
                *years += 1;
                *years_to_come = years_to_come.saturating_sub(1);
            }
        }
    }

    /// Returns lines as they are shown, with their secrets masked. Damaged UTF-8 is replaced, and a line that is too long ends in `…`.
    pub fn shown(&self, lines: &[Range<usize>]) -> Vec<String> {
        if self.is_whole {
            return self.masked(lines, masks_of_whole(self.all, lines));
        }
        let follows = |a: &Range<usize>, b: &Range<usize>| a.end + 1 == b.start;
        let page = self.all.get(self.fresh.start..).unwrap_or_default();
        let inside = |line: &Range<usize>| line.start - self.fresh.start..line.end - self.fresh.start;
        let runs = lines.chunk_by(follows).flat_map(|run| {
            let masks = self.progress.before.masks(page, &run.iter().map(inside).collect::<Vec<_>>());
            self.masked(run, masks)
        });
        runs.collect()
    }

    fn masked(&self, lines: &[Range<usize>], masks: Vec<Vec<Range<usize>>>) -> Vec<String> {
        lines.iter().zip(masks).map(|(line, masks)| self.shown_line(line, &masks)).collect()
    }

    fn shown_line(&self, line: &Range<usize>, masks: &[Range<usize>]) -> String {
        let whole = self.all.get(line.clone()).unwrap_or_default();
        let (kept, is_long) = if whole.len() > self.max_line { (self.max_line, true) } else { (whole.len(), false) };
        let shown = mask::without(whole, 0..kept, masks);
        let mut shown = String::from_utf8_lossy(line::trim(&shown)).into_owned();
        if is_long || (self.is_cut && line.end == self.fresh.end) {
            shown.push('…');
        }
        shown
    }
}
