//! Combinations of what the facts of a rule found: hash joins, group joins, and what is undecided.
//!
//! All `where` conditions of the facts form one pool; each is tested once, as soon as the names it
//! mentions are bound. Facts are bound one after another, and the order is chosen by what is known
//! by then, so the order in the file never changes a result: required facts whose input is
//! complete come first, joined by a hash where a condition allows it and smallest first otherwise;
//! optional and collected facts come after what they mention.

use std::collections::{BTreeMap, HashMap};

use super::Input;
use super::candidates::{Candidate, Candidates, Reason, look_up, not_collected};
use crate::expr::{Expr, JoinKey, JoinKind, Key, Slot, Truth, Value};
use crate::rule::{Fact, FactKind, Rule};

/// More combinations than this end a rule: such a rule joins by nothing.
const MAX_COMBINATIONS: usize = 200_000;

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
    /// Combinations were lost to a fact whose input is incomplete: they might have held.
    pub lost: Option<Reason>,
    /// The rule had to be given up.
    pub overflow: bool,
}

struct Join<'a, 'r> {
    input: &'a Input,
    rule: &'r Rule,
    candidates: BTreeMap<Slot, Candidates<'a>>,
    /// Conditions not tested yet, with the fact they stand at.
    pool: Vec<(Slot, &'r Expr)>,
    bound: Vec<bool>,
    /// The combinations, each with the index of the one it grew from.
    rows: Vec<(usize, Combination<'a>)>,
    lost: Option<Reason>,
    overflow: bool,
}

/// Joins the facts of `find` and applies `when`.
pub fn join_find<'a>(input: &'a Input, rule: &Rule) -> Joined<'a> {
    let empty = Combination { values: vec![Value::Null; rule.names.len()], undecided: None };
    let bound = vec![false; rule.names.len()];
    let slots: Vec<Slot> = (0..rule.find).collect();
    let mut join = Join::new(input, rule, &slots, bound, vec![empty]);
    if let Some(outcome) = join.hopeless(&slots) {
        return outcome;
    }
    join.bind_all(slots);
    for condition in &rule.when {
        join.filter(condition);
    }
    let combinations = join.rows.into_iter().map(|(_, row)| row).collect();
    Joined { combinations, lost: join.lost, overflow: join.overflow }
}

/// Drops the combinations for which a group of `unless` facts is found; keeps undecided ones as such.
pub fn apply_unless<'a>(input: &'a Input, rule: &Rule, joined: &mut Joined<'a>) {
    for group in &rule.unless {
        let before = std::mem::take(&mut joined.combinations);
        let mut bound = vec![true; rule.names.len()];
        (rule.find..rule.names.len()).for_each(|slot| bound[slot] = false);
        let mut join = Join::new(input, rule, group, bound, before.clone());
        join.bind_all(group.clone());
        join.presence(group);
        joined.overflow |= join.overflow;
        let missing: Vec<Option<Reason>> = before.iter().map(|row| join.missing_in(group, row)).collect();
        let mut verdicts: Vec<Option<Truth>> = vec![None; before.len()];
        for (origin, row) in join.rows {
            match (&row.undecided, &before[origin].undecided) {
                (Some(reason), None) => {
                    verdicts[origin].get_or_insert(Truth::Undecided(reason.clone()));
                }
                _ => verdicts[origin] = Some(Truth::True),
            }
        }
        for ((mut row, verdict), missing) in before.into_iter().zip(verdicts).zip(missing) {
            match verdict {
                Some(Truth::True) => continue,
                Some(Truth::Undecided(reason)) => row.undecided = row.undecided.or(Some(reason)),
                _ => row.undecided = row.undecided.or(missing),
            }
            joined.combinations.push(row);
        }
    }
}

impl<'a, 'r> Join<'a, 'r> {
    fn new(input: &'a Input, rule: &'r Rule, slots: &[Slot], bound: Vec<bool>, rows: Vec<Combination<'a>>) -> Self {
        let mut scratch = vec![Value::Null; rule.names.len()];
        let candidates =
            slots.iter().map(|&slot| (slot, look_up(input, &rule.facts[slot], slot, &mut scratch))).collect();
        let pool = slots.iter().flat_map(|&slot| open_conditions(&rule.facts[slot], slot)).collect();
        let rows = rows.into_iter().enumerate().collect();
        Self { input, rule, candidates, pool, bound, rows, lost: None, overflow: false }
    }

