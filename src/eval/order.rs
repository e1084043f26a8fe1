//! In which order the facts of a rule are bound. It decides what a join costs, never what it finds.

use std::collections::BTreeMap;

use super::candidates::Candidates;
use crate::expr::Slot;
use crate::rule::{Fact, FactKind, Rule};

/// Whether the fact is looked up in the bundle; others name an expression.
pub fn is_lookup(fact: &Fact) -> bool {
    !matches!(fact.kind, FactKind::Each(_) | FactKind::Value(_))
}

/// Whether a combination needs a match of the fact.
pub fn is_required(fact: &Fact) -> bool {
    !fact.optional && !fact.collect
}

/// The position in `waiting` of the fact to bind next.
///
/// Facts come after those that they hang on, optional and collected ones after required ones. Of
/// the others those that a hash joins come first, complete ones before incomplete ones, then the
/// smallest. Names, not places in the file, decide what is left, so that reasons do not depend on
/// how the author ordered the facts.
pub fn next(
    rule: &Rule,
    candidates: &BTreeMap<Slot, Candidates<'_>>,
    waiting: &[Slot],
    is_joined: &dyn Fn(Slot) -> bool,
) -> usize {
    let cost = |position: &usize| {
        let slot = waiting[*position];
        let fact = &rule.facts[slot];
        let (found, missing) = candidates.get(&slot).map_or((0, false), |c| (c.list.len(), c.missing.is_some()));
        // Facts that hang on others wait for them; two that hang on each other's namespace are bound in any order.
        let blocked = dependencies(fact).iter().any(|s| waiting.contains(s) && *s != slot);
        let unjoined = is_lookup(fact) && !is_joined(slot);
        (blocked, !is_required(fact), missing && found == 0, unjoined, missing, found, &fact.name)
    };
    (0..waiting.len()).min_by_key(cost).unwrap_or(0)
}

/// Slots that must be bound before the fact can be.
fn dependencies(fact: &Fact) -> Vec<Slot> {
    let named = match &fact.kind {
        FactKind::Each(expr) | FactKind::Value(expr) => expr.slots().to_vec(),
        // Only then can be told whether that namespace was collected.
        FactKind::Resource(query) => query.namespace_expr.iter().flat_map(|expr| expr.slots().to_vec()).collect(),
        _ => Vec::new(),
    };
    let conditions = if is_required(fact) { &[][..] } else { &fact.conditions };
    named.into_iter().chain(conditions.iter().flat_map(|c| c.slots().iter().copied())).collect()
}
