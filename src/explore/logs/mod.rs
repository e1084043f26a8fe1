//! Lines of the logs of a pod, a node, or an entry.

mod missing;
mod target;

use crate::log::{LevelReader, Page};
use crate::model::unexplained::Level;

use super::lines::{
    Answer, Block, Chooser, Give, Key, Period, PeriodFilter, Question, Reading, TextLine, Undated, answer,
};

pub use missing::Missing;
pub use target::{Instance, Target, find};

/// Which lines of the logs are asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Choice {
    pub period: Period,
    /// Lowest level.
    pub level: Option<Level>,
    /// True if lines are given with their levels.
    pub levels: bool,
    /// Number of last lines.
    pub tail: Option<usize>,
    /// First and last line of the entry.
    pub lines: Option<(u64, u64)>,
}

/// What is known of the lines after they were given.
#[derive(Debug)]
pub struct LogsAnswer {
    pub answer: Answer,
    /// Lines that the period leaves out because their time is not known.
    pub undated: u64,
}

/// Gives the lines of some texts: of one as they stand, of several by time.
pub fn logs(reading: &Reading<'_>, texts: &[usize], choice: Choice, memory: usize, give: Give<'_>) -> LogsAnswer {
    let undated = Undated::default();
    let question = Question { texts, first: None, last: choice.tail, memory };
    let answer = answer(reading, &question, &|text| Box::new(LogChooser::new(reading, text, choice, &undated)), give);
    LogsAnswer { answer, undated: undated.all() }
}

/// Chooses lines of one log.
struct LogChooser<'u> {
    text: usize,
    choice: Choice,
    levels: LevelReader,
    period: PeriodFilter<'u>,
}

impl<'u> LogChooser<'u> {
    fn new(reading: &Reading<'_>, text: usize, choice: Choice, undated: &'u Undated) -> Self {
        let of_node = reading.texts.texts.get(text).is_some_and(|text| text.source.unit().is_some());
        let period = PeriodFilter::new(choice.period, text, undated);
        Self { text, choice, levels: LevelReader::new(of_node), period }
    }
}

impl Chooser for LogChooser<'_> {
    fn page(&mut self, page: &mut Page<'_>, wants: &dyn Fn(Key) -> bool) -> Vec<Block> {
        let reads_levels = self.choice.levels || self.choice.level.is_some();
        let (mut lines, mut picked) = (Vec::new(), Vec::new());
        for line in page.lines() {
            let level =
                if reads_levels { self.levels.of(page.text().get(line.clone()).unwrap_or_default()) } else { None };
            if self.choice.level.is_some_and(|least| level.is_none_or(|level| level < least)) {
                continue;
            }
            let place = page.place(&line);
            if self.choice.lines.is_some_and(|(first, last)| place.number < first || place.number > last) {
                continue;
            }
            let key = Key { time: place.time, text: self.text, position: page.position(&line) };
            if self.period.holds(place.time) && wants(key) {
                picked.push((key, place, level));
                lines.push(line);
            }
        }
        let block = |((key, place, level), shown): ((Key, crate::log::LinePlace, Option<Level>), String)| {
            let line =
                TextLine { text: key.text, number: place.number, time: place.time, shown, level, is_match: true };
            Block { key, lines: vec![line] }
        };
        picked.into_iter().zip(page.shown(&lines)).map(block).collect()
    }

    fn end(&mut self) -> Option<Block> {
        self.period.end();
        None
    }
}
