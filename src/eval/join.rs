//! Combinations of what the facts of a rule found: hash joins, group joins, and what is undecided.
//!
//! All `where` conditions of the facts form one pool; each is tested once, as soon as the names it
//! mentions are bound. Facts are bound one after another in the order of [`crate::rule::order`].
//!
//! Where the input of a required fact is incomplete, a combination also goes on with a match that
//! was not seen: an undecided value. Conditions on it are undecided, unless others refute the
//! combination anyway. So whether a rule is clean or not evaluated needs no case of its own: an
//! undecided combination is left or none is.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::Input;
use super::candidates::{Candidate, Candidates, Reason, look_up, not_collected};
use super::hash::{self, HashedCandidates};
use super::watch::Watch;
use crate::expr::{Expr, Slot, Truth, Value};
use crate::rule::order::{self, Found, Pool};
use crate::rule::{Fact, FactKind, Rule};

/// More combinations than this end a rule: such a rule joins by nothing. At 40 bytes a value, 32 MB for eight facts.
const MAX_COMBINATIONS: usize = 100_000;
/// More pairs of a combination and a candidate than this end a rule; without optimisation a pair costs 2.8 µs.
const MAX_PAIRS: usize = 5_000_000;
/// An element that is kept in a list weighs as many pairs, so that lists stay below 50 MB.
const COLLECTED: usize = 4;
/// An undecided combination with more matches than this goes on with one that stands for all of them.
const MAX_UNDECIDED: usize = 64;

/// One value for each slot that is bound so far.
#[derive(Clone, Debug)]
pub struct Combination<'a> {
    pub values: Vec<Value<'a>>,
    /// A condition or an absence on which this hangs could not be told.
    pub undecided: Option<Reason>,
}

/// What a rule's facts come to.
#[derive(Debug, Default)]
pub struct Joined<'a> {
    pub combinations: Vec<Combination<'a>>,
    /// The rule had to be given up.
    pub overflow: bool,
}

/// A combination, with the index of the one it grew from.
pub type Row<'a> = (usize, Combination<'a>);

struct Join<'a, 'r> {
    watch: &'r mut dyn Watch<'a>,
    input: &'a Input,
    rule: &'r Rule,
    candidates: BTreeMap<Slot, Candidates<'a>>,
    pool: Pool<'r>,
    bound: Vec<bool>,
    rows: Vec<Row<'a>>,
    /// Pairs tried and elements collected so far.
    pairs: usize,
    /// Candidates of the fact being bound that were tried, and that met its first conditions.
    met: Vec<usize>,
    overflow: bool,
    /// Whether namespaces that depend on combinations were collected.
    collected: RefCell<BTreeMap<(Slot, String), Option<Reason>>>,
}

/// Joins the facts of `find` and applies `when`.
pub fn join_find<'a>(input: &'a Input, rule: &Rule, watch: &mut dyn Watch<'a>) -> Joined<'a> {
    let empty = Combination { values: vec![Value::Null; rule.names.len()], undecided: None };
    let slots: Vec<Slot> = (0..rule.find).collect();
    let mut join = Join::new(input, rule, &slots, vec![empty], watch);
    if slots.iter().any(|&slot| join.is_absent(slot)) {
        return Joined::default();
    }
    join.bind_all(slots);
    for condition in &rule.when {
        join.filter(condition);
    }
    let combinations = join.rows.into_iter().map(|(_, row)| row).collect();
    Joined { combinations, overflow: join.overflow }
}

/// Drops the combinations for which a group of `unless` facts is found; keeps undecided ones as such.
pub fn apply_unless<'a>(input: &'a Input, rule: &Rule, joined: &mut Joined<'a>, watch: &mut dyn Watch<'a>) {
    for group in order::unless(rule) {
        if joined.combinations.is_empty() || joined.overflow {
            return;
        }
        let before = std::mem::take(&mut joined.combinations);
        let decided = before.iter().map(|row| Combination { values: row.values.clone(), undecided: None }).collect();
        let mut join = Join::new(input, rule, group, decided, watch);
        join.bind_all(group.clone());
        join.presence(group);
        joined.overflow = join.overflow;
        let found = join.rows;
        let verdicts = verdicts(before.len(), &found);
        for (mut row, verdict) in before.into_iter().zip(verdicts) {
            match verdict {
                Truth::True => continue,
                Truth::Undecided(reason) => row.undecided = row.undecided.or(Some(reason)),
                Truth::False => {}
            }
            joined.combinations.push(row);
        }
        watch.forbidden(group, &found, joined.combinations.len());
    }
}

