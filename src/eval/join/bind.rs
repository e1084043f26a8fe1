//! Binds the facts of a rule one after another: hash joins, group joins, and undecided combinations.
//!
//! All `where` conditions of the facts form one pool; each is tested once, as soon as the names it
//! mentions are bound. Facts are bound one after another in the order of [`crate::rule::order`].
//!
//! If the input of a required fact is incomplete, a combination also continues with an unseen match,
//! which is an undecided value. Conditions on it are undecided, unless others refute the
//! combination anyway. Therefore the difference between clean and not evaluated needs no case of its own:
//! an undecided combination is left, or none is.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::eval::facts::alternative_set::AlternativeSet;
use crate::eval::facts::alternatives::union;
use crate::eval::facts::candidate::{Candidate, Candidates};
use crate::eval::facts::lookup;
use crate::eval::identity::{detail, identity};
use crate::eval::input::Input;
use crate::eval::join::combination::{Combination, Joined, Row};
use crate::eval::join::matching::AlternativeJoin;
use crate::eval::join::observer::JoinObserver;
use crate::eval::join::state::{Join, MAX_PAIRS, Uncollected, dynamic_namespace};
use crate::expr::{Expr, Slot, Truth, Value};
use crate::model::message::SharedReason;
use crate::rule::order::{self, CandidateCount};
use crate::rule::{Alternative, Fact, FactKind, Rule, Silence};

/// Number of combinations beyond which a rule ends: it has no condition that joins its facts. At 40 bytes a value, 32 MB for eight facts.
const MAX_COMBINATIONS: usize = 100_000;
/// Number of values of all combinations beyond which a rule ends, for rules of many facts: 64 MB.
const MAX_VALUES: usize = 1_600_000;
/// Number of combinations beyond which facts that decide nothing wait until it is known which combinations may be findings: of 20,000
/// crash-looping pods without logs, 100 rules looked for a dozen of them each for nothing.
const MANY_COMBINATIONS: usize = 16;
/// Number of pairs that an element of a list counts for, so that lists stay below 50 MB.
const COLLECTED: usize = 4;
/// Number of matches beyond which an undecided combination continues with one match that represents all.
const MAX_UNDECIDED: usize = 64;

/// Joins the facts of a rule, and applies `when` and `unless`. What this leaves undecided is decided if parts that were not collected of
/// facts with `silence: absent` are taken for absent; a rule that finds nothing then stays undecided, because what was not collected may
/// hold what it needs. `watch` sees the first of both.
pub fn join<'a>(input: &'a Input, rule: &Rule, watch: &mut dyn JoinObserver<'a>) -> Joined<'a> {
    let open = join_once(input, rule, Uncollected::Open, watch);
    let may_be_absent = |fact: &Fact| fact.alternatives.iter().any(|a| a.silence == Silence::Absent);
    let slots: Vec<Slot> = (0..rule.find).filter(|&slot| may_be_absent(&rule.facts[slot])).collect();
    let takes_absence = !slots.is_empty() || rule.facts.iter().any(may_be_absent);
    let is_unknown = |value: &Value<'_>| matches!(value, Value::Undecided(_));
    // A finding may be decided while what its texts and steps mention is not.
    let is_told = |row: &Combination<'_>| row.is_decided() && !slots.iter().any(|&slot| is_unknown(&row.values[slot]));
    if !takes_absence || open.combinations.iter().all(is_told) {
        return open;
    }
    let absent = join_once(input, rule, Uncollected::Absent, &mut ());
    if absent.combinations.iter().any(Combination::is_decided) { absent } else { open }
}

fn join_once<'a>(
    input: &'a Input,
    rule: &Rule,
    uncollected: Uncollected,
    watch: &mut dyn JoinObserver<'a>,
) -> Joined<'a> {
    let mut joined = join_find(input, rule, uncollected, watch);
    apply_unless(input, rule, uncollected, &mut joined, watch);
    joined
}

/// Joins the facts of `find` and applies `when`.
fn join_find<'a>(
    input: &'a Input,
    rule: &Rule,
    uncollected: Uncollected,
    watch: &mut dyn JoinObserver<'a>,
) -> Joined<'a> {
    let slots: Vec<Slot> = (0..rule.find).collect();
    let Some(candidates) = look_up_all(input, rule, &slots) else { return Joined::default() };
    let first = vec![Combination::empty(rule.names.len())];
    let mut join = Join::new(input, rule, uncollected, candidates, first, watch);
    join.bind_all(slots);
    for condition in &rule.when {
        join.filter(condition);
    }
    join.bind_deferred();
    let combinations = join.rows.into_iter().map(|(_, row)| row).collect();
    Joined { combinations, overflow: join.overflow }
}

