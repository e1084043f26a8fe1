//! The hot path: one pass over one source for all patterns that read it.
//!
//! A [`Scanner`] asks the plan's automaton for the next line with a literal of any pattern; only such
//! lines are cut out, and only lines not seen lately are given to regular expressions. What it finds
//! are [`SourceHits`].

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;
use std::ops::Range;
use std::sync::Arc;

use jiff::Timestamp;
use memchr::memchr_iter;

use super::dating::{Crossing, Dating, Zone};
use super::entry::{self, Unit};
use super::expression::Expression;
use super::group::{Assigned, Counted, Groups, MAX_GROUPS, Spot};
use super::hits::{self, Hits, MAX_HITS};
use super::journal;
use super::jq::Verdict;
use super::kept::{Keep, Kept, MAX_MARKS, MAX_WHOLE};
use super::line;
use super::memo::{Memo, place_of};
use super::pattern::{Clock, PatternSet};
use super::plan::{ExpressionId, Plan, Slot};
use super::text::{Jump, Text};
use super::window::Window;
use super::{HitGroup, LogSource, QueryId};
use crate::model::{Issue, IssueKind, Origin};

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
        let pass = |plan, unit| {
            let pass = Pass::new(self.set, plan, &self.source, self.clock, (unit, line));
            Pass { counted: (0, self.before), ..pass }
        };
        let mut by_line = pass(lines, Unit::Line);
        let mut by_entry = folds.then(|| pass(entries, Unit::Entry));
        while window.advance(&mut text) {
            let jumps = text.take_jumps();
            by_line.window(&window, &jumps);
            by_entry.iter_mut().for_each(|pass| pass.window(&window, &jumps));
        }
        // What the end of the log told, which no window is behind.
        by_line.jumps.extend(text.take_jumps());
        let read = Read { bytes: text.bytes, cut_lines: window.cut_lines, error: window.error };
        let mut hits = by_line.finish(self.source.clone(), &read);
        hits.lines = hits.lines.saturating_sub(self.before);
        if let Some(pass) = by_entry {
            hits.join(pass.finish(self.source.clone(), &read));
        }
        hits
    }
}

/// How reading a source went.
struct Read {
    bytes: u64,
    /// Lines of which the window shows only the beginning.
    cut_lines: u64,
    error: Option<io::Error>,
}

impl SourceHits {
    /// Adds what another pass over the same source found.
    fn join(&mut self, mut other: Self) {
        let before = self.groups.len();
        other.kept.values_mut().flat_map(|kept| &mut kept.hits).for_each(|hit| hit.group += before);
        self.kept.extend(other.kept);
        self.groups.extend(other.groups);
        self.hits.extend(other.hits);
        self.too_many.extend(other.too_many);
        self.undated.extend(other.undated);
        self.issues.extend(other.issues.into_iter().filter(|issue| !self.issues.contains(issue)).collect::<Vec<_>>());
    }
}

/// From when on hits of a query count.
#[derive(Clone, Copy, Debug)]
enum Since {
    Always,
    From(Timestamp),
    /// The collection time is not known, so no line's age is.
    Unknown,
}

/// How a test stands with the current line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Out,
    Candidate,
    Match,
    NoMatch,
}

/// A query that a text is a hit of.
#[derive(Clone, Copy, Debug)]
struct Outcome {
    slot: Slot,
    query: QueryId,
    expression: ExpressionId,
    group: Target,
}

/// The group of an [`Outcome`]; only looked for when the first of its hits counts.
#[derive(Clone, Copy, Debug)]
enum Target {
    Unknown,
    Group(Assigned),
    Refused,
}

/// The state of a pass over one source.
struct Pass<'s> {
    set: &'s PatternSet,
    plan: &'s Plan,
    since: Vec<Since>,
    /// What of the hits is kept, by slot.
    keep: Vec<Keep>,
    /// The slot that looks for boots.
    boots: Option<Slot>,
    unit: Unit,
    max_line: usize,
    started: bool,
    dating: Dating,
    groups: Groups<'s>,
    hits: Hits,
    memo: Memo<Vec<Outcome>>,
    marks: Vec<Mark>,
    undated: Vec<u64>,
    cut_lines: u64,
    /// Different lines that a filter of jq gave up.
    given_up: u64,
    /// Where a line ends that goes on beyond the window.
    cut_at: Option<usize>,
    /// Line ends before a position of the window.
    counted: (usize, u64),
    /// Where in the text the window's fresh part begins, less its place in the window.
    position: u64,
    /// Where the number of lines jumps, from there on.
    jumps: VecDeque<Jump>,
}

