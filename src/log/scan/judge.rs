//! Decides which queries a text matches.

use std::collections::BTreeMap;

use crate::log::group::groups::AssignedGroup;
use crate::log::jq::filter::FilterVerdict;
use crate::log::pattern::expression::Expression;
use crate::log::pattern::expression::ExpressionId;
use crate::log::pattern::plan::{Plan, Slot};
use crate::log::pattern::query::QueryId;
use crate::log::pattern::set::PatternSet;

/// State of a test on the current line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TestState {
    Out,
    Candidate,
    Match,
    NoMatch,
}

/// A query that a text matches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outcome {
    pub slot: Slot,
    pub query: QueryId,
    pub expression: ExpressionId,
    pub group: Target,
}

/// The group of an [`Outcome`]; looked up only when the first of its hits counts.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target {
    Unknown,
    Group(AssignedGroup),
    OverLimit,
}

/// Tries the patterns of a plan.
pub(super) struct Judge<'s> {
    set: &'s PatternSet,
    plan: &'s Plan,
    marks: Vec<TestState>,
    /// By query: number of different texts on which its jq filter stopped.
    pub given_up: BTreeMap<QueryId, u64>,
}

impl<'s> Judge<'s> {
    pub fn new(set: &'s PatternSet, plan: &'s Plan) -> Self {
        Self { set, plan, marks: vec![TestState::Out; plan.tests.len()], given_up: BTreeMap::new() }
    }

    /// Returns the queries that a text matches, each with the pattern that matched.
    pub fn judge(&mut self, text: &[u8]) -> Vec<Outcome> {
        let mut candidates = Vec::new();
        let marks = &mut self.marks;
        self.plan.tests_of(text, |test| {
            if let Some(mark @ TestState::Out) = marks.get_mut(test) {
                *mark = TestState::Candidate;
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
                *mark = TestState::Out;
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

    /// Returns true if the JSON in a text meets the filter of a query.
    fn fulfils(&mut self, query: QueryId, text: &[u8]) -> bool {
        let Some(filter) = self.set.queries.get(query).and_then(|query| query.jq) else { return true };
        let verdict = self.set.filters.get(filter).map(|filter| filter.judge(text));
        if verdict == Some(FilterVerdict::Undecided) {
            *self.given_up.entry(query).or_default() += 1;
        }
        verdict == Some(FilterVerdict::True)
    }

    /// Returns true if a candidate matches; queries that share an expression share the answer.
    fn matches(&mut self, test: usize, text: &[u8]) -> bool {
        let mark = self.marks.get(test).copied().unwrap_or(TestState::Out);
        if mark != TestState::Candidate {
            return mark == TestState::Match;
        }
        let id = self.plan.tests.get(test).map(|(id, _)| *id);
        let found = id.and_then(|id| self.expression(id)).is_some_and(|e| e.is_match(text));
        if let Some(mark) = self.marks.get_mut(test) {
            *mark = if found { TestState::Match } else { TestState::NoMatch };
        }
        found
    }

    fn expression(&self, id: ExpressionId) -> Option<&'s Expression> {
        self.set.expressions.get(id)
    }
}