/// Looks the facts up, those first that cost least; none if a required fact has no candidate although its input is complete. Most
/// rules end there, before they ask for any object.
fn look_up_all<'a>(input: &'a Input, rule: &Rule, slots: &[Slot]) -> Option<BTreeMap<Slot, Vec<Candidates<'a>>>> {
    let mut slots = slots.to_vec();
    slots.sort_by_key(|&slot| lookup::cost(input, &rule.facts[slot]));
    let found = slots.into_iter().map(|slot| {
        let found = look_up(input, rule, slot);
        (!is_absent(&rule.facts[slot], &found)).then_some((slot, found))
    });
    found.collect()
}

fn look_up<'a>(input: &'a Input, rule: &Rule, slot: Slot) -> Vec<Candidates<'a>> {
    lookup::look_up(input, &rule.facts[slot], slot, &mut vec![Value::Null; rule.names.len()])
}

/// Returns whether a required fact has no candidate although its input is complete.
fn is_absent(fact: &Fact, found: &[Candidates<'_>]) -> bool {
    let nothing = |(alternative, found): (&Alternative, &Candidates<'_>)| {
        alternative.silence != Silence::Unknown
            && found.list.is_empty()
            && found.incomplete.is_none()
            && dynamic_namespace(&alternative.kind).is_none()
    };
    fact.is_lookup() && fact.is_required() && fact.alternatives.iter().zip(found).all(nothing)
}

/// Drops the combinations for which a group of `unless` facts is found; keeps undecided ones as such.
fn apply_unless<'a>(
    input: &'a Input,
    rule: &Rule,
    uncollected: Uncollected,
    joined: &mut Joined<'a>,
    watch: &mut dyn JoinObserver<'a>,
) {
    for group in order::unless(rule) {
        if joined.combinations.is_empty() || joined.overflow {
            return;
        }
        let before = std::mem::take(&mut joined.combinations);
        let decided = before.iter().map(|row| Combination { undecided: None, ..row.clone() }).collect();
        let candidates = group.iter().map(|&slot| (slot, look_up(input, rule, slot))).collect();
        let mut join = Join::new(input, rule, uncollected, candidates, decided, watch);
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

/// Returns whether the group is found, for each of the combinations from which the rows grew.
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
    fn bind_all(&mut self, mut waiting: Vec<Slot>) {
        while !waiting.is_empty() && !self.overflow {
            let found = |slot: Slot| self.found(slot);
            let slot = waiting.remove(order::next(&self.pool, &found, &waiting, &self.bound));
            if self.can_wait(slot) {
                self.deferred.push(slot);
            } else {
                self.bind(slot);
            }
        }
        if self.overflow {
            self.rows.clear();
        }
    }

    /// Returns whether there are many combinations and a fact can drop none of them, as only texts need it. What follows from a fact
    /// that waits waits, too.
    fn can_wait(&self, slot: Slot) -> bool {
        let fact = self.fact(slot);
        let is_many = self.rows.len() > MANY_COMBINATIONS || !self.deferred.is_empty();
        let keeps_all = fact.is_value() && fact.all_conditions().next().is_none() || fact.is_lookup() && fact.optional;
        is_many && keeps_all && !order::decides(self.rule, slot)
    }

    /// Binds the facts that wait, for the combinations that may be findings.
    fn bind_deferred(&mut self) {
        let rows = std::mem::take(&mut self.rows);
        let (decided, undecided): (Vec<_>, Vec<_>) = rows.into_iter().partition(|(_, row)| row.is_decided());
        self.rows = decided;
        for slot in std::mem::take(&mut self.deferred) {
            self.bind(slot);
        }
        self.rows.extend(undecided);
    }

    fn found(&self, slot: Slot) -> CandidateCount {
        let all = || self.candidates.get(&slot).into_iter().flatten();
        CandidateCount {
            candidates: all().map(|found| found.list.len()).sum(),
            incomplete: all().any(|found| found.incomplete.is_some()),
        }
    }

    fn bind(&mut self, slot: Slot) {
        let own = self.pool.take(slot, &self.bound);
        self.watch.binding(slot, &own, &self.rows);
        self.met = vec![0; own.len() + 1];
        let rows = std::mem::take(&mut self.rows);
        let mut grown = Vec::with_capacity(rows.len());
        let ways = self.ways(slot, &own);
        let same = self.same_for_all(slot, &ways);
        let missing = self.missing_for_all(slot, &ways);
        for (origin, mut row) in rows {
            let matches = self.matches(slot, &ways, &mut row);
            let missing = missing.as_ref().map_or_else(|| Cow::Owned(self.missing(slot, &ways, &row)), Cow::from);
            let how = Growth { slot, ways: &ways, missing: &missing, same: same.as_ref() };
            self.grow(how, (origin, row), matches, &mut grown);
            let most = MAX_COMBINATIONS.min(MAX_VALUES / self.rule.names.len().max(1));
            if grown.len() > most || self.pairs > MAX_PAIRS || self.input.world.exhausted().is_some() {
                self.overflow = true;
                break;
            }
        }
        self.rows = grown;
        self.bound[slot] = true;
        self.watch.bound(&self.met, self.rows.len());
        // Conditions of other facts on an optional or collected fact.
        for condition in self.pool.take_ready(&self.bound) {
            self.filter(condition);
        }
    }

    /// Returns the list of a collected fact that is the same for all combinations.
    fn same_for_all(&self, slot: Slot, ways: &[AlternativeJoin<'r>]) -> Option<BoundList<'a>> {
        let fact = self.fact(slot);
        let same = fact.collect && fact.is_lookup() && ways.iter().all(|way| way.conditions.is_empty());
        same.then(|| self.list(slot, union(self.candidates[&slot].iter().map(|found| found.list.clone()).collect())))
    }

    /// Adds to `grown` the combinations of a combination with the matches of one more fact.
    fn grow(
        &mut self,
        Growth { slot, ways, missing, same }: Growth<'_, 'a, 'r>,
        (origin, mut row): Row<'a>,
        mut matches: Vec<Candidate<'a>>,
        grown: &mut Vec<Row<'a>>,
    ) {
        let fact = self.fact(slot);
        if fact.collect {
            self.pairs += if same.is_none() { COLLECTED * matches.len() } else { 0 };
            let list = same.cloned().unwrap_or_else(|| self.list(slot, matches.clone()));
            let unknown = self.incomplete(slot, &list, &matches, missing);
            self.bind_list(slot, list, unknown, &mut row);
            grown.push((origin, row));
            return;
        }
        if fact.optional && matches.iter().all(|found| found.undecided.is_some()) {
            let unknown = matches.iter().filter_map(|found| found.undecided.as_ref()).min();
            let unknown = unknown.or(missing.first().map(|(_, reason)| reason)).cloned();
            row.values[slot] = unknown.map_or(Value::Null, Value::Undecided);
            grown.push((origin, row));
            return;
        }
        if fact.optional {
            matches.retain(|found| found.undecided.is_none());
        } else {
            matches.extend(self.unseen(slot, ways, missing, &mut row.values));
        }
        if let Some(reason) = row.undecided.clone().filter(|_| matches.len() > MAX_UNDECIDED) {
            matches = vec![Candidate::of(Value::Undecided(reason))];
        }
        let with = |mut next: Combination<'a>, found: Candidate<'a>| {
            next.values[slot] = found.value;
            next.assume(found.undecided, found.assumed);
            if fact.alternatives.len() > 1 {
                next.via.insert(slot, Arc::from([found.via]));
            }
            (origin, next)
        };
        // Nearly all combinations have one match.
        let Some(last) = matches.pop() else { return };
        grown.extend(matches.into_iter().map(|found| with(row.clone(), found)));
        grown.push(with(row, last));
    }

    /// Returns the list of the certain matches; those of several alternatives are sorted by name, because no alternative comes first.
    fn list(&self, slot: Slot, mut matches: Vec<Candidate<'a>>) -> BoundList<'a> {
        matches.retain(|found| found.undecided.is_none());
        if self.fact(slot).alternatives.len() > 1 {
            matches.sort_by_cached_key(|found| (identity(&self.input.world, &found.value), detail(&found.value)));
        }
        let via = matches.iter().map(|found| found.via).collect();
        BoundList { value: Value::List(matches.into_iter().map(|found| found.value).collect::<Arc<[_]>>()), via }
    }

    /// Returns why a list may be incomplete. If any match is enough, as for logs and in `unless`, only an empty
    /// list can be incomplete. Candidates that may match make an optional list incomplete; objects that were not collected do not.
    fn incomplete(
        &self,
        slot: Slot,
        list: &BoundList<'a>,
        matches: &[Candidate<'a>],
        missing: &[(usize, SharedReason)],
    ) -> Option<SharedReason> {
        let fact = self.fact(slot);
        let forbidden = slot >= self.rule.find;
        let is_log =
            |position: usize| matches!(fact.alternatives[position].kind, FactKind::Log(_) | FactKind::Sequence(_));
        let matters = |any: bool, position: usize| !list.value.is_present() || !(any || is_log(position));
        let unknown = |found: &Candidate<'a>| {
            let asked = |position| found.via.contains(position) && matters(forbidden, position);
            found.undecided.clone().filter(|_| (0..fact.alternatives.len()).any(asked))
        };
        let missed = missing.iter().find(|(position, _)| matters(forbidden || fact.optional, *position));
        matches.iter().filter_map(unknown).min().or_else(|| missed.map(|(_, reason)| reason.clone()))
    }

    /// Binds the list of a collected fact; one that may be incomplete is undecided. If a collector hid what would complete it, and nothing
    /// but what the finding says depends on it, the elements that are known are bound.
    fn bind_list(&self, slot: Slot, list: BoundList<'a>, unknown: Option<SharedReason>, row: &mut Combination<'a>) {
        let fact = self.fact(slot);
        if let Some(reason) = unknown {
            if reason.is_withheld() && !order::decides(self.rule, slot) {
                row.partial.get_or_insert(reason.clone());
                if list.value.is_present() {
                    self.bind_known(slot, list, row);
                } else {
                    row.values[slot] = Value::Undecided(reason);
                }
                return;
            }
            if !fact.optional {
                row.undecided.get_or_insert(reason.clone());
            }
            row.values[slot] = Value::Undecided(reason);
            return;
        }
        self.bind_known(slot, list, row);
    }

    fn bind_known(&self, slot: Slot, list: BoundList<'a>, row: &mut Combination<'a>) {
        row.values[slot] = list.value;
        if self.fact(slot).alternatives.len() > 1 {
            row.via.insert(slot, list.via);
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

    /// Drops combinations whose values, elements or lists in `unless` are null, false or empty: they are not found.
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

/// How combinations grow by the matches of one fact.
struct Growth<'g, 'a, 'r> {
    slot: Slot,
    ways: &'g [AlternativeJoin<'r>],
    /// What [`Join::missing`] returns.
    missing: &'g [(usize, SharedReason)],
    /// The list of a collected fact that is the same for all combinations.
    same: Option<&'g BoundList<'a>>,
}

/// List of the candidates that certainly match.
#[derive(Clone)]
struct BoundList<'a> {
    value: Value<'a>,
    /// Alternatives of each element.
    via: Arc<[AlternativeSet]>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::testing::input;
    use crate::eval::testing::object;
    use crate::eval::testing::rules;

    fn joined(body: &str, objects: &[String], missing: &[&str]) -> (usize, Vec<String>, bool) {
        let (set, input) = (rules(&[("joined", body)]), input(objects, missing));
        let joined = join(&input, &set.rules[0], &mut ());
        let undecided = joined.combinations.iter().filter_map(|row| row.undecided.as_ref());
        let mut reasons: Vec<String> = undecided.map(ToString::to_string).collect();
        reasons.sort();
        (joined.combinations.len() - reasons.len(), reasons, joined.overflow)
    }

    fn many(kind: &str, count: usize) -> Vec<String> {
        (0..count).map(|n| object(kind, &format!("o{n}"), "v: 1")).collect()
    }

    const BOTH: &str =
        "find: {c: {resource: configmaps}, s: {resource: secrets, where: s.metadata.name == c.metadata.name}}";

    #[test]
    fn unseen_matches_leave_a_combination_undecided() {
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
    fn values_that_decide_nothing_are_bound_last() {
        let body = "find: {c: {resource: configmaps}, told: {value: c.metadata.name}, more: {value: told + '!'}, v: {value: c.v}}\nwhen: v == 1\nverify: \"{{ more }}\"";
        let (set, input) = (rules(&[("joined", body)]), input(&many("ConfigMap", 40), &[]));
        let joined = join(&input, &set.rules[0], &mut ());
        let text = |value: &Value<'_>| value.as_str().unwrap_or_default().to_owned();
        let told: Vec<String> = joined.combinations.iter().map(|row| text(&row.values[2])).collect();
        assert_eq!((told.len(), told[0].as_str()), (40, "o0!"));
        let none = rules(&[("joined", &body.replace("v == 1", "v == 2"))]);
        assert!(join(&input, &none.rules[0], &mut ()).combinations.is_empty());
    }

    #[test]
    fn a_large_undecided_part_goes_on_as_one() {
        let objects = [many("ConfigMap", 3), many("Secret", 300)].concat();
        let body = "find: {p: {resource: pods}, c: {resource: configmaps}, s: {resource: secrets, where: s.x == p.x}}";
        let (fired, reasons, overflow) = joined(body, &objects, &["pods"]);
        assert_eq!((fired, reasons.is_empty(), overflow), (0, false, false));
    }
}
