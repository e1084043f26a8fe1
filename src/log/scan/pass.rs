//! One pass over a source with the patterns of one plan: chooses the lines to look at, dates them and keeps those
//! that match.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use jiff::Timestamp;

use super::judge::{Judge, Outcome, Target};
use super::lines::Lines;
use super::problems::{PassProblems, retention_issues};
use super::read_summary::ReadSummary;
use crate::log::group::groups::{CountedHit, Groups, HitSpot};
use crate::log::group::single_hits::SingleHits;
use crate::log::group::source_hits::{SourceHits, UnseenReason};
use crate::log::pattern::plan::{Plan, Slot};
use crate::log::pattern::query::{QueryId, Undated};
use crate::log::pattern::retention::Retention;
use crate::log::pattern::set::PatternSet;
use crate::log::scan::line_cache::{LineCache, slot_of};
use crate::log::source::entry::{self, TextUnit};
use crate::log::source::origin::LogSource;
use crate::log::source::text::Jump;
use crate::log::source::window::Window;
use crate::log::source::{journal, line};
use crate::log::template::miner::{LineText, Matched, Miner};
use crate::log::time::clock::Clock;
use crate::log::time::dating::state::{Crossing, Dating};

/// Time from which hits of a query count.
#[derive(Clone, Copy, Debug)]
enum Since {
    Always,
    From(Timestamp),
    /// The collection time is not known, so the age of lines is not known either.
    Unknown,
}

/// The state of a pass over one source.
pub(super) struct Pass<'s> {
    set: &'s PatternSet,
    plan: &'s Plan,
    since: Vec<Since>,
    /// Retention of hits, by slot.
    keep: Vec<Retention>,
    /// The slot that looks for boots.
    boots: Option<Slot>,
    unit: TextUnit,
    max_line: usize,
    started: bool,
    /// True if this window continues a log.
    goes_on: bool,
    dating: Dating,
    groups: Groups<'s>,
    hits: SingleHits,
    cache: LineCache<Vec<Outcome>>,
    judge: Judge<'s>,
    undated: Vec<u64>,
    /// True for a log of a terminal: it has seconds since the start of the program that somebody looked at, and no time.
    pub counts_undated: bool,
    /// The newest matching line that is too old to count, by slot.
    older: Vec<Option<Timestamp>>,
    truncated_lines: u64,
    /// End of a line that continues beyond the window.
    cut_at: Option<usize>,
    /// Slots that may have a hit in truncated text.
    hidden: BTreeSet<Slot>,
    pub lines: Lines,
    /// Lines of the window that queries matched; `None` if nobody asks for them.
    pub matched: Option<Matched>,
    /// Reads the templates of all lines.
    pub miner: Option<Miner>,
    /// Lines of the window that another pass found, sorted.
    found: Matched,
    /// Queries that matched the present line.
    queries: Vec<QueryId>,
}

