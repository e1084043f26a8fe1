//! Matches with lines around them.

use std::collections::VecDeque;

use super::line::{Line, text_line};
use super::pattern::Pattern;
use super::search::Context;
use crate::explore::lines::{Block, Chooser, Key, PeriodFilter, TextLine};
use crate::log::{LinePlace, Page};

/// Lines of a block after which the next match begins a new one.
const LONGEST: usize = 1000;

/// Chooses matches and the lines around them; matches whose contexts touch stay together.
pub(super) struct ContextChooser<'s> {
    pattern: &'s Pattern,
    text: usize,
    period: PeriodFilter<'s>,
    context: Context,
    /// The last lines that no block has, without a gap.
    recent: VecDeque<TextLine>,
    open: Option<Open>,
    /// Number of the last line that was looked at.
    last: Option<u64>,
}

/// A block that may go on.
struct Open {
    block: Block,
    is_wanted: bool,
    /// Lines that are still to be added.
    left: usize,
}

impl<'s> ContextChooser<'s> {
    pub fn new(pattern: &'s Pattern, text: usize, period: PeriodFilter<'s>, context: Context) -> Self {
        Self { pattern, text, period, context, recent: VecDeque::new(), open: None, last: None }
    }

    /// Returns all lines of a page with their places, and whether they match in the period.
    fn lines(&mut self, page: &mut Page<'_>) -> Vec<(Line, LinePlace, bool)> {
        let mut matches = self.pattern.matches(page).into_iter().peekable();
        let mut lines = Vec::new();
        for line in page.lines() {
            let place = page.place(&line);
            let is_match = matches.next_if(|found| found.start == line.start).is_some();
            lines.push((line, place, is_match && self.period.holds(place.time)));
        }
        lines
    }

    /// Ends the open block, if there is one that is wanted.
    fn close(&mut self) -> Option<Block> {
        self.open.take().filter(|open| open.is_wanted).map(|open| open.block)
    }

    /// Takes the next line near a match; returns the block that ended before it. `begin` returns the key of the block that a match
    /// begins, and whether that is wanted.
    fn take(&mut self, line: TextLine, begin: &dyn Fn() -> (Key, bool)) -> Option<Block> {
        let mut closed = None;
        if self.last.replace(line.number).is_some_and(|last| line.number > last + 1) {
            closed = self.close();
            self.recent.clear();
        }
        if line.is_match {
            if self.open.as_ref().is_some_and(|open| open.block.lines.len() >= LONGEST) {
                closed = self.close();
            }
            let open = self.open.get_or_insert_with(|| {
                let (key, is_wanted) = begin();
                Open { block: Block { key, lines: Vec::new() }, is_wanted, left: 0 }
            });
            open.block.lines.extend(self.recent.drain(..).chain([line]));
            open.left = self.context.after;
        } else if let Some(open) = self.open.as_mut().filter(|open| open.left > 0) {
            open.left -= 1;
            open.block.lines.push(line);
        } else {
            self.recent.push_back(line);
            if self.recent.len() > self.context.before {
                self.recent.pop_front();
                closed = closed.or_else(|| self.close());
            }
        }
        closed
    }
}

impl Chooser for ContextChooser<'_> {
    fn page(&mut self, page: &mut Page<'_>, wants: &dyn Fn(Key) -> bool) -> Vec<Block> {
        let lines = self.lines(page);
        let nearby = near_matches(&lines, self.context, self.open.as_ref().map_or(0, |open| open.left));
        let shown: Vec<Line> = nearby.iter().filter_map(|at| lines.get(*at)).map(|(line, ..)| line.clone()).collect();
        let mut blocks = Vec::new();
        for (at, shown) in nearby.into_iter().zip(page.shown(&shown)) {
            let Some((line, place, is_match)) = lines.get(at) else { continue };
            let key = Key { time: place.time, text: self.text, position: page.position(line) };
            let line = text_line(self.text, place.number, place.time, shown, *is_match);
            blocks.extend(self.take(line, &|| (key, wants(key))));
        }
        blocks
    }

    fn end(&mut self) -> Option<Block> {
        self.period.end();
        self.close()
    }
}

/// Returns the positions of lines that may be shown: matches, lines around them, the first ones after an open block, and the last ones, which
/// the next page may need.
fn near_matches(lines: &[(Line, LinePlace, bool)], context: Context, open: usize) -> Vec<usize> {
    let mut near = vec![false; lines.len()];
    let mut mark = |from: usize, to: usize| near.iter_mut().take(to).skip(from).for_each(|near| *near = true);
    mark(0, open);
    mark(lines.len().saturating_sub(context.before), lines.len());
    for at in lines.iter().enumerate().filter(|(_, (.., is_match))| *is_match).map(|(at, _)| at) {
        mark(at.saturating_sub(context.before), (at + 1).saturating_add(context.after));
    }
    near.iter().enumerate().filter(|(_, near)| **near).map(|(at, _)| at).collect()
}
