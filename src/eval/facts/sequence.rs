//! Selects the matches of a sequence fact: lines are separated by the values that they must share, conditions between steps
//! are tested, and matches form groups.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::eval::facts::candidate::{Candidate, Candidates, Searched};
use crate::eval::facts::logs::{missing_logs, searched};
use crate::eval::identity::identity;
use crate::eval::input::Input;
use crate::expr::value::SequenceGroup;
use crate::expr::{Expr, Truth, Value};
use crate::log::sequence::{Chosen, MAX_TRIES, Match, StepPresence, StepVerdict, find};
use crate::log::{GroupKey, HitGroup, LogAnswer, LogHit};
use crate::model::message::{Reason, SharedReason};
use crate::rule::SequenceFact;

/// Selects groups of matches.
pub fn select_sequences<'a>(input: &'a Input, fact: &SequenceFact) -> Candidates<'a> {
    let answers: Vec<&LogAnswer> = fact.steps.iter().map(|step| input.logs.answer(step.log.query)).collect();
    let unseen_absent = unseen_absent(fact, &answers);
    let of_steps = || answers.iter().copied().map(searched);
    let doubtful = of_steps().find(|step| *step == Searched::Doubtful);
    let searched = doubtful.unwrap_or_else(|| Searched::of(of_steps().all(|step| step == Searched::Collected)));
    let mut found = Candidates { list: Vec::new(), incomplete: missing(fact, &answers), searched, complete_for: None };
    let mut budget = MAX_TRIES;
    for (key, hits) in apart(fact, &answers) {
        let mut lines = StepLines::new(input, fact, &hits);
        let conditions = !lines.pool.is_empty();
        let matches = find(&fact.order, &hits, conditions, &mut budget, &mut |step, chosen| lines.test(step, chosen));
        for (key, matches) in groups(fact, &lines, &key, &matches.list) {
            let doubtful = matches.iter().all(|one| one.doubtful);
            let undecided = unseen_absent.clone().or_else(|| lines.reason.clone().filter(|_| doubtful));
            let group = lines.group(key, &matches).map(|group| Value::Sequence(Arc::new(group)));
            found.list.extend(group.map(|value| Candidate { undecided, ..Candidate::of(value) }));
        }
        let gave_up = || matches.gave_up.then(|| Reason::TooManyLinesToPair.into());
        found.incomplete = found.incomplete.or(lines.reason).or_else(gave_up);
    }
    found
}

/// Returns the lines of each step, by the values that the lines of a match must share.
fn apart<'a>(fact: &SequenceFact, answers: &[&'a LogAnswer]) -> BTreeMap<Vec<String>, Vec<Vec<&'a LogHit>>> {
    let by = fact.by.as_deref().unwrap_or_default();
    let mut apart: BTreeMap<Vec<String>, Vec<Vec<&'a LogHit>>> = BTreeMap::new();
    for (step, answer) in answers.iter().enumerate() {
        for hit in &answer.hits {
            let key = by.iter().map(|key| shared(key, hit)).collect();
            let steps = apart.entry(key).or_insert_with(|| vec![Vec::new(); answers.len()]);
            steps.get_mut(step).into_iter().for_each(|list| list.push(hit));
        }
    }
    apart
}

fn shared(key: &GroupKey, hit: &LogHit) -> String {
    let value = match key {
        GroupKey::Capture(name) => hit.captures.get(name).map(String::as_str),
        GroupKey::Node => hit.node.as_deref(),
        GroupKey::Pod => hit.pod.as_deref(),
        GroupKey::Source => Some(&*hit.entry),
    };
    value.unwrap_or_default().to_owned()
}

/// Groups matches, by `by` or by the values that conditions equate, and drops groups that are too small.
fn groups<'m>(
    fact: &SequenceFact,
    lines: &StepLines<'_, '_>,
    shared: &[String],
    matches: &'m [Match],
) -> BTreeMap<Vec<String>, Vec<&'m Match>> {
    let mut groups: BTreeMap<Vec<String>, Vec<&Match>> = BTreeMap::new();
    for one in matches {
        let key = if fact.by.is_some() { shared.to_vec() } else { lines.key(&one.lines) };
        groups.entry(key).or_default().push(one);
    }
    groups.retain(|_, matches| matches.len() as u64 >= fact.at_least.unwrap_or(1));
    groups
}

/// Returns why more matches may exist than were found: a step may have lines that were not collected, and no step
/// certainly lacks them.
fn missing(fact: &SequenceFact, answers: &[&LogAnswer]) -> Option<SharedReason> {
    let mut reason = None;
    for ((step, order), answer) in fact.steps.iter().zip(&fact.order.steps).zip(answers) {
        let StepPresence::Present(count) = order else { continue };
        match missing_logs(answer, &step.log.wanted) {
            None if answer.hits.len() < *count => return None,
            missing => reason = reason.or(missing),
        }
    }
    reason
}

/// Returns why more lines of absent steps may exist than were found.
fn unseen_absent(fact: &SequenceFact, answers: &[&LogAnswer]) -> Option<SharedReason> {
    let steps = fact.steps.iter().zip(&fact.order.steps).zip(answers);
    let mut absent = steps.filter(|((_, order), _)| matches!(order, StepPresence::Absent(_)));
    absent.find_map(|((step, _), answer)| missing_logs(answer, &step.log.wanted))
}