impl<'s> Pass<'s> {
    pub fn new(
        set: &'s PatternSet,
        plan: &'s Plan,
        source: &LogSource,
        clock: Clock,
        (unit, max_line): (TextUnit, usize),
    ) -> Self {
        let since = |id: &QueryId| since(set, *id, clock.now);
        let writer = source.writer();
        let keep = |id: &QueryId| set.keep_of(*id, writer.as_deref());
        // Containers have their own zone, which is UTC unless a line states another.
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
            goes_on: false,
            dating: Dating::new(clock, source.is_of_all_containers()),
            groups: Groups::new(set, Arc::clone(&source.entry)),
            hits: SingleHits::default(),
            cache: LineCache::new(),
            judge: Judge::new(set, plan),
            undated: vec![0; plan.queries.len()],
            counts_undated: false,
            older: vec![None; plan.queries.len()],
            truncated_lines: 0,
            cut_at: None,
            hidden: BTreeSet::new(),
            lines: Lines::default(),
            matched: None,
            miner: None,
            found: Matched::new(),
            queries: Vec::new(),
        }
    }

    /// Sets the number of lines of the entry before the source.
    pub fn after(self, before: u64) -> Self {
        Self { lines: Lines::after(before), ..self }
    }

    /// Reads a window; `found` are its lines that another pass found.
    pub fn window(&mut self, window: &Window, jumps: &[Jump], found: Matched) {
        self.found = found;
        self.found.sort_unstable();
        let (all, fresh) = (window.lines(), window.fresh());
        self.lines.enter(&fresh, window.position());
        self.lines.jump(jumps);
        self.dating.enter(all, fresh.clone());
        self.cut_at = window.cuts_last_line().then_some(fresh.end);
        let unseen = all.get(..fresh.end).unwrap_or_default();
        // In a log without stamps every line is an entry.
        self.goes_on = std::mem::replace(&mut self.started, true);
        if !self.goes_on && !entry::any(unseen) {
            self.unit = TextUnit::Line;
        }
        if self.plan.always.is_empty() {
            self.promising_lines(all, unseen, fresh.start);
        } else {
            self.unit.all(unseen, fresh.start).for_each(|unit| self.unit(all, unit));
        }
        self.cross(all, fresh.end);
        self.dating.leave(all, fresh.end);
        self.groups.settle(all);
        self.lines.before(all, fresh.end);
        if !unseen.ends_with(b"\n") {
            self.lines.end_unseen();
        }
        self.miner.iter_mut().for_each(|miner| miner.end(window));
    }

    fn promising_lines(&mut self, all: &[u8], unseen: &[u8], start: usize) {
        let mut search = self.plan.search(unseen);
        let mut at = start;
        while let Some(found) = search.next(at) {
            let unit = self.unit.around(unseen, at, found);
            self.mine(all, at..unit.start);
            at = (unit.end + 1).min(unseen.len());
            self.unit(all, unit);
        }
        self.mine(all, at..unseen.len());
    }

    /// Reads the templates of lines that have no literal of a pattern.
    fn mine(&mut self, all: &[u8], lines: Range<usize>) {
        if self.miner.is_none() {
            return;
        }
        for line in line::ranges(all.get(..lines.end).unwrap_or_default(), lines.start) {
            let text = line::text(all, line.clone(), self.max_line);
            self.mine_line(all, line.clone(), &text, None);
            self.lines.pass(all, &line);
        }
    }

    /// Reads the template of a line; with the queries that match it and its time, if patterns were tried and it has a hit.
    fn mine_line(
        &mut self,
        all: &[u8],
        line: Range<usize>,
        text: &LineText,
        hit: Option<(&[Outcome], Option<Timestamp>)>,
    ) {
        let Some(place) = self.miner.as_mut().and_then(|miner| miner.template_of(all, &line, text)) else { return };
        self.cross(all, line.start);
        let time = hit.map_or_else(|| self.dating.time_of(all, line.clone(), text.1), |(_, time)| time);
        let number = self.lines.before(all, line.start) + 1;
        let (found, queries) = (&self.found, &mut self.queries);
        let from = found.partition_point(|(start, _)| *start < line.start);
        let others = found.iter().skip(from).take_while(|(start, _)| *start == line.start);
        queries.clear();
        queries.extend(hit.map_or(&[][..], |(outcomes, _)| outcomes).iter().map(|outcome| outcome.query));
        queries.extend(others.map(|(_, query)| *query));
        queries.sort_unstable();
        queries.dedup();
        if let Some(miner) = &mut self.miner {
            miner.count(place, time, number, queries);
        }
    }

    /// Handles a line, or an entry.
    fn unit(&mut self, all: &[u8], line: Range<usize>) {
        if !self.unit.is_whole(all, &line) {
            // An entry that is longer than the window continues here.
            if self.goes_on {
                self.truncated_lines = self.truncated_lines.max(1);
                self.hide(all.get(line).unwrap_or_default(), &[]);
            }
            return;
        }
        let (range, stamp) = line::text(all, line.clone(), self.max_line);
        // The window counts those that it cuts itself.
        let is_cut = range.end < line.end && range.len() == self.max_line && self.cut_at != Some(line.end);
        let text = all.get(range.clone()).unwrap_or_default();
        self.cross(all, line.start);
        if stamp.is_none() && journal::is_note(text) {
            return self.note(all, line, range);
        }
        let cache_slot = slot_of(text);
        let known = self.cache.take(cache_slot, text);
        let is_known = known.is_some();
        let mut outcomes = known.unwrap_or_else(|| self.judge.judge(text));
        if is_cut {
            self.truncated_lines += 1;
            self.hide(all.get(line.clone()).unwrap_or_default(), &outcomes);
        }
        if let Some(matched) = &mut self.matched {
            matched.extend(outcomes.iter().map(|outcome| (line.start, outcome.query)));
        }
        let place = (range.clone(), stamp);
        if outcomes.is_empty() {
            self.mine_line(all, line, &place, None);
        } else {
            let time = self.dating.time_of(all, line.clone(), stamp);
            self.mine_line(all, line.clone(), &place, Some((&outcomes, time)));
            let spot = HitSpot { number: self.lines.before(all, line.start) + 1, line, text: range };
            outcomes.iter_mut().for_each(|outcome| self.record(outcome, all, &spot, time));
        }
        if is_known { self.cache.give_back(cache_slot, outcomes) } else { self.cache.put(cache_slot, text, outcomes) }
    }

    /// Marks slots that may match in a truncated line or entry: it contains the literal, and its visible part is no hit.
    fn hide(&mut self, whole: &[u8], outcomes: &[Outcome]) {
        if self.hidden.len() == self.plan.queries.len() {
            return;
        }
        let (plan, hidden) = (self.plan, &mut self.hidden);
        plan.tests_of(whole, |test| {
            let slots = plan.tests.get(test).map_or(&[][..], |(_, slots)| slots);
            hidden.extend(slots.iter().filter(|slot| outcomes.iter().all(|outcome| outcome.slot != **slot)));
        });
    }

    /// Returns the queries that may have further hits: all of them if the window truncated a line.
    fn unseen(&self, read: &ReadSummary) -> BTreeSet<(QueryId, UnseenReason)> {
        let slots = self.plan.queries.iter().enumerate();
        let truncated =
            slots.filter(|(slot, _)| read.truncated_lines > 0 || self.hidden.contains(slot)).map(|(_, query)| query);
        let of = |unseen| move |query: &QueryId| (*query, unseen);
        let judged = self.judge.given_up.keys().map(of(UnseenReason::GivenUp));
        truncated
            .map(of(UnseenReason::Truncated))
            .chain(judged)
            .chain(self.groups.over_limit.iter().map(of(UnseenReason::Groups)))
            .collect()
    }

    /// Handles a note of `journalctl`: it is no text of the log, but may separate two boots. The later boot begins where
    /// the newer lines end.
    fn note(&mut self, all: &[u8], line: Range<usize>, range: Range<usize>) {
        let boots = self.boots;
        let text = all.get(range.clone()).unwrap_or_default();
        let mut outcomes = if boots.is_some() { self.judge.judge(text) } else { Vec::new() };
        outcomes.retain(|outcome| boots == Some(outcome.slot));
        let Some(outcome) = outcomes.first_mut() else { return };
        let before = self.dating.time_of(all, line.clone(), None);
        let time = if self.dating.newest_first { before } else { self.time_after(all, line.end) };
        let spot = HitSpot { number: self.lines.before(all, line.start) + 1, line, text: range };
        self.record(outcome, all, &spot, time);
    }

    /// Returns the time of the line after a line's end.
    fn time_after(&mut self, all: &[u8], end: usize) -> Option<Timestamp> {
        let next = line::ranges(all, end + 1).next()?;
        self.dating.time_of(all, next, None)
    }

    fn record(&mut self, outcome: &mut Outcome, all: &[u8], spot: &HitSpot, time: Option<Timestamp>) {
        let undated = || self.set.queries.get(outcome.query).map(|query| query.source.undated).unwrap_or_default();
        match (self.since.get(outcome.slot), time) {
            (_, None) if undated() == Undated::Skipped => return,
            (_, None) if undated() == Undated::Counts || self.counts_undated => {}
            (Some(Since::From(cutoff)), Some(time)) if time < *cutoff => {
                if let Some(older) = self.older.get_mut(outcome.slot) {
                    *older = (*older).max(Some(time));
                }
                return;
            }
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
            outcome.group = group.map_or(Target::OverLimit, Target::Group);
        }
        if let Target::Group(assigned) = outcome.group {
            let keep = self.keep.get(outcome.slot).copied().unwrap_or(Retention::Nothing);
            let text = all.get(spot.text.clone()).unwrap_or_default();
            self.groups.hit(&CountedHit { assigned, spot, text, time, expression: outcome.expression, keep });
        }
    }

    /// Handles the years that end before a position.
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
            self.older.fill(None);
            self.miner.iter_mut().for_each(Miner::year_earlier);
            self.hits.year_earlier(cutoff);
            // Groups may no longer have the values of cached texts.
            self.cache = LineCache::new();
        }
    }

    pub fn finish(self, source: LogSource, read: &ReadSummary) -> SourceHits {
        let unseen = self.unseen(read);
        let trouble = PassProblems {
            read,
            truncated_lines: self.truncated_lines + read.truncated_lines,
            max_line: self.max_line,
            given_up: self.judge.given_up.values().sum(),
            unknown_zone: self.dating.unknown_zone.as_deref(),
            over_limit: (self.groups.over_limit.len(), self.hits.over_limit.len()),
        };
        let mut issues = trouble.issues(&source);
        let (groups, kept) = self.groups.finish();
        issues.extend(retention_issues(&source, self.set, &kept));
        let undated = self.plan.queries.iter().copied().zip(self.undated.iter().copied());
        let older = self.plan.queries.iter().zip(&self.older).filter_map(|(query, time)| Some((*query, (*time)?)));
        let (first, last) = self.dating.range();
        let lines = self.lines.all();
        SourceHits {
            newest_first: self.dating.newest_first,
            zone: self.dating.zone,
            lines,
            bytes: read.bytes,
            first,
            last,
            unseen,
            issues,
            complete: read.error.is_none(),
            undated: undated.filter(|(_, count)| *count > 0).collect(),
            older: older.collect(),
            groups,
            kept,
            too_many: self.hits.over_limit.clone(),
            hits: self.hits.finish(),
            mined: self.miner.map(|miner| miner.finish(source.clone(), (first, last), lines)),
            asked: true,
            programs: BTreeSet::new(),
            source,
        }
    }
}

fn since(set: &PatternSet, query: QueryId, now: Option<Timestamp>) -> Since {
    let Some(since) = set.queries.get(query).and_then(|query| query.source.since) else { return Since::Always };
    now.map_or(Since::Unknown, |now| Since::From(now.checked_sub(since).unwrap_or(Timestamp::MIN)))
}
