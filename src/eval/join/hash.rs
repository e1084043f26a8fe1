//! Candidates by the value of one of their expressions, for joins by equality and `in`.

use std::collections::HashMap;

use crate::eval::facts::candidate::Candidates;
use crate::eval::input::Input;
use crate::expr::{JoinKey, JoinKind, Key, Slot, Value};

/// The candidates of one fact, found by key.
pub struct HashedCandidates {
    key: JoinKey,
    positions: HashMap<Key, Vec<usize>>,
    /// Candidates with an undecided key: they may match every combination.
    unknown: Vec<usize>,
}

impl HashedCandidates {
    /// Evaluates the fact's side of `key` once for each candidate; `slots` is how many the rule has.
    pub fn new<'a>(input: &'a Input, slot: Slot, slots: usize, key: JoinKey, candidates: &Candidates<'a>) -> Self {
        let mut hashed = Self { key, positions: HashMap::new(), unknown: Vec::new() };
        let mut scratch = vec![Value::Null; slots];
        for (position, candidate) in candidates.list.iter().enumerate() {
            scratch[slot] = candidate.value.clone();
            let own = hashed.key.own.eval_kept(&input.world, &scratch);
            match keys(&own, hashed.key.kind == JoinKind::OtherInOwn) {
                None => hashed.unknown.push(position),
                Some(keys) => {
                    for key in keys {
                        hashed.positions.entry(key).or_default().push(position);
                    }
                }
            }
        }
        hashed
    }

    /// Returns the keys under which a combination finds candidates; `None` if its own side or a part of it is undecided,
    /// so that all must be tried.
    fn wanted<'a>(&self, input: &'a Input, values: &[Value<'a>]) -> Option<Vec<Key>> {
        keys(&self.key.other.eval(&input.world, values), self.key.kind == JoinKind::OwnInOther)
    }

    /// Returns the number of candidates under the keys; those under two keys count twice.
    fn count(&self, wanted: &[Key]) -> usize {
        self.unknown.len() + wanted.iter().filter_map(|key| self.positions.get(key)).map(Vec::len).sum::<usize>()
    }

    fn positions(&self, wanted: &[Key]) -> Vec<usize> {
        let mut found = self.unknown.clone();
        for key in wanted {
            found.extend(self.positions.get(key).into_iter().flatten());
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// Returns the positions of the candidates that may match a combination, ascending, by the key that leaves the
/// fewest; `None` if all keys are undecided, so that all must be tried.
pub fn fewest<'a>(hashed: &[HashedCandidates], input: &'a Input, values: &[Value<'a>]) -> Option<Vec<usize>> {
    let wanted = hashed.iter().filter_map(|by| Some((by, by.wanted(input, values)?)));
    let (by, wanted) = wanted.min_by_key(|(by, wanted)| by.count(wanted))?;
    Some(by.positions(&wanted))
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
    use crate::eval::join::bind::join_find;
    use crate::eval::testing::input;
    use crate::eval::testing::object;
    use crate::eval::testing::rules;

    /// Bindings of the rule's combinations, sorted.
    fn combinations(condition: &str, objects: &[String]) -> Vec<Vec<String>> {
        let find = "{left: {resource: configmaps}, right: {resource: secrets, where: \"CONDITION\"}}";
        let body = format!("find: {}", find.replace("CONDITION", condition));
        let (set, input) = (rules(&[("joined", &body)]), input(objects, &[]));
        let joined = join_find(&input, &set.rules[0], &mut ());
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