/// The lines of all steps, as conditions see them.
struct StepLines<'a, 'f> {
    input: &'a Input,
    fact: &'f SequenceFact,
    hits: &'f [Vec<&'a LogHit>],
    /// By step and line: the line as a group of one hit.
    alone: Vec<Vec<OnceCell<Arc<HitGroup>>>>,
    /// Conditions of all steps.
    pool: Vec<&'f Expr>,
    /// Reason why a condition was undecided.
    reason: Option<SharedReason>,
}

impl<'a, 'f> StepLines<'a, 'f> {
    fn new(input: &'a Input, fact: &'f SequenceFact, hits: &'f [Vec<&'a LogHit>]) -> Self {
        let alone = hits.iter().map(|list| vec![OnceCell::new(); list.len()]).collect();
        let pool = fact.steps.iter().flat_map(|step| &step.conditions).collect();
        Self { input, fact, hits, alone, pool, reason: None }
    }

    /// Tests the conditions that mention a step and otherwise only steps that have lines.
    fn test(&mut self, step: usize, chosen: &Chosen) -> StepVerdict {
        let bound = |slot: &usize| chosen.get(*slot).is_some_and(|lines| !lines.is_empty());
        let ready = |expr: &&&Expr| expr.slots().contains(&step) && expr.slots().iter().all(bound);
        let conditions: Vec<&Expr> = self.pool.iter().filter(ready).copied().collect();
        if conditions.is_empty() {
            return StepVerdict::Yes;
        }
        let mut values = self.values(chosen);
        // Several lines of a step are tested one by one.
        if let (Some(value), Some(last)) = (values.get_mut(step), chosen.get(step).and_then(|lines| lines.last())) {
            *value = self.value(step, &[*last]);
        }
        let mut verdict = StepVerdict::Yes;
        for condition in conditions {
            match condition.test(&self.input.world, &values) {
                Truth::True => {}
                Truth::False => return StepVerdict::No,
                Truth::Undecided(reason) => {
                    self.reason.get_or_insert(reason);
                    verdict = StepVerdict::Unknown;
                }
            }
        }
        verdict
    }

    fn values(&self, chosen: &Chosen) -> Vec<Value<'a>> {
        chosen.iter().enumerate().map(|(step, lines)| self.value(step, lines)).collect()
    }

    fn value(&self, step: usize, lines: &[usize]) -> Value<'a> {
        self.group_of(step, lines).map_or(Value::Null, Value::Hits)
    }

    /// Returns the lines of a step as one group.
    fn group_of(&self, step: usize, lines: &[usize]) -> Option<Arc<HitGroup>> {
        let list = self.hits.get(step)?;
        let hits = || lines.iter().filter_map(|line| list.get(*line).copied()).collect::<Vec<&LogHit>>();
        match lines {
            [] => None,
            [one] => {
                let known = self.alone.get(step)?.get(*one)?;
                if let Some(group) = known.get() {
                    return Some(Arc::clone(group));
                }
                let group = Arc::new(HitGroup::of(&hits())?);
                Some(Arc::clone(known.get_or_init(|| group)))
            }
            _ => HitGroup::of(&hits()).map(Arc::new),
        }
    }

    /// Returns the values that conditions between present steps equate; without such conditions, the logs of the lines.
    fn key(&self, chosen: &Chosen) -> Vec<String> {
        let values = self.values(chosen);
        let mut key = Vec::new();
        for (slot, step) in self.fact.steps.iter().enumerate() {
            if chosen.get(slot).is_none_or(Vec::is_empty) {
                continue;
            }
            let joined = step.conditions.iter().filter_map(|condition| condition.join_on(slot));
            key.extend(
                joined.map(|joined| identity(&self.input.world, &joined.own.eval_kept(&self.input.world, &values))),
            );
        }
        if key.is_empty() {
            for (slot, lines) in chosen.iter().enumerate() {
                let source = self.group_of(slot, lines).map(|hits| hits.source.to_string());
                key.extend(source.filter(|source| !key.contains(source)));
            }
        }
        key
    }

    fn group(&self, key: Vec<String>, matches: &[&Match]) -> Option<SequenceGroup> {
        let (earliest, latest) = (matches.first()?, matches.last()?);
        let steps = |one: &Match| {
            let steps = self.fact.steps.iter().zip(&one.lines).enumerate();
            let present =
                steps.filter_map(|(slot, (step, lines))| Some((step.name.clone(), self.group_of(slot, lines)?)));
            present.collect::<Vec<_>>()
        };
        let (first_match, last_match) = (steps(earliest), steps(latest));
        Some(SequenceGroup {
            key,
            count: matches.len() as u64,
            first: first_match.iter().filter_map(|(_, hits)| hits.first).min()?,
            last: last_match.iter().filter_map(|(_, hits)| hits.last).max()?,
            steps: last_match,
            earliest: first_match.into_iter().map(|(_, hits)| hits).collect(),
        })
    }
}