impl<'s> Pass<'s> {
    fn new(
        set: &'s PatternSet,
        plan: &'s Plan,
        source: &LogSource,
        clock: Clock,
        (unit, max_line): (Unit, usize),
    ) -> Self {
        let since = |id: &QueryId| since(set, *id, clock.now);
        let writer = source.writer();
        let keep = |id: &QueryId| set.keep_of(*id, writer.as_deref());
        // Containers have their own zone, which is UTC unless they say otherwise.
        let clock = Clock { zone: clock.zone.filter(|_| source.node().is_some()), ..clock };
        Self {
            set,
            plan,
            since: plan.queries.iter().map(since).collect(),
            keep: plan.queries.iter().map(keep).collect(),
            boots: set.boots().and_then(|id| plan.queries.binary_search(&id).ok()),
            unit,
            max_line,
            started: false,
            dating: Dating::new(clock, source.is_of_all_containers()),
            groups: Groups::new(set, Arc::clone(&source.entry)),
            hits: Hits::default(),
            memo: Memo::new(),
            marks: vec![Mark::Out; plan.tests.len()],
            undated: vec![0; plan.queries.len()],
            cut_lines: 0,
            given_up: 0,
            cut_at: None,
            counted: (0, 0),
            position: 0,
            jumps: VecDeque::new(),
        }
    }

    fn window(&mut self, window: &Window, jumps: &[Jump]) {
        let (all, fresh) = (window.lines(), window.fresh());
        self.counted.0 = fresh.start;
        self.position = window.position().wrapping_sub(fresh.start as u64);
        self.jumps.extend(jumps);
        self.dating.enter(all, fresh.clone());
        self.cut_at = window.cuts_last_line().then_some(fresh.end);
        let unseen = all.get(..fresh.end).unwrap_or_default();
        // A log without any stamp has no entries but its lines.
        if !std::mem::replace(&mut self.started, true) && !entry::any(unseen) {
            self.unit = Unit::Line;
        }
        if self.plan.always.is_empty() {
            self.promising_lines(all, unseen, fresh.start);
        } else {
            self.unit.all(unseen, fresh.start).for_each(|unit| self.unit(all, unit));
        }
        self.cross(all, fresh.end);
        self.dating.leave(all, fresh.end);
        self.groups.settle(all);
        self.count_lines(all, fresh.end);
        // The line end of a cut or last line stands nowhere, but it is a line.
        self.counted.1 += u64::from(!unseen.ends_with(b"\n"));
    }

    fn promising_lines(&mut self, all: &[u8], unseen: &[u8], start: usize) {
        let mut search = self.plan.search(unseen);
        let mut at = start;
        while let Some(found) = search.next(at) {
            let unit = self.unit.around(unseen, at, found);
            at = (unit.end + 1).min(unseen.len());
            self.unit(all, unit);
        }
    }

    /// A line, or an entry.
    fn unit(&mut self, all: &[u8], line: Range<usize>) {
        if !self.unit.is_whole(all, &line) {
            return;
        }
        let (range, stamp) = line::text(all, line.clone(), self.max_line);
        // The window counts those that it cuts itself.
        if range.end < line.end && range.len() == self.max_line && self.cut_at != Some(line.end) {
            self.cut_lines += 1;
        }
        let text = all.get(range.clone()).unwrap_or_default();
        self.cross(all, line.start);
        if stamp.is_none() && journal::is_note(text) {
            return self.note(all, line, range);
        }
        let place = place_of(text);
        let mut outcomes = self.memo.take(place, text).unwrap_or_else(|| self.judge(text));
        if !outcomes.is_empty() {
            let time = self.dating.time_of(all, line.clone(), stamp);
            let spot = Spot { number: self.count_lines(all, line.start) + 1, line, text: range };
            outcomes.iter_mut().for_each(|outcome| self.record(outcome, all, &spot, time));
        }
        self.memo.put(place, text, outcomes);
    }

    /// A line of `journalctl` itself: no text of the log, but it may stand between two boots. The later one begins where
    /// the newer lines end.
    fn note(&mut self, all: &[u8], line: Range<usize>, range: Range<usize>) {
        let boots = self.boots;
        let text = all.get(range.clone()).unwrap_or_default();
        let mut outcomes = if boots.is_some() { self.judge(text) } else { Vec::new() };
        outcomes.retain(|outcome| boots == Some(outcome.slot));
        let Some(outcome) = outcomes.first_mut() else { return };
        let before = self.dating.time_of(all, line.clone(), None);
        let time = if self.dating.newest_first { before } else { self.time_after(all, line.end) };
        let spot = Spot { number: self.count_lines(all, line.start) + 1, line, text: range };
        self.record(outcome, all, &spot, time);
    }

    /// Time of the line that begins behind a line's end.
    fn time_after(&mut self, all: &[u8], end: usize) -> Option<Timestamp> {
        let next = line::ranges(all, end + 1).next()?;
        self.dating.time_of(all, next, None)
    }

