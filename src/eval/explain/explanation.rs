//! Explains how a rule comes to its answer: repeats its joins and records them.

use std::sync::Arc;

use crate::eval::explain::nearest::nearest_miss;
use crate::eval::explain::record::{JoinRecord, RecordedStep};
use crate::eval::facts::candidate::Candidates;
use crate::eval::facts::lookup::select;
use crate::eval::input::Input;
use crate::eval::join::bind::join;
use crate::eval::outcome::{Applicability, applicability};
use crate::expr::{Expr, Slot, Truth, Value};
use crate::model::Origin;
use crate::model::explanation::{Explanation, FactStep, JoinStep, Left, Step, StepLines};
use crate::rule::plan::Plan;
use crate::rule::{FactKind, Rule, RuleSet, SequenceStep, order};

/// Explains a rule on a bundle.
pub fn explain(input: &Input, set: &RuleSet, rule: &Rule) -> Explanation {
    let input = &input.for_rule();
    let id = rule.id.clone();
    if matches!(applicability(input, rule), Applicability::No(_)) {
        return Explanation { rule: id, steps: Vec::new(), near: None };
    }
    let mut record = JoinRecord::default();
    let joined = join(input, rule, &mut record);
    let answered = joined.overflow || !joined.combinations.is_empty();
    let near = if answered { None } else { nearest_miss(input, set, rule, &record) };
    Explanation { rule: id, steps: steps(input, rule, &record), near }
}

fn steps(input: &Input, rule: &Rule, record: &JoinRecord<'_>) -> Vec<Step> {
    // A value takes part in every combination: the conditions that waited for it are shown.
    let is_value = |slot: Slot| rule.facts[slot].is_value();
    if record.steps.is_empty() {
        // A fact without a match ended the rule before any join.
        let slots = Plan::of(rule).find.into_iter().map(|step| step.slot).filter(|&slot| !is_value(slot));
        return slots.map(|slot| Step::Fact(looked_up(input, rule, slot))).collect();
    }
    let told = |step| match step {
        &RecordedStep::Bound { slot, ref conditions, ref met, .. } if is_value(slot) => {
            lefts(conditions, met).into_iter().map(Step::Condition).collect()
        }
        step => vec![recorded(input, rule, step)],
    };
    record.steps.iter().flat_map(told).collect()
}

/// Returns how many candidates met each condition and those before it; `met` begins with the number of those tried.
fn lefts(conditions: &[Expr], met: &[usize]) -> Vec<Left> {
    conditions.iter().zip(met.iter().skip(1)).map(|(condition, count)| left(condition, *count)).collect()
}

fn recorded(input: &Input, rule: &Rule, step: &RecordedStep<'_>) -> Step {
    match step {
        RecordedStep::Bound { slot, conditions, met, after, .. } => {
            let left = lefts(conditions, met);
            let tried = met.first().copied().unwrap_or_default();
            let join = JoinStep { tried, conditions: left, combinations: *after };
            Step::Fact(FactStep { join: Some(join), ..looked_up(input, rule, *slot) })
        }
        RecordedStep::Filtered { condition, after, .. } => Step::Condition(left(condition, *after)),
        RecordedStep::Forbidden { group, found, after } => {
            let facts = group.iter().map(|&slot| rule.names[slot].clone()).collect();
            Step::Unless { facts, found: found.count, combinations: *after }
        }
    }
}

fn left(condition: &Expr, count: usize) -> Left {
    Left { condition: condition.text().to_owned(), count, undecided: 0, refuted: None }
}

/// Returns the number of objects that a fact found on its own, and how many of them each of its own conditions left.
fn looked_up(input: &Input, rule: &Rule, slot: Slot) -> FactStep {
    let fact = &rule.facts[slot];
    let mut step = FactStep {
        name: fact.name.clone(),
        found: None,
        lines: Vec::new(),
        missing: None,
        alone: Vec::new(),
        join: None,
    };
    if !fact.is_lookup() {
        return step;
    }
    let mut all: Vec<Value<'_>> = Vec::new();
    let slots = rule.names.len();
    for alternative in &fact.alternatives {
        let Candidates { list, incomplete, .. } = select(input, &alternative.kind);
        if let FactKind::Sequence(sequence) = &alternative.kind {
            step.lines.extend(sequence.steps.iter().map(|one| step_lines(input, one)));
        }
        step.found = Some(step.found.unwrap_or(0) + list.len());
        step.missing = step.missing.or(incomplete);
        let mut values: Vec<Value<'_>> = list.into_iter().map(|candidate| candidate.value).collect();
        let own = alternative.conditions.iter().filter(|condition| order::is_alone(condition, slot));
        step.alone.extend(own.map(|condition| retain(input, condition, (slot, slots), &mut values)));
        all.extend(values);
    }
    let common = fact.conditions.iter().filter(|condition| order::is_alone(condition, slot));
    step.alone.extend(common.map(|condition| retain(input, condition, (slot, slots), &mut all)));
    step
}

/// Returns the lines that match a step of a sequence alone.
fn step_lines(input: &Input, step: &SequenceStep) -> StepLines {
    let hits = &input.logs.answer(step.log.query).hits;
    let first = hits.first().map(|hit| Origin { entry: Arc::clone(&hit.entry), line: Some(hit.line) });
    StepLines { step: step.name.clone(), count: hits.len(), first }
}

/// Keeps the values of a slot that a condition does not refute, and returns how many are left.
fn retain<'a>(input: &'a Input, condition: &Expr, (slot, slots): (Slot, usize), values: &mut Vec<Value<'a>>) -> Left {
    let mut bindings = vec![Value::Null; slots];
    let (before, mut undecided) = (values.len(), 0);
    values.retain(|value| {
        bindings[slot] = value.clone();
        let truth = condition.test(&input.world, &bindings);
        undecided += usize::from(matches!(truth, Truth::Undecided(_)));
        truth != Truth::False
    });
    let kept = values.len();
    Left { undecided, refuted: Some(before - kept), ..left(condition, kept - undecided) }
}
