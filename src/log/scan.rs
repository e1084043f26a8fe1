//! The hot path: one pass over one source for all patterns that read it.
//!
//! A [`Scanner`] asks the plan's automaton for the next line with a literal of any pattern; only such
//! lines are cut out, and only lines not seen lately are given to regular expressions. What it finds
//! are [`SourceHits`].
//!
//! What was tried, and what it gave (`cargo bench --bench references`, one thread, 16 MiB of generated logs, if nothing else is said):
//!
//! | way | gave |
//! |---|---|
//! | each of 50 expressions on each line | 85 MiB/s |
//! | one `RegexSet` of 50 on each line | 300 MiB/s |
//! | literals first, then the expressions of those that were met: as here | 1,500 MiB/s with 50, 1,200 MiB/s with 500 |
//! | one Aho-Corasick automaton over all literals instead of samples ([`super::grams`]) | 0.65 GB/s for the search alone, instead of 2 to 3 |
//! | all overlapping literals of a line in one search, instead of going on behind each | a fifth more time in all |
//! | classes of short and of long literals, each sampled in steps of its own | a pass more than it saved |
//! | verdicts kept by text ([`super::memo`]) | of 136,518 lines with a hit in a real bundle 5,245 were judged |

mod judge;
mod lines;
mod pass;
mod trouble;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;

use jiff::Timestamp;
use pass::Pass;

use super::dating::Zone;
use super::entry::Unit;
use super::hits;
use super::kept::Kept;
use super::pattern::{Clock, PatternSet};
use super::plan::Plan;
use super::text::Text;
use super::window::Window;
use super::{HitGroup, LogSource, QueryId};
use crate::model::Issue;

/// How much of a log is held at a time, and how much of a line patterns see.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Bytes of the window; for one line it grows by what that needs.
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
}

/// What one source gave.
#[derive(Clone, Debug)]
pub struct SourceHits {
    pub source: LogSource,
    pub lines: u64,
    pub bytes: u64,
    /// Earliest and latest time: where the source begins and ends, but for clocks that were not set.
    pub first: Option<Timestamp>,
    pub last: Option<Timestamp>,
    /// Lines that are longer than patterns see, as far as they were looked at.
    pub cut_lines: u64,
    /// Queries that may have hits here that are not among these, and why.
    pub(super) unseen: BTreeSet<(QueryId, Unseen)>,
    /// What went wrong; already names the entry.
    pub issues: Vec<Issue>,
    /// Whether it was read to its end.
    pub complete: bool,
    /// Whether the newest line comes first.
    pub(super) newest_first: bool,
    pub(super) zone: Zone,
    /// Groups whose keys hold only the captures of `by`.
    pub(super) groups: Vec<(QueryId, HitGroup)>,
    /// Hits that are kept beside the groups; they refer to these by position.
    pub(super) kept: BTreeMap<QueryId, Kept>,
    /// Of queries for single hits.
    pub(super) hits: Vec<hits::Kept>,
    /// Queries for single hits that had too many.
    pub(super) too_many: BTreeSet<QueryId>,
    /// Matching lines that `since` could not place in time.
    pub(super) undated: BTreeMap<QueryId, u64>,
}

/// Why hits of a query may be missing although its source was read to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Unseen {
    /// What was cut off of a line may hold the text.
    Cut,
    /// A filter of jq judged a line neither true nor false.
    GivenUp,
    /// Its hits fall into more groups than are kept.
    Groups,
}

impl Unseen {
    /// What the source has, behind its name.
    pub fn why(self) -> &'static str {
        match self {
            Self::Cut => "has lines longer than --max-line, whose rest was not searched",
            Self::GivenUp => "has lines whose JSON is too deep for a jq filter, or takes too many steps",
            Self::Groups => "has more groups of matching lines than are kept, and those beyond were not counted",
        }
    }
}

impl<'s> Scanner<'s> {
    pub(super) fn new(set: &'s PatternSet, plans: [Arc<Plan>; 2], source: LogSource, clock: Clock) -> Self {
        Self { set, plans, source, clock, limits: Limits::default(), before: 0 }
    }

    /// Patterns see so many bytes of a line instead of 1 MiB.
    pub fn max_line(mut self, bytes: usize) -> Self {
        self.limits.line = bytes;
        self
    }

    /// The source begins on a later line of its entry than the first; 1-based.
    pub fn from_line(mut self, line: u64) -> Self {
        self.before = line.saturating_sub(1);
        self
    }

    #[cfg(test)]
    pub(super) fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Reads the source to its end. A reading error ends the pass and becomes an [`Issue`].
    pub fn scan(self, input: &mut dyn io::Read) -> SourceHits {
        let Limits { window, line } = self.limits;
        let longest = window.saturating_add(line);
        let [lines, entries] = &self.plans;
        let folds = !entries.queries.is_empty();
        let mut window = Window::new(window, longest, if folds { Unit::Entry } else { Unit::Line });
        let mut text = Text::new(input, longest);
        let pass = |plan, unit| Pass::new(self.set, plan, &self.source, self.clock, (unit, line)).after(self.before);
        let mut by_line = pass(lines, Unit::Line);
        let mut by_entry = folds.then(|| pass(entries, Unit::Entry));
        while window.advance(&mut text) {
            let jumps = text.take_jumps();
            by_line.window(&window, &jumps);
            by_entry.iter_mut().for_each(|pass| pass.window(&window, &jumps));
        }
        // What the end of the log told, which no window is behind.
        by_line.lines.jump(&text.take_jumps());
        let read = pass::Read { bytes: text.bytes, cut_lines: window.cut_lines, error: window.error };
        let mut hits = by_line.finish(self.source.clone(), &read);
        hits.lines = hits.lines.saturating_sub(self.before);
        if let Some(pass) = by_entry {
            hits.join(pass.finish(self.source.clone(), &read));
        }
        hits
    }
}

impl SourceHits {
    /// Adds what another pass over the same source found.
    fn join(&mut self, mut other: Self) {
        let before = self.groups.len();
        other.kept.values_mut().flat_map(|kept| &mut kept.hits).for_each(|hit| hit.group += before);
        self.kept.extend(other.kept);
        self.groups.extend(other.groups);
        self.hits.extend(other.hits);
        self.unseen.extend(other.unseen);
        self.too_many.extend(other.too_many);
        self.undated.extend(other.undated);
        self.issues.extend(other.issues.into_iter().filter(|issue| !self.issues.contains(issue)).collect::<Vec<_>>());
    }
}