    /// Which queries a text is a hit of, and by which of their patterns.
    fn judge(&mut self, text: &[u8]) -> Vec<Outcome> {
        let mut candidates = Vec::new();
        let marks = &mut self.marks;
        self.plan.tests_of(text, |test| {
            if let Some(mark @ Mark::Out) = marks.get_mut(test) {
                *mark = Mark::Candidate;
                candidates.push(test);
            }
        });
        let tests = candidates.iter().filter_map(|test| self.plan.tests.get(*test));
        let mut slots: Vec<Slot> = tests.flat_map(|(_, slots)| slots).copied().collect();
        slots.sort_unstable();
        slots.dedup();
        let outcomes = slots.into_iter().filter_map(|slot| self.outcome(slot, text)).collect();
        for test in candidates {
            if let Some(mark) = self.marks.get_mut(test) {
                *mark = Mark::Out;
            }
        }
        outcomes
    }

    fn outcome(&mut self, slot: Slot, text: &[u8]) -> Option<Outcome> {
        let plan = self.plan;
        let query = *plan.queries.get(slot)?;
        let test = plan.patterns.get(slot)?.iter().copied().find(|test| self.matches(*test, text))?;
        let excepted = |id: &ExpressionId| self.expression(*id).is_some_and(|e| e.is_match(text));
        if self.set.queries.get(query)?.except.iter().any(excepted) {
            return None;
        }
        self.fulfils(query, text).then_some(())?;
        let (expression, _) = plan.tests.get(test)?;
        Some(Outcome { slot, query, expression: *expression, group: Target::Unknown })
    }

    /// Whether the JSON in a text fulfils the filter of a query.
    fn fulfils(&mut self, query: QueryId, text: &[u8]) -> bool {
        let Some(filter) = self.set.queries.get(query).and_then(|query| query.jq) else { return true };
        let verdict = self.set.filters.get(filter).map(|filter| filter.judge(text));
        self.given_up += u64::from(verdict == Some(Verdict::Undecided));
        verdict == Some(Verdict::True)
    }

    /// Whether a candidate matches; queries that share an expression share the answer.
    fn matches(&mut self, test: usize, text: &[u8]) -> bool {
        let mark = self.marks.get(test).copied().unwrap_or(Mark::Out);
        if mark != Mark::Candidate {
            return mark == Mark::Match;
        }
        let id = self.plan.tests.get(test).map(|(id, _)| *id);
        let found = id.and_then(|id| self.expression(id)).is_some_and(|e| e.is_match(text));
        if let Some(mark) = self.marks.get_mut(test) {
            *mark = if found { Mark::Match } else { Mark::NoMatch };
        }
        found
    }

