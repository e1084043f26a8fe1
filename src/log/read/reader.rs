//! Reads a text page by page.

use std::io::Read;
use std::ops::ControlFlow;

use super::page::{Page, Progress};
use super::secrets::Before;
use crate::log::scan::lines::Lines;
use crate::log::source::entry::TextUnit;
use crate::log::source::origin::LogSource;
use crate::log::source::text::LogText;
use crate::log::source::window::Window;
use crate::log::time::clock::Clock;
use crate::log::time::dating::state::Dating;

/// Bytes of a page; it grows for a long line.
const PAGE: usize = 256 << 10;

/// Reads the lines of one text.
#[derive(Clone, Copy, Debug)]
pub struct LineReader<'s> {
    source: &'s LogSource,
    clock: Clock,
    max_line: usize,
    /// Lines of the entry before the text.
    before: u64,
    /// Borders between years in the text.
    years: u32,
    /// Bytes of a text that is no log.
    whole: Option<usize>,
}

impl<'s> LineReader<'s> {
    /// Begins a log.
    pub fn new(source: &'s LogSource, clock: Clock) -> Self {
        Self { source, clock, max_line: 1 << 20, before: 0, years: 0, whole: None }
    }

    /// Sets the bytes of a line that are shown, instead of 1 MiB.
    pub fn max_line(self, bytes: usize) -> Self {
        Self { max_line: bytes, ..self }
    }

    /// Sets the line of the entry on which the text begins; 1-based.
    pub fn start_at_line(self, line: u64) -> Self {
        Self { before: line.saturating_sub(1), ..self }
    }

    /// Sets the number of borders between years, which an earlier reading of a log that writes no years found.
    pub fn years(self, years: u32) -> Self {
        Self { years, ..self }
    }

    /// Reads a text of so many bytes that is no log: its lines have no times, and its secrets are found as in a file.
    pub fn whole(self, bytes: usize) -> Self {
        Self { whole: Some(bytes), ..self }
    }

    /// Shows the pages to `visit` until it breaks. Returns the borders between years at which lines were found to be older than their stamps
    /// said; if there are more than the reader was told, times before them were too late.
    pub fn read(self, input: &mut dyn Read, visit: &mut dyn FnMut(&mut Page<'_>) -> ControlFlow<()>) -> u32 {
        // UTF-16 takes up to half as much room again as UTF-8.
        let page = self.whole.map_or(PAGE, |bytes| bytes.saturating_mul(2).saturating_add(1));
        let longest = page.saturating_add(self.max_line);
        let mut window = Window::new(page, longest, TextUnit::Line);
        let mut text = LogText::new(input, longest);
        let mut progress = self.progress();
        while window.advance(&mut text) {
            let (all, fresh) = (window.lines(), window.fresh());
            progress.lines.enter(&fresh, window.position());
            progress.lines.jump(&text.take_jumps());
            progress.dating.iter_mut().for_each(|dating| dating.enter(all, fresh.clone()));
            let mut page = Page {
                all,
                fresh: fresh.clone(),
                position: window.position(),
                progress: &mut progress,
                max_line: self.max_line,
                is_cut: window.cuts_last_line(),
                is_whole: self.whole.is_some(),
            };
            if visit(&mut page).is_break() {
                return progress.years;
            }
            page.cross(fresh.end);
            progress.dating.iter_mut().for_each(|dating| dating.leave(all, fresh.end));
            progress.lines.before(all, fresh.end);
            let unseen = all.get(fresh.clone()).unwrap_or_default();
            if !unseen.ends_with(b"\n") {
                progress.lines.end_unseen();
            }
            progress.before.leave(unseen);
        }
        progress.years
    }

    fn progress(&self) -> Progress {
        // Containers have their own zone, which is UTC unless a line states another.
        let clock = Clock { zone: self.clock.zone.filter(|_| self.source.node().is_some()), ..self.clock };
        let dating = self.whole.is_none().then(|| Dating::new(clock, self.source.is_of_all_containers()));
        Progress {
            dating,
            lines: Lines::after(self.before),
            before: Before::default(),
            years_to_come: self.years,
            years: 0,
        }
    }
}
