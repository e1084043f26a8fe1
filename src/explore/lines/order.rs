//! Brings the lines of several texts in order, in bounded memory.

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use super::line::{Block, Key};
use super::reading::{PageVisitor, Reading};
use super::sink::{Chooser, Give, Sink};
use crate::log::Page;
use crate::model::Issue;

/// Bytes of lines that a pass keeps.
pub const MEMORY: usize = 256 << 20;

/// Which texts are asked for, and how many lines.
#[derive(Clone, Debug)]
pub struct Question<'q> {
    /// Indices of texts, sorted.
    pub texts: &'q [usize],
    /// Only so many blocks at the beginning.
    pub first: Option<usize>,
    /// Only so many blocks at the end.
    pub last: Option<usize>,
    /// Bytes of lines that a pass keeps.
    pub memory: usize,
}

/// What is known of an answer after it was given.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// Blocks that were chosen, and those of them that were given.
    pub chosen: u64,
    pub given: u64,
    /// What could not be read.
    pub issues: Vec<Issue>,
}

/// Returns the chooser of a text.
pub type Open<'r, 'c> = &'r (dyn Fn(usize) -> Box<dyn Chooser + 'c> + Sync);

/// Gives the lines that choosers pick: those of one text as they stand, those of several by time.
pub fn answer(reading: &Reading<'_>, question: &Question<'_>, open: Open<'_, '_>, give: Give<'_>) -> Answer {
    let run = Run { reading, question, open };
    match question.texts {
        [_] if question.first.is_none() => run.streamed(give),
        _ => run.merged(give),
    }
}

struct Run<'r, 'q, 'c> {
    reading: &'r Reading<'q>,
    question: &'r Question<'r>,
    open: Open<'r, 'c>,
}

impl Run<'_, '_, '_> {
    /// Passes over the texts, again with a new sink if times were wrong.
    fn pass<S: Sink>(&self, sink: impl Fn() -> S) -> (S, Vec<Issue>) {
        let chosen = |index: usize| self.question.texts.binary_search(&index).is_ok();
        // Each log is read again once at most: its borders between years are all known then.
        loop {
            let sink = sink();
            let by_time = self.question.texts.len() > 1;
            let issues = self.reading.pass(&chosen, &|index| {
                Box::new(Chosen { chooser: (self.open)(index), sink: &sink, by_time, is_wanted: true })
            });
            if let Some(issues) = issues {
                return (sink, issues);
            }
        }
    }

    /// Gives the lines of one text as they are read. Its years must be known before the first line is given.
    fn streamed(&self, give: Give<'_>) -> Answer {
        let from = match self.question.last {
            Some(last) => self.pass(|| Survey::new(last)).0.found(),
            None => {
                self.glance();
                None
            }
        };
        let (stream, issues) = self.pass(|| Stream { from, give, counts: Mutex::default() });
        let (chosen, given) = stream.counts.into_inner().unwrap_or_else(PoisonError::into_inner);
        Answer { chosen, given, issues }
    }

    /// Finds the borders between years of a text; of one that writes them only the first page is read.
    fn glance(&self) {
        let chosen = |index: usize| self.question.texts.binary_search(&index).is_ok();
        // What cannot be read is reported when its lines are read.
        let _ = self.reading.pass(&chosen, &|_| Box::new(Glance));
    }

    fn merged(&self, give: Give<'_>) -> Answer {
        let from = self.question.last.and_then(|last| self.pass(|| Survey::new(last)).0.found());
        let mut left = self.question.first;
        let (mut answer, mut after) = (Answer::default(), None);
        loop {
            let (earliest, issues) = self.pass(|| Earliest::new(after, from, left, self.question.memory));
            let Kept { mut blocks, seen, is_all, .. } = earliest.into_kept();
            if after.is_none() {
                (answer.chosen, answer.issues) = (seen, issues);
            }
            after = blocks.last().map(|block| block.key);
            blocks.truncate(left.unwrap_or(usize::MAX));
            left = left.map(|left| left - blocks.len());
            answer.given += blocks.len() as u64;
            let is_done = is_all || blocks.is_empty() || left == Some(0);
            if (!blocks.is_empty() && give(blocks).is_break()) || is_done {
                return answer;
            }
        }
    }
}

/// Lets a chooser read a text, and passes on what it picks.
struct Chosen<'s, 'c, S: Sink> {
    chooser: Box<dyn Chooser + 'c>,
    sink: &'s S,
    by_time: bool,
    is_wanted: bool,
}

impl<S: Sink> Chosen<'_, '_, S> {
    fn hand_on(&mut self, blocks: Vec<Block>) -> ControlFlow<()> {
        let taken = if blocks.is_empty() { ControlFlow::Continue(()) } else { self.sink.take(blocks) };
        self.is_wanted &= taken.is_continue();
        taken
    }
}

