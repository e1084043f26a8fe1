//! Matches of one fact with a combination, from each of its alternatives: by hash if a condition allows it.

use std::collections::BTreeSet;

use crate::eval::facts::alternative_set::AlternativeSet;
use crate::eval::facts::alternatives::union;
use crate::eval::facts::candidate::{Assumed, Candidate, Searched};
use crate::eval::facts::resources::not_collected;
use crate::eval::join::combination::Combination;
use crate::eval::join::hash::{self, HashedCandidates, Wanted};
use crate::eval::join::state::{Join, MAX_PAIRS, Uncollected, dynamic_namespace};
use crate::expr::{Expr, Slot, Truth, Value};
use crate::model::message::{Reason, SharedReason};
use crate::rule::{Alternative, FactKind, ResourceQuery, Silence, order};

/// Fields of a group of hits that name its writer.
const NODE: &str = "node";
const POD: &str = "pod";

/// Join of one alternative of a fact.
pub struct AlternativeJoin<'r> {
    /// Conditions on a match together with its combination.
    pub conditions: Vec<&'r Expr>,
    /// Its candidates by key.
    hashed: Vec<HashedCandidates>,
}

impl<'a, 'r> Join<'a, 'r> {
    /// Prepares the join of each alternative; `own` are the conditions of all alternatives.
    pub(super) fn ways(&self, slot: Slot, own: &[&'r Expr]) -> Vec<AlternativeJoin<'r>> {
        let way = |alternative: &'r Alternative| {
            let conditions: Vec<&Expr> = own.iter().copied().chain(order::open(alternative, slot)).collect();
            let hashed = self.hashed(slot, &conditions);
            AlternativeJoin { conditions, hashed }
        };
        self.fact(slot).alternatives.iter().map(way).collect()
    }

    /// Hashes the candidates of an alternative by every key that a condition gives; a combination uses the key that leaves the
    /// fewest.
    fn hashed(&self, slot: Slot, own: &[&Expr]) -> Vec<HashedCandidates> {
        let keys = own.iter().filter_map(|condition| order::join_key(condition, slot, &self.bound));
        keys.map(HashedCandidates::new).collect()
    }

    /// Returns the matches of the fact with a combination, whose value of the slot is written.
    pub(super) fn matches(
        &mut self,
        slot: Slot,
        ways: &[AlternativeJoin<'r>],
        row: &mut Combination<'a>,
    ) -> Vec<Candidate<'a>> {
        let each = ways.iter().enumerate();
        let mut lists: Vec<_> = each.map(|(position, way)| self.matches_of(slot, position, way, row)).collect();
        self.assume_uncollected_fields(slot, row, &mut lists);
        union(lists)
    }

    /// Marks matches that are undecided for a field that was not collected as assumed, if another alternative was searched for this
    /// combination and none is in doubt: a row without the field is no more than an object that was not collected.
    fn assume_uncollected_fields(&self, slot: Slot, row: &Combination<'a>, lists: &mut [Vec<Candidate<'a>>]) {
        let undecided = |list: &[Candidate<'a>]| list.iter().any(|found| found.undecided.is_some());
        if lists.len() < 2 || !lists.iter().any(|list| undecided(list)) {
            return;
        }
        let doubted = lists.iter().flatten().any(|found| found.undecided.as_ref().is_some_and(|why| !why.is_gap()));
        let searched = |position: usize| self.searched(slot, position, row) == Searched::Collected;
        let other = lists.iter().enumerate().any(|(position, list)| !undecided(list) && searched(position));
        let in_doubt = (0..lists.len()).any(|position| self.searched(slot, position, row) == Searched::Doubtful);
        if other && !doubted && !in_doubt {
            let assumed = lists.iter_mut().flatten().filter(|found| found.undecided.is_some());
            assumed.for_each(|found| found.assumed = Assumed::InUncollectedPart);
        }
    }

    /// Returns what an alternative searched for a combination; an expression searches the values that it mentions, if there are any.
    fn searched(&self, slot: Slot, position: usize, row: &Combination<'a>) -> Searched {
        match &self.fact(slot).alternatives[position].kind {
            FactKind::Each(expr) | FactKind::Value(expr) => {
                Searched::of(expr.slots().iter().all(|&known| row.values[known].is_present()))
            }
            _ => self.candidates[&slot][position].searched,
        }
    }

    /// Returns the matches of an alternative with a combination.
    fn matches_of(
        &mut self,
        slot: Slot,
        position: usize,
        way: &AlternativeJoin<'r>,
        row: &mut Combination<'a>,
    ) -> Vec<Candidate<'a>> {
        let world = &self.input.world;
        let own = &way.conditions;
        match &self.fact(slot).alternatives[position].kind {
            FactKind::Each(expr) => {
                let list = match expr.eval_kept(world, &row.values) {
                    unknown @ Value::Undecided(_) => vec![unknown],
                    list => list.elements(),
                };
                let list: Vec<Candidate<'a>> = list.into_iter().map(Candidate::of).collect();
                self.holding(slot, &mut list.iter(), own, &mut row.values)
            }
            FactKind::Value(expr) => {
                let value = Candidate { undecided: None, ..Candidate::of(expr.eval_kept(world, &row.values)) };
                self.holding(slot, &mut [value].iter(), own, &mut row.values)
            }
            _ => {
                // Taken out, because the count of pairs is written while the candidates are read.
                let all = std::mem::take(&mut self.candidates.entry(slot).or_default()[position].list);
                let matches = self.matches_among(slot, &all, way, row);
                self.candidates.entry(slot).or_default()[position].list = all;
                matches
            }
        }
    }

