//! Matches with lines around them.

use std::collections::VecDeque;

use super::{Context, Line, Pattern, text_line};
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
    /// The last lines before the page that no block has.
    recent: VecDeque<TextLine>,
    open: Option<Open>,
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
        Self { pattern, text, period, context, recent: VecDeque::new(), open: None }
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

    /// Begins a block with the lines before a match.
    fn begin(&mut self, key: Key, is_wanted: bool) {
        let lines = std::mem::take(&mut self.recent).into();
        self.open = Some(Open { block: Block { key, lines }, is_wanted, left: 0 });
    }

    fn add(&mut self, line: TextLine) {
        match &mut self.open {
            Some(open) if line.is_match || open.left > 0 => {
                open.left = if line.is_match { self.context.after } else { open.left - 1 };
                open.block.lines.push(line);
            }
            _ => {
                self.recent.push_back(line);
                let surplus = self.recent.len().saturating_sub(self.context.before);
                self.recent.drain(..surplus);
            }
        }
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
            if *is_match && self.open.as_ref().is_none_or(|open| open.left == 0 || open.block.lines.len() >= LONGEST) {
                blocks.extend(self.close());
                let key = Key { time: place.time, text: self.text, position: page.position(line) };
                self.begin(key, wants(key));
            }
            self.add(text_line(self.text, place.number, place.time, shown, *is_match));
        }
        if self.open.as_ref().is_some_and(|open| open.left == 0) {
            blocks.extend(self.close());
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