impl<S: Sink> PageVisitor for Chosen<'_, '_, S> {
    fn page(&mut self, page: &mut Page<'_>) -> ControlFlow<()> {
        let (sink, by_time) = (self.sink, self.by_time);
        let ordered = |key: Key| if by_time { key } else { Key { time: None, ..key } };
        let mut blocks = self.chooser.page(page, &|key| sink.wants(ordered(key)));
        blocks.iter_mut().for_each(|block| block.key = ordered(block.key));
        self.hand_on(blocks)
    }

    fn end(&mut self) {
        if let Some(mut block) = self.chooser.end().filter(|_| self.is_wanted) {
            block.key.time = block.key.time.filter(|_| self.by_time);
            // Nothing comes after it.
            let _ = self.hand_on(vec![block]);
        }
    }
}

/// Passes over the lines of a text, as long as it may have borders between years.
struct Glance;

impl PageVisitor for Glance {
    fn page(&mut self, page: &mut Page<'_>) -> ControlFlow<()> {
        if page.watches_years() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn end(&mut self) {}
}

/// Finds the first of the last blocks.
struct Survey {
    most: usize,
    keys: Mutex<Vec<Key>>,
}

impl Survey {
    fn new(last: usize) -> Self {
        Self { most: last, keys: Mutex::default() }
    }

    /// Returns the key of the first block that is wanted; none if all are.
    fn found(self) -> Option<Key> {
        let mut keys = self.keys.into_inner().unwrap_or_else(PoisonError::into_inner);
        keys.sort_unstable();
        // Without any line wanted, none is after the last one but itself.
        let from = keys.len().checked_sub(self.most)?;
        keys.get(from).copied().or_else(|| keys.last().map(|last| Key { position: last.position + 1, ..*last }))
    }
}

impl Sink for Survey {
    fn wants(&self, key: Key) -> bool {
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        keys.push(key);
        if keys.len() / 2 > self.most.max(1000) {
            keys.sort_unstable();
            let surplus = keys.len() - self.most.max(1);
            keys.drain(..surplus);
        }
        false
    }

    fn take(&self, _: Vec<Block>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Gives the blocks of one text as they are read.
struct Stream<'g> {
    from: Option<Key>,
    give: Give<'g>,
    /// Blocks that were chosen, and given.
    counts: Mutex<(u64, u64)>,
}

impl Sink for Stream<'_> {
    fn wants(&self, key: Key) -> bool {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).0 += 1;
        self.from.is_none_or(|from| key >= from)
    }

    fn take(&self, blocks: Vec<Block>) -> ControlFlow<()> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).1 += blocks.len() as u64;
        (self.give)(blocks)
    }
}

/// Keeps the earliest blocks after a key that fit into memory.
struct Earliest {
    after: Option<Key>,
    from: Option<Key>,
    memory: usize,
    most: usize,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    blocks: Vec<Block>,
    bytes: usize,
    /// Later blocks are not kept.
    until: Option<Key>,
    seen: u64,
    /// False if blocks were left out.
    is_all: bool,
}

impl Earliest {
    fn new(after: Option<Key>, from: Option<Key>, most: Option<usize>, memory: usize) -> Self {
        let kept = Kept { is_all: true, ..Kept::default() };
        Self { after, from, memory, most: most.unwrap_or(usize::MAX), kept: Mutex::new(kept) }
    }

    /// Returns the blocks in order.
    fn into_kept(self) -> Kept {
        let mut kept = self.kept.into_inner().unwrap_or_else(PoisonError::into_inner);
        kept.blocks.sort_unstable_by_key(|block| block.key);
        kept
    }
}

impl Kept {
    /// Keeps only blocks of so many bytes, but at least one.
    fn shorten(&mut self, memory: usize, most: usize) {
        self.blocks.sort_unstable_by_key(|block| block.key);
        let mut bytes = 0;
        let fits = self.blocks.iter().take(most).take_while(|block| {
            bytes += block.bytes();
            bytes <= memory
        });
        let fitting = fits.count().max(1);
        if fitting < self.blocks.len() {
            self.blocks.truncate(fitting);
            self.until = self.blocks.last().map(|block| block.key);
            self.is_all = false;
        }
        self.bytes = self.blocks.iter().map(Block::bytes).sum();
    }
}

impl Sink for Earliest {
    fn wants(&self, key: Key) -> bool {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.seen += 1;
        if self.after.is_some_and(|after| key <= after) || self.from.is_some_and(|from| key < from) {
            return false;
        }
        let fits = kept.until.is_none_or(|until| key < until);
        kept.is_all &= fits;
        fits
    }

    fn take(&self, blocks: Vec<Block>) -> ControlFlow<()> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let until = kept.until;
        kept.bytes += blocks.iter().map(Block::bytes).sum::<usize>();
        kept.blocks.extend(blocks.into_iter().filter(|block| until.is_none_or(|until| block.key <= until)));
        if kept.bytes > self.memory || kept.blocks.len() / 2 > self.most {
            kept.shorten(self.memory / 2, self.most);
        }
        ControlFlow::Continue(())
    }
}