    fn fact(&self, slot: Slot) -> &'r Fact {
        &self.rule.facts[slot]
    }

    /// A required fact without any candidate ends the rule: clean if its input is complete.
    fn hopeless(&self, slots: &[Slot]) -> Option<Joined<'a>> {
        let empty: Vec<Slot> = slots
            .iter()
            .copied()
            .filter(|&slot| is_lookup(self.fact(slot)) && required(self.fact(slot)))
            .filter(|slot| self.candidates[slot].list.is_empty() && !self.depends_on_row(*slot))
            .collect();
        if empty.is_empty() {
            return None;
        }
        let complete = empty.iter().any(|slot| self.candidates[slot].missing.is_none());
        let lost = if complete { None } else { self.candidates[&empty[0]].missing.clone() };
        Some(Joined { combinations: Vec::new(), lost, overflow: false })
    }

    /// Whether completeness of the fact's input depends on the combination (its namespace does).
    fn depends_on_row(&self, slot: Slot) -> bool {
        matches!(&self.fact(slot).kind, FactKind::Resource(query) if query.namespace_expr.is_some())
    }

    fn bind_all(&mut self, mut waiting: Vec<Slot>) {
        while !waiting.is_empty() && !self.overflow {
            let next = self.choose(&waiting);
            let slot = waiting.remove(next);
            self.bind(slot);
        }
    }

    /// The position in `waiting` of the fact to bind next.
    fn choose(&self, waiting: &[Slot]) -> usize {
        let cost = |position: &usize| {
            let slot = waiting[*position];
            let fact = self.fact(slot);
            let found = &self.candidates[&slot];
            // Facts that hang on others wait for them; two that hang on each other's namespace are bound in any order.
            let blocked = self.dependencies(slot).iter().any(|s| waiting.contains(s) && *s != slot);
            let late = !required(fact);
            let unjoined = is_lookup(fact) && self.join_key(slot).is_none() && self.bound.iter().any(|b| *b);
            (blocked, late, found.missing.is_some(), unjoined, found.list.len(), slot)
        };
        (0..waiting.len()).min_by_key(cost).unwrap_or(0)
    }

    /// Slots that must be bound before this one can be.
    fn dependencies(&self, slot: Slot) -> Vec<Slot> {
        let fact = self.fact(slot);
        match &fact.kind {
            FactKind::Each(expr) | FactKind::Value(expr) => expr.slots().to_vec(),
            // Only then can be told whether that namespace was collected.
            FactKind::Resource(query) if required(fact) => {
                query.namespace_expr.iter().flat_map(|expr| expr.slots().iter().copied()).collect()
            }
            _ if required(fact) => Vec::new(),
            _ => fact.conditions.iter().flat_map(|c| c.slots().iter().copied()).collect(),
        }
    }

    fn bind(&mut self, slot: Slot) {
        let fact = self.fact(slot);
        let own = self.take_conditions(slot);
        let rows = std::mem::take(&mut self.rows);
        let mut grown = Vec::with_capacity(rows.len());
        let key = own.iter().find_map(|condition| condition.join_on(slot).filter(|k| self.usable(k)));
        let hashed = key.map(|key| HashedCandidates::new(self.input, slot, key, &self.candidates[&slot], &rows));
        for (origin, row) in rows {
            let matches = match &fact.kind {
                FactKind::Each(expr) => self.elements(slot, expr, &own, &row),
                FactKind::Value(expr) => {
                    let value = expr.eval(&self.input.world, &row.values);
                    vec![Candidate { value, undecided: None }]
                }
                _ => self.matching(slot, hashed.as_ref(), &own, &row),
            };
            self.grow(slot, origin, row, matches, &mut grown);
            if grown.len() > MAX_COMBINATIONS {
                self.overflow = true;
                break;
            }
        }
        self.rows = grown;
        self.bound[slot] = true;
        self.test_ready();
    }

    /// Adds to `grown` what a combination becomes with the matches of one more fact.
    fn grow(
        &mut self,
        slot: Slot,
        origin: usize,
        mut row: Combination<'a>,
        matches: Vec<Candidate<'a>>,
        grown: &mut Vec<(usize, Combination<'a>)>,
    ) {
        let fact = self.fact(slot);
        let decided = matches.iter().any(|m| m.undecided.is_none());
        if fact.collect {
            let undecided = matches.iter().find_map(|m| m.undecided.clone()).or_else(|| self.missing(slot, &row));
            if !fact.optional {
                row.undecided = row.undecided.or(undecided);
            }
            let list: Vec<Value<'a>> = matches.into_iter().filter(|m| m.undecided.is_none()).map(|m| m.value).collect();
            row.values[slot] = Value::List(list.into());
            grown.push((origin, row));
        } else if fact.optional && !decided {
            grown.push((origin, row));
        } else if matches.is_empty() {
            if let Some(reason) = self.missing(slot, &row) {
                self.lost.get_or_insert(reason);
            }
        } else {
            for found in matches.into_iter().filter(|m| !fact.optional || m.undecided.is_none()) {
                let mut next = row.clone();
                next.values[slot] = found.value;
                next.undecided = next.undecided.or(found.undecided);
                grown.push((origin, next));
            }
        }
    }

    /// The candidates of a lookup fact that go with a combination.
    fn matching(
        &self,
        slot: Slot,
        hashed: Option<&HashedCandidates>,
        conditions: &[&Expr],
        row: &Combination<'a>,
    ) -> Vec<Candidate<'a>> {
        let all = &self.candidates[&slot].list;
        let mut scratch = row.values.clone();
        let mut matches = Vec::new();
        let mut consider = |candidate: &Candidate<'a>| {
            if let Some(found) = self.holds(slot, candidate, conditions, &mut scratch) {
                matches.push(found);
            }
        };
        match hashed.and_then(|h| h.positions(self.input, &row.values)) {
            Some(positions) => positions.into_iter().for_each(|position| consider(&all[position])),
            None => all.iter().for_each(consider),
        }
        matches
    }

    /// The candidate if all conditions hold or cannot be told.
    fn holds(
        &self,
        slot: Slot,
        candidate: &Candidate<'a>,
        conditions: &[&Expr],
        scratch: &mut [Value<'a>],
    ) -> Option<Candidate<'a>> {
        scratch[slot] = candidate.value.clone();
        let mut undecided = candidate.undecided.clone();
        for condition in conditions {
            match condition.test(&self.input.world, scratch) {
                Truth::True => {}
                Truth::False => return None,
                Truth::Undecided(reason) => {
                    undecided.get_or_insert(reason);
                }
            }
        }
        Some(Candidate { value: candidate.value.clone(), undecided })
    }

    fn elements(&self, slot: Slot, expr: &Expr, conditions: &[&Expr], row: &Combination<'a>) -> Vec<Candidate<'a>> {
        let list = match expr.eval(&self.input.world, &row.values) {
            Value::Undecided(reason) => {
                return vec![Candidate { value: Value::Null, undecided: Some(reason) }];
            }
            list => list.elements(),
        };
        let mut scratch = row.values.clone();
        list.into_iter()
            .filter_map(|value| {
                let candidate = Candidate { value, undecided: None };
                self.holds(slot, &candidate, conditions, &mut scratch)
            })
            .collect()
    }

    /// Takes from the pool the fact's own conditions that can be tested when it is bound.
    fn take_conditions(&mut self, slot: Slot) -> Vec<&'r Expr> {
        let mut taken = Vec::new();
        let bound = &self.bound;
        // What others say of an optional or collected fact is about the outcome, not about its matches.
        let alone = !required(&self.rule.facts[slot]);
        self.pool.retain(|(at, condition)| {
            let ready = condition.slots().iter().all(|&s| s == slot || bound[s]);
            let mine = *at == slot || (!alone && condition.slots().contains(&slot));
            if ready && mine {
                taken.push(*condition);
            }
            !(ready && mine)
        });
        taken
    }

    /// Tests what has become testable; conditions of an optional fact without match do not count.
    fn test_ready(&mut self) {
        let bound = self.bound.clone();
        let (ready, waiting): (Vec<_>, Vec<_>) =
            self.pool.drain(..).partition(|(_, condition)| condition.slots().iter().all(|&s| bound[s]));
        self.pool = waiting;
        for (_, condition) in ready {
            self.filter(condition);
        }
    }

    fn filter(&mut self, condition: &Expr) {
        let world = &self.input.world;
        self.rows.retain_mut(|(_, row)| match condition.test(world, &row.values) {
            Truth::True => true,
            Truth::False => false,
            Truth::Undecided(reason) => {
                row.undecided.get_or_insert(reason);
                true
            }
        });
    }

    fn join_key(&self, slot: Slot) -> Option<JoinKey> {
        self.pool.iter().find_map(|(_, condition)| condition.join_on(slot).filter(|key| self.usable(key)))
    }

    fn usable(&self, key: &JoinKey) -> bool {
        !key.other.slots().is_empty() && key.other.slots().iter().all(|&s| self.bound[s])
    }

    /// Why the fact's input is incomplete for this combination, if it is.
    fn missing(&self, slot: Slot, row: &Combination<'a>) -> Option<Reason> {
        if let FactKind::Resource(query) = &self.fact(slot).kind
            && let Some(namespace) = &query.namespace_expr
        {
            if namespace.slots().iter().any(|&s| !self.bound[s]) {
                return not_collected(self.input, &query.types, None);
            }
            let namespace = namespace.eval(&self.input.world, &row.values);
            return not_collected(self.input, &query.types, Some(namespace.as_str()?));
        }
        self.candidates[&slot].missing.clone()
    }

    fn missing_in(&self, group: &[Slot], row: &Combination<'a>) -> Option<Reason> {
        group.iter().find_map(|&slot| self.missing(slot, row))
    }

    /// Values and elements in `unless` are found if they are neither null, false nor empty.
    fn presence(&mut self, group: &[Slot]) {
        let values: Vec<Slot> = group.iter().copied().filter(|&s| !is_lookup(self.fact(s))).collect();
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

fn is_lookup(fact: &Fact) -> bool {
    !matches!(fact.kind, FactKind::Each(_) | FactKind::Value(_))
}

fn required(fact: &Fact) -> bool {
    !fact.optional && !fact.collect
}

/// The conditions that the candidates have not met yet.
fn open_conditions(fact: &Fact, slot: Slot) -> impl Iterator<Item = (Slot, &Expr)> {
    let local = is_lookup(fact);
    fact.conditions.iter().filter(move |c| !local || c.slots().iter().any(|&s| s != slot)).map(move |c| (slot, c))
}

/// Candidates by the value of an expression of theirs.
struct HashedCandidates {
    key: JoinKey,
    positions: HashMap<Key, Vec<usize>>,
    /// Candidates whose own key cannot be told: they go with everything.
    unknown: Vec<usize>,
}

impl HashedCandidates {
    fn new<'a>(
        input: &'a Input,
        slot: Slot,
        key: JoinKey,
        candidates: &Candidates<'a>,
        rows: &[(usize, Combination<'a>)],
    ) -> Self {
        let mut hashed = Self { key, positions: HashMap::new(), unknown: Vec::new() };
        let slots = rows.first().map_or(slot + 1, |(_, row)| row.values.len());
        let mut scratch = vec![Value::Null; slots];
        for (position, candidate) in candidates.list.iter().enumerate() {
            scratch[slot] = candidate.value.clone();
            match hashed.key.own.eval(&input.world, &scratch) {
                Value::Undecided(_) => hashed.unknown.push(position),
                own => {
                    for key in keys(&own, hashed.key.kind == JoinKind::OtherInOwn) {
                        hashed.positions.entry(key).or_default().push(position);
                    }
                }
            }
        }
        hashed
    }

    /// Positions of the candidates that may go with a combination, ascending; none when its own
    /// side cannot be told, so that all must be tried.
    fn positions<'a>(&self, input: &'a Input, values: &[Value<'a>]) -> Option<Vec<usize>> {
        let other = self.key.other.eval(&input.world, values);
        if matches!(other, Value::Undecided(_)) {
            return None;
        }
        let mut found = self.unknown.clone();
        for key in keys(&other, self.key.kind == JoinKind::OwnInOther) {
            found.extend(self.positions.get(&key).into_iter().flatten());
        }
        found.sort_unstable();
        found.dedup();
        Some(found)
    }
}

fn keys(value: &Value<'_>, of_elements: bool) -> Vec<Key> {
    if of_elements { value.member_keys() } else { value.key().into_iter().collect() }
}
