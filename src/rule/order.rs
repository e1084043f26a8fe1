//! In which order the facts of a rule are bound, and which conditions are tested when.
//!
//! All `where` conditions of the facts form one [`Pool`]; each is tested once, as soon as the names
//! it mentions are bound. Both decide what a join costs, never what it finds.

use crate::expr::{Expr, JoinKey, Slot};
use crate::rule::compiled::Rule;
use crate::rule::fact::{Alternative, Fact, FactKind};

/// The number of candidates that a fact has before it is joined.
#[derive(Clone, Copy, Debug, Default)]
pub struct CandidateCount {
    pub candidates: usize,
    /// More may exist that were not collected.
    pub incomplete: bool,
}

/// The position in `waiting` of the fact to bind next.
///
/// Lists that are the same for all combinations come first, so that what is derived from them is evaluated once. Facts
/// come after those that they depend on, optional and other collected ones after required ones. Of the others those that
/// a hash joins come first; where none is joined, as at the beginning, the one after which the fewest facts must be bound
/// without a join. Then complete ones come before incomplete
/// ones, then the smallest. Names, not places in the file, decide what is left, so that reasons do
/// not depend on how the author ordered the facts.
pub fn next(pool: &Pool<'_>, found: &dyn Fn(Slot) -> CandidateCount, waiting: &[Slot], bound: &[bool]) -> usize {
    if waiting.len() < 2 {
        return 0;
    }
    let orders: Vec<Order<'_>> = waiting.iter().map(|slot| Order::of(pool, found, *slot, waiting, bound)).collect();
    let class = |order: &Order<'_>| (order.blocked, order.later, order.unseen);
    let first = orders.iter().map(class).min();
    let rivals: Vec<usize> =
        (0..).zip(&orders).filter(|(_, order)| Some(class(order)) == first).map(|(at, _)| at).collect();
    // Most often one fact is first whatever follows it, and counting what follows was most of the time to order facts.
    if let [only] = rivals[..] {
        return only;
    }
    let cost = |position: &usize| {
        let order = &orders[*position];
        let jumps = if order.jump { 1 + jumps_after(pool, found, waiting, *position, bound) } else { 0 };
        (jumps, order)
    };
    rivals.into_iter().min_by_key(cost).unwrap_or(0)
}

/// Counts the facts that must be bound without a join after the one at `position`, if the best one is taken at each step.
fn jumps_after(
    pool: &Pool<'_>,
    found: &dyn Fn(Slot) -> CandidateCount,
    waiting: &[Slot],
    position: usize,
    bound: &[bool],
) -> usize {
    let (mut waiting, mut bound) = (waiting.to_vec(), bound.to_vec());
    let mut next = position;
    let mut jumps = 0;
    loop {
        bound[waiting.remove(next)] = true;
        let order = |position: &usize| Order::of(pool, found, waiting[*position], &waiting, &bound);
        let Some(best) = (0..waiting.len()).map(|position| (order(&position), position)).min() else { return jumps };
        jumps += usize::from(best.0.jump);
        next = best.1;
    }
}

/// The order in which facts are bound: the least first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Order<'r> {
    /// It depends on others; two that depend on each other's namespace are bound in any order.
    blocked: bool,
    /// It is optional or collected.
    later: bool,
    /// Nothing of it was found, but not all was collected.
    unseen: bool,
    /// No hash joins it to what is bound.
    jump: bool,
    incomplete: bool,
    candidates: usize,
    name: &'r str,
}

impl<'r> Order<'r> {
    fn of(
        pool: &Pool<'r>,
        found: &dyn Fn(Slot) -> CandidateCount,
        slot: Slot,
        waiting: &[Slot],
        bound: &[bool],
    ) -> Self {
        let fact = &pool.rule.facts[slot];
        let CandidateCount { candidates, incomplete } = found(slot);
        // An incomplete list may leave a combination undecided, so it waits for what may refute the combination.
        let common = !incomplete && fact.collect && fact.is_lookup() && pool.is_common(slot);
        Self {
            blocked: dependencies(fact).iter().any(|s| waiting.contains(s) && *s != slot),
            later: !fact.is_required() && !common,
            unseen: incomplete && candidates == 0,
            jump: fact.is_lookup() && !common && !pool.joins(slot, bound),
            incomplete,
            candidates,
            name: &fact.name,
        }
    }
}

/// Slots that must be bound before the fact can be.
fn dependencies(fact: &Fact) -> Vec<Slot> {
    let named = fact.kinds().filter_map(|kind| match kind {
        // Whether that namespace was collected is known only when these are bound.
        FactKind::Resource(query) => query.namespace_expr.as_ref(),
        other => other.expression(),
    });
    let conditions = if fact.is_required() { &[][..] } else { &fact.conditions };
    // The conditions of an alternative are about its own matches, so they are tested as these are found.
    let own = fact.alternatives.iter().flat_map(|alternative| &alternative.conditions);
    named.chain(conditions).chain(own).flat_map(|expr| expr.slots()).copied().collect()
}

/// The groups of `unless` in the order in which they are looked for.
pub fn unless(rule: &Rule) -> Vec<&Vec<Slot>> {
    let mut groups: Vec<&Vec<Slot>> = rule.unless.iter().collect();
    groups.sort_by_key(|group| group.iter().map(|&slot| &rule.names[slot]).min());
    groups
}

