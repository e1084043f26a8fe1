//! The plan of a rule, made before any bundle is known: the order of its facts, and how each joins those
//! before it. On a bundle the sizes of facts may change the order of those that nothing else orders.

use crate::expr::{Expr, JoinKind, Slot};
use crate::rule::compiled::Rule;
use crate::rule::fact::{Alternative, Fact};
use crate::rule::order;
use crate::rule::order::{CandidateCount, Pool};

/// The steps of a rule.
#[derive(Debug)]
pub struct Plan<'r> {
    /// The facts of `find`, in the order in which they are bound.
    pub find: Vec<PlanStep<'r>>,
    /// The groups of `unless`, each joined to what was found.
    pub unless: Vec<Vec<PlanStep<'r>>>,
}

/// One fact is bound.
#[derive(Debug)]
pub struct PlanStep<'r> {
    pub slot: Slot,
    /// The look-up of each alternative.
    pub ways: Vec<LookUp<'r>>,
    /// Conditions of earlier facts on this optional or collected one.
    pub then: Vec<&'r Expr>,
}

/// The look-up of an alternative of a fact.
#[derive(Debug)]
pub struct LookUp<'r> {
    /// Conditions that mention no other fact: tested once, when it is looked up.
    pub alone: Vec<&'r Expr>,
    pub join: Join,
    /// Conditions on this and earlier facts.
    pub tested: Vec<&'r Expr>,
}

/// The way in which a fact joins those before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Join {
    /// It is the first fact.
    First,
    /// An expression over the facts before it.
    Expression,
    /// By the values of expressions of both sides; of several a combination takes the one that leaves the fewest.
    Hash(Vec<Key>),
    /// One list for all combinations.
    Once,
    /// Each of its candidates is tried with each combination.
    NestedLoop,
}

/// One pair of expressions by whose values a hash joins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The condition that states it.
    pub condition: String,
    /// The expression over the fact itself.
    pub own: String,
    /// The expression over the facts before it.
    pub other: String,
    /// `own` equals, is an element of or contains `other`.
    pub kind: JoinKind,
}

impl<'r> Plan<'r> {
    /// The plan of a rule.
    pub fn of(rule: &'r Rule) -> Self {
        let mut bound = vec![false; rule.names.len()];
        let find = bind_all(rule, (0..rule.find).collect(), &mut bound);
        let group = |slots: &Vec<Slot>| bind_all(rule, slots.clone(), &mut bound.clone());
        Self { find, unless: order::unless(rule).into_iter().map(group).collect() }
    }

    /// All steps, those of `find` first.
    pub fn steps(&self) -> impl Iterator<Item = &PlanStep<'r>> {
        self.find.iter().chain(self.unless.iter().flatten())
    }
}

fn bind_all<'r>(rule: &'r Rule, mut waiting: Vec<Slot>, bound: &mut [bool]) -> Vec<PlanStep<'r>> {
    let mut pool = Pool::new(rule, &waiting);
    let mut steps = Vec::new();
    while !waiting.is_empty() {
        let slot = waiting.remove(order::next(&pool, &|_| CandidateCount::default(), &waiting, bound));
        let tested = pool.take(slot, bound);
        let ways = rule.facts[slot].alternatives.iter().map(|one| way(rule, slot, one, &tested, bound)).collect();
        bound[slot] = true;
        steps.push(PlanStep { slot, ways, then: pool.take_ready(bound) });
    }
    steps
}

fn way<'r>(
    rule: &'r Rule,
    slot: Slot,
    alternative: &'r Alternative,
    common: &[&'r Expr],
    bound: &[bool],
) -> LookUp<'r> {
    let tested: Vec<&Expr> = common.iter().copied().chain(order::open(alternative, slot)).collect();
    let conditions = rule.facts[slot].conditions.iter().chain(&alternative.conditions);
    let lookup = alternative.kind.expression().is_none();
    let alone = conditions.filter(|condition| lookup && order::is_alone(condition, slot)).collect();
    let join = if lookup { join(rule, slot, &tested, bound) } else { Join::Expression };
    LookUp { alone, join, tested }
}

