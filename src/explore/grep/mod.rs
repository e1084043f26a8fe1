//! Lines that match a pattern, in all texts of a bundle.

mod context;
mod pattern;
mod tally;

use std::ops::Range;

use super::lines::{
    Answer, Block, Chooser, Give, Key, Period, PeriodFilter, Question, Reading, TextLine, Undated, answer, is_named,
};
use crate::log::Page;
use crate::model::Glob;
use crate::pipeline::{BundleTexts, TextKind};

use context::ContextChooser;
pub use pattern::Pattern;
pub use tally::{By, Counts, count};

/// Texts in which lines are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Within {
    #[default]
    Logs,
    /// Dumps, tables and descriptions of objects.
    Dumps,
    All,
}

/// Lines shown around a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Context {
    pub before: usize,
    pub after: usize,
}

/// Which lines are shown.
#[derive(Clone, Copy, Debug)]
pub struct Search<'p> {
    pub pattern: &'p Pattern,
    pub period: Period,
    pub context: Context,
    /// Number of first matches.
    pub most: Option<usize>,
}

/// What is known of the lines after they were given.
#[derive(Debug)]
pub struct GrepAnswer {
    pub answer: Answer,
    /// Matches that the period leaves out because their time is not known.
    pub undated: u64,
}

/// Returns the texts in which lines are looked for: those of a kind, with a name that one of the globs matches, if there are any.
pub fn texts(all: &BundleTexts<'_>, within: Within, sources: &[Glob]) -> Vec<usize> {
    let is_kind = |kind: TextKind| match within {
        Within::Logs => kind == TextKind::Log,
        Within::Dumps => kind == TextKind::Dump,
        Within::All => true,
    };
    let texts = all.texts.iter().enumerate().filter(|(_, text)| is_kind(text.kind));
    let named = texts.filter(|(_, text)| sources.is_empty() || sources.iter().any(|glob| is_named(text, glob)));
    named.map(|(index, _)| index).collect()
}

/// Gives the matches in some texts by time, with their context.
pub fn grep(reading: &Reading<'_>, texts: &[usize], search: Search<'_>, memory: usize, give: Give<'_>) -> GrepAnswer {
    let undated = Undated::default();
    let question = Question { texts, first: search.most, last: None, memory };
    let open = |text: usize| -> Box<dyn Chooser + '_> {
        let period = PeriodFilter::new(search.period, text, &undated);
        if search.context == Context::default() {
            Box::new(MatchChooser { pattern: search.pattern, text, period })
        } else {
            Box::new(ContextChooser::new(search.pattern, text, period, search.context))
        }
    };
    let answer = answer(reading, &question, &open, give);
    GrepAnswer { answer, undated: undated.all() }
}

/// Chooses matches without context.
struct MatchChooser<'s> {
    pattern: &'s Pattern,
    text: usize,
    period: PeriodFilter<'s>,
}

impl Chooser for MatchChooser<'_> {
    fn page(&mut self, page: &mut Page<'_>, wants: &dyn Fn(Key) -> bool) -> Vec<Block> {
        let (mut lines, mut picked) = (Vec::new(), Vec::new());
        for line in self.pattern.matches(page) {
            let place = page.place(&line);
            let key = Key { time: place.time, text: self.text, position: page.position(&line) };
            if self.period.holds(place.time) && wants(key) {
                picked.push((key, place.number));
                lines.push(line);
            }
        }
        let block = |((key, number), shown): ((Key, u64), String)| Block {
            key,
            lines: vec![text_line(key.text, number, key.time, shown, true)],
        };
        picked.into_iter().zip(page.shown(&lines)).map(block).collect()
    }

    fn end(&mut self) -> Option<Block> {
        self.period.end();
        None
    }
}

fn text_line(text: usize, number: u64, time: Option<jiff::Timestamp>, shown: String, is_match: bool) -> TextLine {
    TextLine { text, number, time, shown, level: None, is_match }
}

/// Place of a line on a page.
type Line = Range<usize>;