/// Conditions that were not tested yet, each with its fact.
#[derive(Debug)]
pub struct Pool<'r> {
    rule: &'r Rule,
    open: Vec<(Slot, &'r Expr)>,
}

impl<'r> Pool<'r> {
    /// The conditions of these facts which the look-up of the fact cannot test alone.
    pub fn new(rule: &'r Rule, slots: &[Slot]) -> Self {
        let of = |&slot: &Slot| {
            let fact = &rule.facts[slot];
            let open = fact.conditions.iter().filter(move |c| !fact.is_lookup() || !is_alone(c, slot));
            open.map(move |condition| (slot, condition))
        };
        let mut open: Vec<_> = slots.iter().flat_map(of).collect();
        open.sort_by_key(|(slot, _)| &rule.names[*slot]);
        Self { rule, open }
    }

    /// Takes the conditions that can be tested when the fact is bound.
    pub fn take(&mut self, slot: Slot, bound: &[bool]) -> Vec<&'r Expr> {
        let mut taken = Vec::new();
        // Conditions of other facts on an optional or collected one concern the outcome, not its matches.
        let alone = !self.rule.facts[slot].is_required();
        self.open.retain(|(at, condition)| {
            let ready = condition.slots().iter().all(|&s| s == slot || bound[s]);
            // Those of an optional or collected fact choose its matches, whether or not they mention it.
            let of_required = self.rule.facts[*at].is_required();
            let mine = *at == slot || (!alone && of_required && condition.slots().contains(&slot));
            if ready && mine {
                taken.push(*condition);
            }
            !(ready && mine)
        });
        taken
    }

    /// Takes all conditions that have become testable: what others say of an optional or collected fact.
    pub fn take_ready(&mut self, bound: &[bool]) -> Vec<&'r Expr> {
        let all = std::mem::take(&mut self.open);
        let (ready, waiting): (Vec<_>, Vec<_>) = all.into_iter().partition(|(at, condition)| {
            (self.rule.facts[*at].is_required() || bound[*at]) && condition.slots().iter().all(|&s| bound[s])
        });
        self.open = waiting;
        ready.into_iter().map(|(_, condition)| condition).collect()
    }

    /// Returns whether nothing about the matches of the fact depends on other facts.
    fn is_common(&self, slot: Slot) -> bool {
        let fact = &self.rule.facts[slot];
        dependencies(fact).iter().all(|&s| s == slot) && self.open.iter().all(|(at, _)| *at != slot)
    }

    /// Returns whether a hash can join each alternative of the fact to the facts that are bound.
    pub fn joins(&self, slot: Slot, bound: &[bool]) -> bool {
        let joins = |condition: &Expr| condition.joined_slots(slot).is_some_and(|others| are_bound(&others, bound));
        self.open.iter().any(|(_, condition)| joins(condition))
            || self.rule.facts[slot].alternatives.iter().all(|one| one.conditions.iter().any(joins))
    }
}

/// Returns whether it depends on the value of a fact which combinations a rule has: a condition, an element or an absence mentions it, or what
/// is computed from it. All else only shapes what a finding says.
pub fn decides(rule: &Rule, slot: Slot) -> bool {
    let mut derived = vec![false; rule.names.len()];
    derived[slot] = true;
    let mentions = |derived: &[bool], expr: &Expr| expr.slots().iter().any(|&s| derived[s]);
    // Values may be computed from values that stand behind them.
    for _ in 0..rule.facts.len() {
        for (at, fact) in rule.facts.iter().enumerate().filter(|(_, fact)| fact.is_value()) {
            derived[at] = derived[at] || fact.expressions().any(|expr| mentions(&derived, expr));
        }
    }
    let of_fact = |(at, fact): (usize, &Fact)| {
        let mut conditions = fact.all_conditions();
        // Its own conditions choose the elements of the list.
        let of_others =
            conditions.any(|condition| condition.slots().iter().any(|&s| derived[s] && !(s == at && at == slot)));
        let chooses = at >= rule.find || !fact.is_value() || fact.alternatives.len() > 1;
        let named = fact.kinds().filter_map(|kind| match kind {
            FactKind::Resource(query) => query.namespace_expr.as_ref(),
            other => other.expression(),
        });
        of_others
            || (derived[at] && at >= rule.find)
            || (chooses && named.into_iter().any(|expr| mentions(&derived, expr)))
    };
    rule.when.iter().any(|condition| mentions(&derived, condition)) || rule.facts.iter().enumerate().any(of_fact)
}

/// Returns whether the condition mentions no other fact.
pub fn is_alone(condition: &Expr, slot: Slot) -> bool {
    condition.slots().iter().all(|&s| s == slot)
}

/// Conditions of an alternative that its look-up cannot test.
pub fn open(alternative: &Alternative, slot: Slot) -> impl Iterator<Item = &Expr> {
    let lookup = alternative.kind.expression().is_none();
    alternative.conditions.iter().filter(move |condition| !lookup || !is_alone(condition, slot))
}

/// Returns the key by which a condition joins a fact to bound facts with a hash.
pub fn join_key(condition: &Expr, slot: Slot, bound: &[bool]) -> Option<JoinKey> {
    let key = condition.join_on(slot)?;
    are_bound(key.other.slots(), bound).then_some(key)
}

fn are_bound(others: &[Slot], bound: &[bool]) -> bool {
    !others.is_empty() && others.iter().all(|&s| bound[s])
}