/// Whether the group is found for each of the combinations that the rows grew from.
fn verdicts(combinations: usize, rows: &[Row<'_>]) -> Vec<Truth> {
    let mut verdicts = vec![Truth::False; combinations];
    for (origin, row) in rows {
        let verdict = &mut verdicts[*origin];
        *verdict = match (&*verdict, &row.undecided) {
            (Truth::True, _) | (_, None) => Truth::True,
            (Truth::Undecided(known), Some(reason)) => Truth::Undecided(known.min(reason).clone()),
            (Truth::False, Some(reason)) => Truth::Undecided(reason.clone()),
        };
    }
    verdicts
}

impl<'a, 'r> Join<'a, 'r> {
    /// Facts of `slots` are to be bound; all others below them are, in `rows`.
    fn new(
        input: &'a Input,
        rule: &'r Rule,
        slots: &[Slot],
        rows: Vec<Combination<'a>>,
        watch: &'r mut dyn Watch<'a>,
    ) -> Self {
        let mut scratch = vec![Value::Null; rule.names.len()];
        let candidates =
            slots.iter().map(|&slot| (slot, look_up(input, &rule.facts[slot], slot, &mut scratch))).collect();
        Self {
            watch,
            input,
            rule,
            candidates,
            pool: Pool::new(rule, slots),
            bound: (0..rule.names.len()).map(|slot| slot < rule.find && !slots.contains(&slot)).collect(),
            rows: rows.into_iter().enumerate().collect(),
            pairs: 0,
            met: Vec::new(),
            overflow: false,
            collected: RefCell::default(),
        }
    }

    fn fact(&self, slot: Slot) -> &'r Fact {
        &self.rule.facts[slot]
    }

    /// Whether a required fact has no candidate although its input is complete.
    fn is_absent(&self, slot: Slot) -> bool {
        let fact = self.fact(slot);
        let found = &self.candidates[&slot];
        fact.is_lookup()
            && fact.is_required()
            && !fact.silence_unknown
            && found.list.is_empty()
            && found.missing.is_none()
            && dynamic_namespace(fact).is_none()
    }

    fn bind_all(&mut self, mut waiting: Vec<Slot>) {
        while !waiting.is_empty() && !self.overflow {
            let found = |slot: Slot| self.found(slot);
            let slot = waiting.remove(order::next(&self.pool, &found, &waiting, &self.bound));
            self.bind(slot);
        }
        if self.overflow {
            self.rows.clear();
        }
    }

    fn found(&self, slot: Slot) -> Found {
        let of = |found: &Candidates<'_>| Found { candidates: found.list.len(), incomplete: found.missing.is_some() };
        self.candidates.get(&slot).map_or_else(Found::default, of)
    }

    fn bind(&mut self, slot: Slot) {
        let own = self.pool.take(slot, &self.bound);
        self.watch.binding(slot, &own, &self.rows);
        self.met = vec![0; own.len() + 1];
        let rows = std::mem::take(&mut self.rows);
        let mut grown = Vec::with_capacity(rows.len());
        let hashed = self.hashed(slot, &own);
        let same = self.same_for_all(slot, &own);
        for (origin, row) in rows {
            let matches = self.matches(slot, &hashed, &own, &row);
            self.grow(slot, &own, (origin, row), matches, same.as_ref(), &mut grown);
            if grown.len() > MAX_COMBINATIONS || self.pairs > MAX_PAIRS {
                self.overflow = true;
                break;
            }
        }
        self.rows = grown;
        self.bound[slot] = true;
        self.watch.bound(&self.met, self.rows.len());
        // What others say of an optional or collected fact.
        for condition in self.pool.take_ready(&self.bound) {
            self.filter(condition);
        }
    }

    /// The list of a collected fact that no combination has a say in: one for all of them.
    fn same_for_all(&self, slot: Slot, own: &[&Expr]) -> Option<Value<'a>> {
        let fact = self.fact(slot);
        (fact.collect && fact.is_lookup() && own.is_empty()).then(|| decided(&self.candidates[&slot].list))
    }

    /// The fact's candidates by every key that a condition gives; a combination takes the one that leaves the fewest.
    fn hashed(&self, slot: Slot, own: &[&Expr]) -> Vec<HashedCandidates> {
        let keys = own.iter().filter_map(|condition| order::join_key(condition, slot, &self.bound));
        let slots = self.rule.names.len();
        keys.map(|key| HashedCandidates::new(self.input, slot, slots, key, &self.candidates[&slot])).collect()
    }

    /// What of the fact goes with a combination.
    fn matches(
        &mut self,
        slot: Slot,
        hashed: &[HashedCandidates],
        own: &[&Expr],
        row: &Combination<'a>,
    ) -> Vec<Candidate<'a>> {
        let world = &self.input.world;
        match &self.fact(slot).kind {
            FactKind::Each(expr) => {
                let list = match expr.eval(world, &row.values) {
                    unknown @ Value::Undecided(_) => vec![unknown],
                    list => list.elements(),
                };
                let list: Vec<Candidate<'a>> = list.into_iter().map(Candidate::of).collect();
                self.holding(slot, &mut list.iter(), own, row)
            }
            FactKind::Value(expr) => {
                let value = Candidate { value: expr.eval(world, &row.values), undecided: None };
                self.holding(slot, &mut [value].iter(), own, row)
            }
            _ => {
                // Taken out, because the count of pairs is written while the candidates are read.
                let all = std::mem::take(&mut self.candidates.entry(slot).or_default().list);
                let matches = match hash::fewest(hashed, self.input, &row.values) {
                    Some(positions) => self.holding(slot, &mut positions.iter().map(|&p| &all[p]), own, row),
                    None => self.holding(slot, &mut all.iter(), own, row),
                };
                self.candidates.entry(slot).or_default().list = all;
                matches
            }
        }
    }

    /// The candidates for which all conditions hold or cannot be told.
    fn holding(
        &mut self,
        slot: Slot,
        candidates: &mut dyn Iterator<Item = &Candidate<'a>>,
        conditions: &[&Expr],
        row: &Combination<'a>,
    ) -> Vec<Candidate<'a>> {
        let mut scratch = row.values.clone();
        let mut met = std::mem::take(&mut self.met);
        let mut matches = Vec::new();
        for candidate in candidates {
            self.pairs += 1;
            if self.pairs > MAX_PAIRS {
                break;
            }
            matches.extend(self.holds(slot, candidate, conditions, &mut scratch, &mut met));
        }
        self.met = met;
        matches
    }

    /// The candidate if all conditions hold or cannot be told; counts in `met` how far it came.
    fn holds(
        &self,
        slot: Slot,
        candidate: &Candidate<'a>,
        conditions: &[&Expr],
        scratch: &mut [Value<'a>],
        met: &mut [usize],
    ) -> Option<Candidate<'a>> {
        scratch[slot] = candidate.value.clone();
        let mut undecided = candidate.undecided.clone();
        let mut met = met.iter_mut();
        let mut count = || met.next().into_iter().for_each(|count| *count += 1);
        count();
        for condition in conditions {
            match condition.test(&self.input.world, scratch) {
                Truth::True => {}
                Truth::False => return None,
                Truth::Undecided(reason) => {
                    undecided.get_or_insert(reason);
                }
            }
            count();
        }
        Some(Candidate { value: candidate.value.clone(), undecided })
    }

    /// Adds to `grown` what a combination becomes with the matches of one more fact.
    fn grow(
        &mut self,
        slot: Slot,
        own: &[&Expr],
        (origin, mut row): Row<'a>,
        matches: Vec<Candidate<'a>>,
        same: Option<&Value<'a>>,
        grown: &mut Vec<Row<'a>>,
    ) {
        let fact = self.fact(slot);
        let missing = if fact.is_lookup() { self.missing(slot, &row) } else { None };
        let unknown = matches.iter().find_map(|found| found.undecided.clone());
        if fact.collect {
            let list = same.cloned().unwrap_or_else(|| decided(&matches));
            self.pairs += if same.is_none() { COLLECTED * matches.len() } else { 0 };
            let any = slot >= self.rule.find || matches!(fact.kind, FactKind::Log(_) | FactKind::Sequence(_));
            collected(fact, any, slot, list, unknown.or(missing), &mut row);
            grown.push((origin, row));
        } else if fact.optional && matches.iter().all(|found| found.undecided.is_some()) {
            row.values[slot] = unknown.or(missing).map_or(Value::Null, Value::Undecided);
            grown.push((origin, row));
        } else {
            let mut matches = matches;
            if fact.optional {
                matches.retain(|found| found.undecided.is_none());
            } else if let Some(reason) = missing {
                let unseen = Candidate { value: Value::Undecided(reason.clone()), undecided: Some(reason) };
                // No candidate of the bundle, so it does not count.
                matches.extend(self.holds(slot, &unseen, own, &mut row.values.clone(), &mut []));
            }
            if let Some(reason) = row.undecided.clone().filter(|_| matches.len() > MAX_UNDECIDED) {
                matches = vec![Candidate::of(Value::Undecided(reason))];
            }
            for found in matches {
                let mut next = row.clone();
                next.values[slot] = found.value;
                next.undecided = next.undecided.or(found.undecided);
                grown.push((origin, next));
            }
        }
    }

    fn filter(&mut self, condition: &Expr) {
        self.watch.filtering(condition, &self.rows);
        let world = &self.input.world;
        self.rows.retain_mut(|(_, row)| match condition.test(world, &row.values) {
            Truth::True => true,
            Truth::False => false,
            Truth::Undecided(reason) => {
                row.undecided.get_or_insert(reason);
                true
            }
        });
        self.watch.filtered(self.rows.len());
    }

    /// Why there may be matches for this combination that are not in the bundle.
    fn missing(&self, slot: Slot, row: &Combination<'a>) -> Option<Reason> {
        let fact = self.fact(slot);
        let missing = match dynamic_namespace(fact) {
            Some(namespace) => self.missing_in(slot, namespace, row),
            None => self.candidates[&slot].missing.clone(),
        };
        missing.or_else(|| fact.silence_unknown.then(|| "no match, and its absence proves nothing here".into()))
    }

    /// Whether the namespace that a combination asks for was collected.
    fn missing_in(&self, slot: Slot, namespace: &Expr, row: &Combination<'a>) -> Option<Reason> {
        let FactKind::Resource(query) = &self.fact(slot).kind else { return None };
        if namespace.slots().iter().any(|&s| !self.bound[s]) {
            return not_collected(self.input, &query.types, None);
        }
        let namespace = match namespace.eval(&self.input.world, &row.values) {
            Value::Undecided(reason) => return Some(reason),
            // A condition that equates the namespace with anything else does not hold.
            namespace => namespace.as_str()?.to_owned(),
        };
        let mut known = self.collected.borrow_mut();
        let ask = || not_collected(self.input, &query.types, Some(&namespace));
        known.entry((slot, namespace.clone())).or_insert_with(ask).clone()
    }

    /// Values, elements and lists in `unless` are found if they are neither null, false nor empty.
    fn presence(&mut self, group: &[Slot]) {
        let rule = self.rule;
        let shown = |slot: &&Slot| !rule.facts[**slot].is_lookup() || rule.facts[**slot].collect;
        let values: Vec<Slot> = group.iter().filter(shown).copied().collect();
        self.rows.retain_mut(|(_, row)| {
            values.iter().all(|&slot| match &row.values[slot] {
                Value::Undecided(reason) => {
                    row.undecided.get_or_insert(reason.clone());
                    true
                }
                value => value.is_present(),
            })
        });
    }
}

