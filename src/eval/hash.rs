//! Candidates by the value of an expression of theirs, for joins by equality and `in`.

use std::collections::HashMap;

use super::Input;
use super::candidates::Candidates;
use crate::expr::{JoinKey, JoinKind, Key, Slot, Value};

/// The candidates of one fact, found by key.
pub struct HashedCandidates {
    key: JoinKey,
    positions: HashMap<Key, Vec<usize>>,
    /// Candidates whose own key cannot be told: they go with everything.
    unknown: Vec<usize>,
}

impl HashedCandidates {
    /// Evaluates the fact's side of `key` once for each candidate; `slots` is how many the rule has.
    pub fn new<'a>(input: &'a Input, slot: Slot, slots: usize, key: JoinKey, candidates: &Candidates<'a>) -> Self {
        let mut hashed = Self { key, positions: HashMap::new(), unknown: Vec::new() };
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
    pub fn positions<'a>(&self, input: &'a Input, values: &[Value<'a>]) -> Option<Vec<usize>> {
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
