//! Matches by time.

use super::context::ContextChooser;
use super::line::text_line;
use super::pattern::Pattern;
use super::search::{Context, Search};
use crate::explore::lines::{Answer, Block, Chooser, Give, Key, PeriodFilter, Question, Reading, Undated, answer};
use crate::log::Page;

/// What is known of the lines after they were given.
#[derive(Debug)]
pub struct GrepAnswer {
    pub answer: Answer,
    /// Matches that the period leaves out because their time is not known.
    pub undated: u64,
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
