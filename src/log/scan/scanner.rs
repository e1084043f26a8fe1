//! Scans one source for all queries that read it.

use std::io;
use std::sync::Arc;

use crate::log::group::source_hits::SourceHits;
use crate::log::scan::pass::Pass;
use crate::log::scan::programs::Programs;
use crate::log::scan::read_summary::ReadSummary;
use crate::log::time::clock::Clock;

use crate::log::pattern::plan::Plan;
use crate::log::pattern::set::{PatternSet, PlanKey};
use crate::log::source::entry::TextUnit;
use crate::log::source::origin::LogSource;
use crate::log::source::text::LogText;
use crate::log::source::window::Window;
use crate::log::template::miner::{Matched, Miner};

/// Limits of the window and of the part of a line that patterns see.
#[derive(Clone, Copy, Debug)]
pub(in crate::log) struct Limits {
    /// Bytes of the window; it grows for a long line.
    pub window: usize,
    /// Bytes of a line's text.
    pub line: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { window: 256 << 10, line: 1 << 20 }
    }
}

/// Scans one source for all queries that read it.
#[derive(Debug)]
pub struct Scanner<'s> {
    set: &'s PatternSet,
    /// For lines, and for entries.
    plans: [Arc<Plan>; 2],
    source: LogSource,
    clock: Clock,
    limits: Limits,
    /// Lines of the entry before the source.
    before: u64,
    /// True if a query reads it.
    asked: bool,
    programs: Programs,
}

impl PatternSet {
    /// Makes a scanner for one source; `None` if no query reads it.
    pub fn scanner(&self, source: &LogSource, logical_path: &str, clock: Clock) -> Option<Scanner<'_>> {
        let accepted = self.accepted(source, logical_path);
        let asked = accepted.contains(&true);
        (asked || self.mines_in(source)).then(|| {
            let has_unknown_writer = source.has_unknown_writer();
            let plan = |unit| self.plan(PlanKey { accepted: Arc::clone(&accepted), unit, has_unknown_writer });
            let plans = [TextUnit::Line, TextUnit::Entry].map(plan);
            let programs = Programs::of(self.programs(source, logical_path));
            Scanner { asked, programs, ..Scanner::new(self, plans, source.clone(), clock) }
        })
    }
}

impl<'s> Scanner<'s> {
    pub(in crate::log) fn new(set: &'s PatternSet, plans: [Arc<Plan>; 2], source: LogSource, clock: Clock) -> Self {
        Self {
            set,
            plans,
            source,
            clock,
            limits: Limits::default(),
            before: 0,
            asked: true,
            programs: Programs::default(),
        }
    }

    /// Sets the bytes of a line that patterns see, instead of 1 MiB.
    pub fn max_line(mut self, bytes: usize) -> Self {
        self.limits.line = bytes;
        self
    }

    /// Sets the line of the entry on which the source begins; 1-based.
    pub fn start_at_line(mut self, line: u64) -> Self {
        self.before = line.saturating_sub(1);
        self
    }

    #[cfg(test)]
    pub(in crate::log) fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Reads the source to its end. A reading error ends the pass and becomes an [`Issue`].
    pub fn scan(mut self, input: &mut dyn io::Read) -> SourceHits {
        let Limits { window, line } = self.limits;
        let longest = window.saturating_add(line);
        let [lines, entries] = &self.plans;
        let folds = !entries.queries.is_empty();
        let mut window = Window::new(window, longest, if folds { TextUnit::Entry } else { TextUnit::Line });
        let is_pasted = self.source.is_pasted();
        let text = LogText::new(input, longest);
        let mut text = if is_pasted { text.pasted(longest) } else { text.in_file_form(line) };
        let counts_undated = text.is_of_terminal() || is_pasted;
        let pass = |plan, unit| {
            let mut pass = Pass::new(self.set, plan, &self.source, self.clock, (unit, line)).after(self.before);
            pass.counts_undated = counts_undated;
            pass
        };
        let mut by_line = pass(lines, TextUnit::Line);
        let mut by_entry = folds.then(|| pass(entries, TextUnit::Entry));
        by_line.miner = self.set.mines_in(&self.source).then(|| Miner::new(&self.source));
        by_entry.iter_mut().for_each(|pass| pass.matched = self.set.mines_in(&self.source).then(Matched::new));
        while window.advance(&mut text) {
            let jumps = text.take_jumps();
            self.programs.look(window.lines().get(window.fresh()).unwrap_or_default());
            by_entry.iter_mut().for_each(|pass| pass.window(&window, &jumps, Matched::new()));
            let of_entries = by_entry.as_mut().and_then(|pass| pass.matched.replace(Matched::new()));
            by_line.window(&window, &jumps, of_entries.unwrap_or_default());
        }
        // Jumps at the end of the log, after the last window.
        by_line.lines.jump(&text.take_jumps());
        let read = ReadSummary { bytes: text.bytes, truncated_lines: window.truncated_lines, error: window.error };
        let mut hits = by_line.finish(self.source.clone(), &read);
        hits.lines = hits.lines.saturating_sub(self.before);
        hits.asked = self.asked;
        hits.programs = self.programs.found;
        hits.mined.iter_mut().for_each(|mined| mined.lines = hits.lines);
        if let Some(pass) = by_entry {
            hits.join(pass.finish(self.source.clone(), &read));
        }
        hits
    }
}