    fn expression(&self, id: ExpressionId) -> Option<&'s Expression> {
        self.set.expressions.get(id)
    }

    fn record(&mut self, outcome: &mut Outcome, all: &[u8], spot: &Spot, time: Option<Timestamp>) {
        match (self.since.get(outcome.slot), time) {
            (Some(Since::From(cutoff)), Some(time)) if time < *cutoff => return,
            (Some(Since::From(_)), None) | (Some(Since::Unknown), _) => {
                if let Some(undated) = self.undated.get_mut(outcome.slot) {
                    *undated += 1;
                }
                return;
            }
            _ => {}
        }
        if self.set.queries.get(outcome.query).is_some_and(|query| query.source.single) {
            return self.hits.add(self.set, (outcome.query, outcome.expression), all, spot, time);
        }
        if let Target::Unknown = outcome.group {
            let text = all.get(spot.text.clone()).unwrap_or_default();
            let group = self.groups.assign(outcome.query, outcome.expression, text);
            outcome.group = group.map_or(Target::Refused, Target::Group);
        }
        if let Target::Group(assigned) = outcome.group {
            let keep = self.keep.get(outcome.slot).copied().unwrap_or(Keep::Nothing);
            let text = all.get(spot.text.clone()).unwrap_or_default();
            self.groups.hit(&Counted { assigned, spot, text, time, expression: outcome.expression, keep });
        }
    }

    /// Takes note of the years that end before a position.
    fn cross(&mut self, all: &[u8], position: usize) {
        while let Some(crossing) = self.dating.crosses(all, position) {
            if crossing == Crossing::Older {
                continue;
            }
            let (plan, since) = (self.plan, &self.since);
            let cutoff = |query| match since.get(plan.queries.binary_search(&query).ok()?)? {
                Since::From(cutoff) => Some(*cutoff),
                Since::Always | Since::Unknown => None,
            };
            self.groups.year_earlier(cutoff);
            self.hits.year_earlier(cutoff);
            // Groups may have lost the values that remembered texts gave them.
            self.memo = Memo::new();
        }
    }

    /// Line ends before a position; ask for positions in their order.
    fn count_lines(&mut self, all: &[u8], position: usize) -> u64 {
        let between = all.get(self.counted.0..position).unwrap_or_default();
        let mut count = self.counted.1 + memchr_iter(b'\n', between).count() as u64;
        let place = self.position.wrapping_add(position as u64);
        while let Some((_, by)) = self.jumps.front().filter(|(at, _)| *at <= place) {
            count = count.saturating_add_signed(*by);
            self.jumps.pop_front();
        }
        self.counted = (position, count);
        count
    }

    fn finish(self, source: LogSource, read: &Read) -> SourceHits {
        let mut issues = self.issues(&source, read);
        let (groups, kept) = self.groups.finish();
        issues.extend(lost(&source, self.set, &kept));
        let undated = self.plan.queries.iter().copied().zip(self.undated.iter().copied());
        let (first, last) = self.dating.range();
        SourceHits {
            newest_first: self.dating.newest_first,
            zone: self.dating.zone,
            lines: self.jumps.iter().fold(self.counted.1, |lines, (_, by)| lines.saturating_add_signed(*by)),
            bytes: read.bytes,
            first,
            last,
            cut_lines: self.cut_lines + read.cut_lines,
            issues,
            complete: read.error.is_none(),
            undated: undated.filter(|(_, count)| *count > 0).collect(),
            groups,
            kept,
            too_many: self.hits.refused.clone(),
            hits: self.hits.finish(),
            source,
        }
    }

    fn issues(&self, source: &LogSource, read: &Read) -> Vec<Issue> {
        let mut messages = Vec::new();
        if let Some(error) = &read.error {
            let message = format!("reading stopped after {} bytes, the rest was not seen: {error}", read.bytes);
            messages.push((IssueKind::Log, message));
        }
        let cut = self.cut_lines + read.cut_lines;
        if cut > 0 {
            let (lines, longest) = (if cut == 1 { "line is" } else { "lines are" }, self.max_line);
            let message = format!("{cut} {lines} longer than {longest} bytes (--max-line): the rest was not searched");
            messages.push((IssueKind::Limit, message));
        }
        if self.given_up > 0 {
            let times = if self.given_up == 1 { "once" } else { "several times" };
            let message = format!(
                "{times} a jq filter gave a line up, whose JSON is too deep or takes too many steps: it does not count"
            );
            messages.push((IssueKind::Limit, message));
        }
        if let Some(zone) = &self.dating.unknown_zone {
            messages.push((IssueKind::Log, format!("time zone `{zone}` is not known, its times are read as UTC")));
        }
        if !self.groups.refused.is_empty() {
            let queries = self.groups.refused.len();
            let limit =
                format!("more than {MAX_GROUPS} groups of hits, or too much text in them, for {queries} log facts");
            messages.push((IssueKind::Limit, format!("{limit}: hits beyond are not counted")));
        }
        if !self.hits.refused.is_empty() {
            let queries = self.hits.refused.len();
            let message = format!(
                "more than {MAX_HITS} lines, or too much text in them, for {queries} steps of sequences: lines beyond are not looked at"
            );
            messages.push((IssueKind::Limit, message));
        }
        let at = |(kind, message)| Issue::at(Origin::entry(Arc::clone(&source.entry)), kind, message);
        messages.into_iter().map(at).collect()
    }
}

fn since(set: &PatternSet, query: QueryId, now: Option<Timestamp>) -> Since {
    let Some(since) = set.queries.get(query).and_then(|query| query.source.since) else { return Since::Always };
    now.map_or(Since::Unknown, |now| Since::From(now.checked_sub(since).unwrap_or(Timestamp::MIN)))
}

/// What follows from hits that were too many to be kept.
fn lost(source: &LogSource, set: &PatternSet, kept: &BTreeMap<QueryId, Kept>) -> Vec<Issue> {
    let count = |keep: Keep| {
        kept.iter()
            .filter(|(query, kept)| kept.lost > 0 && (set.keep(**query) == Keep::Whole) == (keep == Keep::Whole))
            .count()
    };
    let mut messages = Vec::new();
    if count(Keep::Whole) > 0 {
        messages.push(format!(
            "too many matching lines for {} log facts with within, boot or after_boot: only the last {MAX_WHOLE} or 8 MiB of them were weighed",
            count(Keep::Whole)
        ));
    }
    if count(Keep::Marks) > 0 {
        messages.push(format!(
            "more than {MAX_MARKS} matching lines for {} log facts: copies of the first of them in other files count again",
            count(Keep::Marks)
        ));
    }
    let at = |message| Issue::at(Origin::entry(Arc::clone(&source.entry)), IssueKind::Limit, message);
    messages.into_iter().map(at).collect()
}