/// Binds the list of a collected fact; one that may be incomplete is undecided. Where any match is enough,
/// which is so of logs and in `unless`, only an empty list can be incomplete.
fn collected<'a>(
    fact: &Fact,
    any: bool,
    slot: Slot,
    list: Value<'a>,
    unknown: Option<Reason>,
    row: &mut Combination<'a>,
) {
    let unknown = unknown.filter(|_| !list.is_present() || (!any && !fact.optional));
    row.values[slot] = match unknown {
        Some(reason) => {
            if !fact.optional {
                row.undecided.get_or_insert(reason.clone());
            }
            Value::Undecided(reason)
        }
        None => list,
    };
}

/// The list of the candidates that are known to match.
fn decided<'a>(candidates: &[Candidate<'a>]) -> Value<'a> {
    let known = candidates.iter().filter(|found| found.undecided.is_none());
    Value::List(known.map(|found| found.value.clone()).collect::<Arc<[_]>>())
}

/// What a fact's namespace is equated with, when that depends on the combination.
fn dynamic_namespace(fact: &Fact) -> Option<&Expr> {
    match &fact.kind {
        FactKind::Resource(query) => query.namespace_expr.as_ref(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::testing::{input, object, rules};

    fn joined(body: &str, objects: &[String], missing: &[&str]) -> (usize, Vec<String>, bool) {
        let (set, input) = (rules(&[("joined", body)]), input(objects, missing));
        let mut joined = join_find(&input, &set.rules[0], &mut ());
        apply_unless(&input, &set.rules[0], &mut joined, &mut ());
        let undecided = joined.combinations.iter().filter_map(|row| row.undecided.as_deref());
        let mut reasons: Vec<String> = undecided.map(str::to_owned).collect();
        reasons.sort();
        (joined.combinations.len() - reasons.len(), reasons, joined.overflow)
    }

    fn many(kind: &str, count: usize) -> Vec<String> {
        (0..count).map(|n| object(kind, &format!("o{n}"), "v: 1")).collect()
    }

    const BOTH: &str =
        "find: {c: {resource: configmaps}, s: {resource: secrets, where: s.metadata.name == c.metadata.name}}";

    #[test]
    fn what_was_not_seen_leaves_a_combination_open() {
        let objects = [many("ConfigMap", 2), many("Secret", 1)].concat();
        assert_eq!(joined(BOTH, &objects, &[]), (1, vec![], false));
        let reason = "secrets were not collected".to_owned();
        assert_eq!(joined(BOTH, &objects, &["secrets"]), (1, vec![reason.clone(), reason], false));
        assert_eq!(joined(BOTH, &many("Secret", 1), &["secrets"]), (0, vec![], false));
    }

    #[test]
    fn pairs_that_nothing_joins_end_a_rule() {
        let objects = [many("ConfigMap", 400), many("Secret", 400)].concat();
        let apart = "find: {c: {resource: configmaps}, s: {resource: secrets}}";
        assert_eq!(joined(apart, &objects, &[]), (0, vec![], true));
        assert_eq!(joined(BOTH, &objects, &[]), (400, vec![], false));
    }

    /// A claim waits for its pod, whose namespace it is in; beginning with the volumes, which are fewest, would pair
    /// each of them with each pod.
    #[test]
    fn the_order_leaves_no_fact_without_a_join() {
        let named = |kind: &str, count: usize, more: &str| -> Vec<String> {
            (0..count).map(|n| object(kind, &format!("o{n}"), &more.replace('#', &n.to_string()))).collect()
        };
        let claims = named("PersistentVolumeClaim", 3_000, "spec: {volumeName: o#}");
        let objects = [named("Pod", 3_000, "claim: o#"), claims, named("PersistentVolume", 2_900, "v: 1")].concat();
        let body = "find:\n  pod: {resource: pods}\n  pv: {resource: persistentvolumes, where: pv.metadata.name == claim.spec.volumeName}\n  \
                    claim:\n    resource: persistentvolumeclaims\n    where: claim.metadata.namespace == pod.metadata.namespace && claim.metadata.name == pod.claim";
        assert_eq!(joined(body, &objects, &[]), (2_900, vec![], false));
    }

    #[test]
    fn a_list_for_all_combinations_is_kept_once() {
        let objects = [many("ConfigMap", 2000), many("Secret", 2000)].concat();
        let body = "find: {c: {resource: configmaps}, s: {resource: secrets, collect: true}}\nwhen: size(s) == 2000";
        assert_eq!(joined(body, &objects, &[]), (2000, vec![], false));
    }

    #[test]
    fn a_large_undecided_part_goes_on_as_one() {
        let objects = [many("ConfigMap", 3), many("Secret", 300)].concat();
        let body = "find: {p: {resource: pods}, c: {resource: configmaps}, s: {resource: secrets, where: s.x == p.x}}";
        let (fired, reasons, overflow) = joined(body, &objects, &["pods"]);
        assert_eq!((fired, reasons.is_empty(), overflow), (0, false, false));
    }
}