    /// Returns the matches of an alternative that is looked up in the bundle.
    fn matches_among(
        &mut self,
        slot: Slot,
        all: &[Candidate<'a>],
        way: &AlternativeJoin<'r>,
        row: &mut Combination<'a>,
    ) -> Vec<Candidate<'a>> {
        if all.is_empty() {
            return Vec::new();
        }
        let until = self.enough(slot, row);
        let wanted = Wanted { input: self.input, slot, values: &row.values, candidates: all };
        match hash::fewest(&way.hashed, wanted) {
            Some(positions) => {
                let found = &mut positions.iter().map(|&p| &all[p]);
                self.holding_until(until, slot, found, &way.conditions, &mut row.values)
            }
            None => match self.representative(slot, way, row) {
                Some(one) => self.holding(slot, &mut std::iter::once(&one), &way.conditions, &mut row.values),
                None => self.holding_until(until, slot, &mut all.iter(), &way.conditions, &mut row.values),
            },
        }
    }

    /// Returns which match is enough to know the list of a combination that is undecided anyway: one that is undecided leaves a list of
    /// objects undecided. Without logs, 45 rules tried each of 20,000 pods for it.
    fn enough(&self, slot: Slot, row: &Combination<'a>) -> fn(&Candidate<'_>) -> bool {
        let fact = self.fact(slot);
        let is_object = |one: &Alternative| matches!(one.kind, FactKind::Resource(_));
        let is_list = fact.collect && slot < self.rule.find && fact.alternatives.len() == 1;
        match is_list && fact.alternatives.iter().all(is_object) && row.undecided.is_some() && !self.watch.counts() {
            true => |found| found.undecided.as_ref().is_some_and(|why| !why.is_withheld()),
            false => |_| false,
        }
    }