fn join(rule: &Rule, slot: Slot, tested: &[&Expr], bound: &[bool]) -> Join {
    // Lists and values leave one combination.
    let multiplies = |fact: &Fact| !fact.collect && !fact.is_value();
    let single = !(0..bound.len()).any(|s| bound[s] && multiplies(&rule.facts[s]));
    let shown = |expr: &Expr| expr.text().to_owned();
    let key = |condition: &&Expr| {
        let key = order::join_key(condition, slot, bound)?;
        Some(Key { condition: shown(condition), own: shown(&key.own), other: shown(&key.other), kind: key.kind })
    };
    let keys: Vec<Key> = tested.iter().filter_map(key).collect();
    match keys.is_empty() {
        false => Join::Hash(keys),
        true if single => Join::First,
        true if rule.facts[slot].collect && tested.is_empty() => Join::Once,
        true => Join::NestedLoop,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::compile::rule_set::compile;
    use crate::rule::compiled::RuleSet;
    use crate::rule::error::Source;
    use crate::rule::streams::Streams;

    fn set(body: &str) -> RuleSet {
        let text = format!(
            "id: planned\ntitle: t\nseverity: high\nconfidence: likely\narea: bundle\n{body}\nmessage: m\nimpact: i\ncause: c\nremedy: [{{do: d}}]\n"
        );
        let source = Source { file: "rules/planned.yaml".to_owned(), text };
        compile(vec![source], &Streams::default()).unwrap_or_else(|errors| panic!("{errors:?}"))
    }

    /// Each step in a line: name, join, number of conditions alone, tested, then.
    fn plan(body: &str) -> Vec<String> {
        let set = set(body);
        let rule = &set.rules[0];
        let way = |step: &PlanStep<'_>, way: &LookUp<'_>| {
            let join = match &way.join {
                Join::Hash(keys) => {
                    keys.iter().map(|key| format!("{} = {}", key.own, key.other)).collect::<Vec<_>>().join(", ")
                }
                other => format!("{other:?}"),
            };
            format!("{join} {:?}", [way.alone.len(), way.tested.len(), step.then.len()])
        };
        let shown = |step: &PlanStep<'_>| {
            let ways: Vec<String> = step.ways.iter().map(|one| way(step, one)).collect();
            format!("{}: {}", rule.names[step.slot], ways.join(" or "))
        };
        Plan::of(rule).steps().map(shown).collect()
    }

    #[test]
    fn facts_are_joined_by_hash_where_a_condition_allows_it() {
        let body = "find:\n  pod: {resource: pods, where: pod.status.phase == 'Failed' && pod.spec.nodeName == node.metadata.name}\n  \
                    node: {resource: nodes}\n  lone: {resource: secrets}\n  other: {resource: configmaps, where: other.a < pod.a}";
        let steps = [
            "lone: First [0, 0, 0]",
            "node: NestedLoop [0, 0, 0]",
            "pod: pod.spec.nodeName = node.metadata.name [1, 1, 0]",
            "other: NestedLoop [0, 1, 0]",
        ];
        assert_eq!(plan(body), steps);
    }

    #[test]
    fn optional_and_collected_facts_come_after_what_they_mention_and_common_lists_first() {
        let body = "find:\n  all: {resource: secrets, collect: true}\n  \
                    pods: {resource: pods, collect: true, where: self.spec.nodeName == node.metadata.name}\n  \
                    node: {resource: nodes, where: size(pods) > 2}\n  many: {value: size(all)}\nwhen: many > 1";
        let steps = [
            "all: First [0, 0, 0]",
            "many: Expression [0, 0, 0]",
            "node: First [0, 0, 0]",
            "pods: self.spec.nodeName = node.metadata.name [0, 1, 1]",
        ];
        assert_eq!(plan(body), steps);
    }

    #[test]
    fn each_alternative_is_joined_by_itself() {
        let body = "find:\n  proof:\n    any:\n      \
                    - {resource: pods, where: proof.spec.nodeName == node.metadata.name && proof.x == 1}\n      \
                    - {each: node.status.images}\n      - {resource: events, where: proof.y < node.z}\n    \
                    where: proof.spared == null\n  node: {resource: nodes}";
        let steps = [
            "node: First [0, 0, 0]",
            "proof: proof.spec.nodeName = node.metadata.name [2, 2, 0] or Expression [0, 1, 0] or NestedLoop [1, 2, 0]",
        ];
        assert_eq!(plan(body), steps);
    }

    #[test]
    fn groups_of_unless_are_joined_to_what_was_found() {
        let body = "find:\n  pv: {resource: persistentvolumes}\nunless:\n  \
                    volume: {resource: volumes.longhorn.io, where: volume.metadata.name == pv.spec.csi.volumeHandle}\n  gone: {value: pv.x}";
        let steps = [
            "pv: First [0, 0, 0]",
            "gone: Expression [0, 0, 0]",
            "volume: volume.metadata.name = pv.spec.csi.volumeHandle [0, 1, 0]",
        ];
        assert_eq!(plan(body), steps);
    }
}
