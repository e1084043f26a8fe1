//! Looks facts up: finds the candidates of each fact on its own, before joins.

use crate::eval::facts::candidate::{Candidate, Candidates};
use crate::eval::facts::events::select_events;
use crate::eval::facts::files::select_files;
use crate::eval::facts::logs::select_log_groups;
use crate::eval::facts::resources::select_resources;
use crate::eval::facts::sequence::select_sequences;
use crate::eval::input::Input;
use crate::expr::{Expr, Truth, Value, World};
use crate::rule::order::is_alone;
use crate::rule::{Alternative, Fact, FactKind};

/// Looks up each alternative of a fact; those that only have an expression give no candidates.
///
/// `bindings` has room for every slot of the rule; `slot` is the fact's own.
pub fn look_up<'a>(input: &'a Input, fact: &Fact, slot: usize, bindings: &mut [Value<'a>]) -> Vec<Candidates<'a>> {
    let look_up = |alternative: &Alternative| {
        let mut found = select(input, &alternative.kind);
        let conditions = fact.conditions.iter().chain(&alternative.conditions);
        retain(&input.world, conditions.filter(|c| is_alone(c, slot)), slot, bindings, &mut found.list);
        found
    };
    fact.alternatives.iter().map(look_up).collect()
}

/// Returns how many things a look-up of the fact goes through, about: none where the log pass has the answer.
pub fn cost(input: &Input, fact: &Fact) -> usize {
    let index = &input.world.resources;
    let of = |kind: &FactKind| match kind {
        FactKind::Resource(query) => query.types.iter().map(|name| index.of_type(name).len()).sum(),
        FactKind::Event(_) => index.events().len(),
        FactKind::File(_) => input.files.len(),
        FactKind::Log(_) | FactKind::Sequence(_) | FactKind::Each(_) | FactKind::Value(_) => 0,
    };
    fact.kinds().map(of).sum()
}

/// Returns what selectors find, before conditions are tested.
pub fn select<'a>(input: &'a Input, kind: &FactKind) -> Candidates<'a> {
    match kind {
        FactKind::Resource(query) => select_resources(input, query),
        FactKind::Event(query) => select_events(input, query),
        FactKind::Log(query) => select_log_groups(input.logs.answer(query.query), &query.wanted),
        FactKind::Sequence(fact) => select_sequences(input, fact),
        FactKind::File(query) => select_files(input, query),
        FactKind::Each(_) | FactKind::Value(_) => Candidates::default(),
    }
}

/// Keeps the candidates that meet conditions which mention no other fact.
fn retain<'a, 'r>(
    world: &'a World,
    conditions: impl Iterator<Item = &'r Expr>,
    slot: usize,
    bindings: &mut [Value<'a>],
    list: &mut Vec<Candidate<'a>>,
) {
    for condition in conditions {
        list.retain_mut(|candidate| {
            std::mem::swap(&mut bindings[slot], &mut candidate.value);
            let holds = condition.test(world, bindings);
            std::mem::swap(&mut bindings[slot], &mut candidate.value);
            match holds {
                Truth::True => true,
                Truth::False => false,
                Truth::Undecided(reason) => {
                    candidate.undecided.get_or_insert(reason);
                    true
                }
            }
        });
    }
}
