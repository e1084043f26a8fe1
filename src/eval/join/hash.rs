//! Candidates by the value of one of their expressions, for joins by equality and `in`.

use std::cell::OnceCell;
use std::collections::HashMap;

use crate::eval::facts::candidate::Candidate;
use crate::eval::input::Input;
use crate::expr::{JoinKey, JoinKind, Key, Slot, Value};

/// The candidates of one fact, found by key.
pub struct HashedCandidates {
    key: JoinKey,
    by_key: OnceCell<ByKey>,
}

/// Positions of candidates.
#[derive(Default)]
struct ByKey {
    positions: HashMap<Key, Vec<usize>>,
    /// Candidates with an undecided key: they may match every combination.
    unknown: Vec<usize>,
}

impl ByKey {
    /// Evaluates the fact's side of `key` once for each candidate; `slots` is how many the rule has.
    fn new<'a>(input: &'a Input, key: &JoinKey, (slot, slots): (Slot, usize), candidates: &[Candidate<'a>]) -> Self {
        let mut by_key = Self::default();
        let mut scratch = vec![Value::Null; slots];
        for (position, candidate) in candidates.iter().enumerate() {
            scratch[slot] = candidate.value.clone();
            let own = key.own.eval_kept(&input.world, &scratch);
            match keys(&own, key.kind == JoinKind::OtherInOwn) {
                None => by_key.unknown.push(position),
                Some(keys) => {
                    for key in keys {
                        by_key.positions.entry(key).or_default().push(position);
                    }
                }
            }
        }
        by_key
    }
}

/// A combination that looks for its matches.
#[derive(Clone, Copy)]
pub struct Wanted<'w, 'a> {
    pub input: &'a Input,
    /// The slot of the fact that is bound.
    pub slot: Slot,
    pub values: &'w [Value<'a>],
    pub candidates: &'w [Candidate<'a>],
}

impl HashedCandidates {
    pub fn new(key: JoinKey) -> Self {
        Self { key, by_key: OnceCell::new() }
    }

    /// Returns whether it finds candidates by this field of theirs.
    pub fn is_by(&self, slot: Slot, field: &str) -> bool {
        self.key.kind == JoinKind::Equal && self.key.own.is_field(slot, field)
    }

    /// Returns the value by which a combination finds candidates.
    pub fn wanted<'a>(&self, input: &'a Input, values: &[Value<'a>]) -> Value<'a> {
        self.key.other.eval(&input.world, values)
    }

    /// Returns the candidates by key. They are hashed when the first combination has a key: where logs were not collected, none has.
    fn by_key(&self, wanted: Wanted<'_, '_>) -> &ByKey {
        let place = (wanted.slot, wanted.values.len());
        self.by_key.get_or_init(|| ByKey::new(wanted.input, &self.key, place, wanted.candidates))
    }

    /// Returns the keys under which a combination finds candidates; `None` if its own side or a part of it is undecided,
    /// so that all must be tried.
    fn keys(&self, wanted: Wanted<'_, '_>) -> Option<Vec<Key>> {
        keys(&self.key.other.eval(&wanted.input.world, wanted.values), self.key.kind == JoinKind::OwnInOther)
    }
}

impl ByKey {
    /// Returns the number of candidates under the keys; those under two keys count twice.
    fn count(&self, keys: &[Key]) -> usize {
        self.unknown.len() + keys.iter().filter_map(|key| self.positions.get(key)).map(Vec::len).sum::<usize>()
    }

    fn positions(&self, keys: &[Key]) -> Vec<usize> {
        let mut found = self.unknown.clone();
        for key in keys {
            found.extend(self.positions.get(key).into_iter().flatten());
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// Returns the positions of the candidates that may match a combination, ascending, by the key that leaves the
/// fewest; `None` if all keys are undecided, so that all must be tried.
pub fn fewest(hashed: &[HashedCandidates], wanted: Wanted<'_, '_>) -> Option<Vec<usize>> {
    let keyed = hashed.iter().filter_map(|by| Some((by, by.keys(wanted)?)));
    let found = keyed.map(|(by, keys)| (by.by_key(wanted), keys)).min_by_key(|(by, keys)| by.count(keys));
    found.map(|(by, keys)| by.positions(&keys))
}

/// Returns the keys of a value or of its elements; `None` if one of them is undecided.
fn keys(value: &Value<'_>, of_elements: bool) -> Option<Vec<Key>> {
    let keys = match value {
        Value::Undecided(_) => return None,
        _ if of_elements => value.member_keys(),
        _ => value.key().map(|key| key.into_iter().collect()),
    };
    keys.ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::eval::identity::identity;
    use crate::eval::join::bind::join;
    use crate::eval::testing::input;
    use crate::eval::testing::object;
    use crate::eval::testing::rules;

    /// Bindings of the rule's combinations, sorted.
    fn combinations(condition: &str, objects: &[String]) -> Vec<Vec<String>> {
        let find = "{left: {resource: configmaps}, right: {resource: secrets, where: \"CONDITION\"}}";
        let body = format!("find: {}", find.replace("CONDITION", condition));
        let (set, input) = (rules(&[("joined", &body)]), input(objects, &[]));
        let joined = join(&input, &set.rules[0], &mut ());
        let names = |values: &[_]| values.iter().map(|value| identity(&input.world, value)).collect::<Vec<_>>();
        let mut found: Vec<_> = joined.combinations.iter().map(|row| names(&row.values)).collect();
        found.sort();
        found
    }

    /// Values that are easily mistaken for each other.
    fn value() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "",
            "1",
            "1.0",
            "'1'",
            "'x'",
            "''",
            "true",
            "[1, 'x']",
            "[]",
            "{x: 1}",
            "{x: {y: 1}}",
            "***HIDDEN***",
            "[1, '***HIDDEN***']",
            "{x: '***HIDDEN***'}",
        ])
    }

    fn field() -> impl Strategy<Value = String> {
        value().prop_map(|value| if value.is_empty() { String::new() } else { format!("v: {value}") })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        /// `!(a != b)` means the same as `a == b` and no hash joins it.
        #[test]
        fn a_hash_finds_what_trying_all_finds(
            left in prop::collection::vec(field(), 0..6),
            right in prop::collection::vec(field(), 0..6),
        ) {
            let many = |kind: &str, fields: &[String]| {
                fields.iter().enumerate().map(|(n, field)| object(kind, &format!("o{n}"), field)).collect::<Vec<_>>()
            };
            let objects = [many("ConfigMap", &left), many("Secret", &right)].concat();
            for (hashed, tried) in [
                ("right.v == left.v", "!(right.v != left.v)"),
                ("left.v == right.v", "!(left.v != right.v)"),
                ("right.v in [left.v, 'x']", "!!(right.v in [left.v, 'x'])"),
                ("left.v.exists(e, e == right.v)", "!!left.v.exists(e, e == right.v)"),
            ] {
                prop_assert_eq!(combinations(hashed, &objects), combinations(tried, &objects), "{}", hashed);
            }
        }
    }
}