    /// Returns one undecided match that represents all candidates of an optional fact, if an undecided combination says
    /// nothing about the key of any: whichever match, it leaves the fact undecided.
    fn representative(&self, slot: Slot, way: &AlternativeJoin<'r>, row: &Combination<'a>) -> Option<Candidate<'a>> {
        let fact = self.fact(slot);
        let reason = row.undecided.clone()?;
        let single = fact.optional && !fact.collect && !way.hashed.is_empty();
        single.then(|| Candidate::of(Value::Undecided(reason)))
    }

    /// Returns the candidates for which all conditions hold or are undecided. The slot of `values` is written, so that the values of
    /// a combination need no copy.
    fn holding(
        &mut self,
        slot: Slot,
        candidates: &mut dyn Iterator<Item = &Candidate<'a>>,
        conditions: &[&Expr],
        values: &mut [Value<'a>],
    ) -> Vec<Candidate<'a>> {
        self.holding_until(|_| false, slot, candidates, conditions, values)
    }

    /// Returns the same up to the first match that is enough.
    fn holding_until(
        &mut self,
        is_enough: fn(&Candidate<'_>) -> bool,
        slot: Slot,
        candidates: &mut dyn Iterator<Item = &Candidate<'a>>,
        conditions: &[&Expr],
        values: &mut [Value<'a>],
    ) -> Vec<Candidate<'a>> {
        let mut met = std::mem::take(&mut self.met);
        let mut matches = Vec::new();
        for candidate in candidates {
            self.pairs += 1;
            if self.pairs > MAX_PAIRS || !self.input.world.take_steps(1) {
                break;
            }
            matches.extend(self.holds(slot, candidate, conditions, values, &mut met));
            if matches.last().is_some_and(is_enough) {
                break;
            }
        }
        self.met = met;
        matches
    }

    /// Returns the candidate if all conditions hold or are undecided; counts in `met` how many it met.
    fn holds(
        &self,
        slot: Slot,
        candidate: &Candidate<'a>,
        conditions: &[&Expr],
        values: &mut [Value<'a>],
        met: &mut [usize],
    ) -> Option<Candidate<'a>> {
        values[slot] = candidate.value.clone();
        let mut undecided = candidate.undecided.clone();
        let mut met = met.iter_mut();
        let mut count = || met.next().into_iter().for_each(|count| *count += 1);
        count();
        for condition in conditions {
            match condition.test(&self.input.world, values) {
                Truth::True => {}
                Truth::False => return None,
                Truth::Undecided(reason) => {
                    undecided.get_or_insert(reason);
                }
            }
            count();
        }
        let value = std::mem::replace(&mut values[slot], Value::Null);
        Some(Candidate { value, undecided, ..*candidate })
    }

    /// Returns a candidate for an unseen match: of the first alternative with incomplete input that no condition refutes. It assumes
    /// the least of what they do: a part that was not collected is no answer while another alternative is in doubt. The slot of `values`
    /// is written.
    pub(super) fn unseen(
        &self,
        slot: Slot,
        ways: &[AlternativeJoin<'r>],
        missing: &[(usize, SharedReason)],
        values: &mut [Value<'a>],
    ) -> Option<Candidate<'a>> {
        let held = missing.iter().filter_map(|(position, reason)| {
            let (via, assumed) = (AlternativeSet::of(*position), self.assumed(slot, reason));
            let unseen = Candidate { via, assumed, ..Candidate::of(Value::Undecided(reason.clone())) };
            // It is no candidate of the bundle, so it does not count.
            self.holds(slot, &unseen, &ways[*position].conditions, values, &mut [])
        });
        held.reduce(|first, other| Candidate { assumed: first.assumed.min(other.assumed), ..first })
    }

    /// Returns what it means to assume a match for a reason: whether any alternative searched a part, and none is in doubt.
    fn assumed(&self, slot: Slot, reason: &SharedReason) -> Assumed {
        let searched = |wanted: Searched| self.candidates[&slot].iter().any(|found| found.searched == wanted);
        match reason.is_gap() && searched(Searched::Collected) && !searched(Searched::Doubtful) {
            true => Assumed::InUncollectedPart,
            false => Assumed::InUnknown,
        }
    }

    /// Returns [`Join::missing`] if it is the same for all combinations: neither a namespace nor a writer of logs depends on them.
    pub(super) fn missing_for_all(
        &self,
        slot: Slot,
        ways: &[AlternativeJoin<'r>],
    ) -> Option<Vec<(usize, SharedReason)>> {
        let by_namespace = self.fact(slot).kinds().any(|kind| dynamic_namespace(kind).is_some());
        let found = self.candidates.get(&slot).into_iter().flatten();
        let by_writer = found.zip(ways).any(|(found, way)| {
            found.complete_for.is_some() && way.hashed.iter().any(|key| key.is_by(slot, NODE) || key.is_by(slot, POD))
        });
        (!by_namespace && !by_writer).then(|| self.missing(slot, ways, &Combination::empty(0)))
    }

    /// Returns why alternatives may have matches for this combination that were not collected; sorted by reason.
    pub(super) fn missing(
        &self,
        slot: Slot,
        ways: &[AlternativeJoin<'r>],
        row: &Combination<'a>,
    ) -> Vec<(usize, SharedReason)> {
        let missing = |(position, alternative): (usize, &Alternative)| {
            let missing = match &alternative.kind {
                FactKind::Each(_) | FactKind::Value(_) => None,
                kind => match dynamic_namespace(kind) {
                    Some((query, namespace)) => self.missing_in((slot, position), query, namespace, row),
                    None => self.missing_logs((slot, position), &ways[position], row),
                },
            };
            let missing = match (alternative.silence, self.uncollected) {
                (Silence::Unknown, _) => missing.or_else(|| Some(Reason::SilenceProvesNothing.into())),
                (Silence::Absent, Uncollected::Absent) => missing.filter(|reason| !reason.was_not_collected()),
                _ => missing,
            };
            Some((position, missing?))
        };
        let mut missing: Vec<_> = self.fact(slot).alternatives.iter().enumerate().filter_map(missing).collect();
        missing.sort_by(|a, b| a.1.cmp(&b.1));
        missing
    }

    /// Returns why candidates may be missing; nothing is if a combination asks for a node or pod all of whose logs were read.
    fn missing_logs(
        &self,
        (slot, position): (Slot, usize),
        way: &AlternativeJoin<'r>,
        row: &Combination<'a>,
    ) -> Option<SharedReason> {
        let found = &self.candidates[&slot][position];
        let reason = found.incomplete.clone()?;
        let Some(writers) = &found.complete_for else { return Some(reason) };
        let has = |writers: &BTreeSet<String>, field: &str| {
            let mut keys = way.hashed.iter().filter(|key| key.is_by(slot, field));
            keys.any(|key| key.wanted(self.input, &row.values).as_str().is_some_and(|name| writers.contains(name)))
        };
        (!has(&writers.nodes, NODE) && !has(&writers.pods, POD)).then_some(reason)
    }

    /// Returns why the namespace that a combination asks for is incomplete.
    fn missing_in(
        &self,
        (slot, position): (Slot, usize),
        query: &ResourceQuery,
        namespace: &Expr,
        row: &Combination<'a>,
    ) -> Option<SharedReason> {
        if namespace.slots().iter().any(|&s| !self.bound[s]) {
            return not_collected(self.input, &query.types, None);
        }
        let namespace = match namespace.eval(&self.input.world, &row.values) {
            Value::Undecided(reason) => return Some(reason),
            namespace => namespace,
        };
        // A condition that equates the namespace with anything else does not hold.
        let namespace = namespace.as_str()?;
        let mut known = self.collected.borrow_mut();
        let known = known.entry((slot, position)).or_default();
        if let Some(reason) = known.get(namespace) {
            return reason.clone();
        }
        let reason = not_collected(self.input, &query.types, Some(namespace));
        known.insert(namespace.to_owned(), reason.clone());
        reason
    }
}
