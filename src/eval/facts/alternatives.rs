//! Unites the matches of the alternatives of an `any`, each once.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::eval::facts::alternative_set::AlternativeSet;
use crate::eval::facts::candidate::Candidate;
use crate::expr::Value;
use crate::log::HitGroup;
use crate::resource::ResourceId;

/// Identity of a match, by which two alternatives found the same one. Texts, numbers and decoded data have none.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum MatchIdentity {
    Resource(ResourceId),
    Node(ResourceId, u32),
    File(Arc<str>, bool),
    Events(Vec<ResourceId>),
    /// Key and count, entry and line of the first and the last hit.
    Hits(Vec<String>, u64, [(Arc<str>, u64); 2]),
}

/// Unites the matches of the alternatives of a fact, in their order; of equal ones the surest stays.
pub fn union(mut lists: Vec<Vec<Candidate<'_>>>) -> Vec<Candidate<'_>> {
    if lists.len() == 1 {
        return lists.pop().unwrap_or_default();
    }
    for (position, list) in lists.iter_mut().enumerate() {
        list.iter_mut().for_each(|candidate| candidate.via = AlternativeSet::of(position));
    }
    without_duplicates(lists.concat())
}

/// Removes matches that several alternatives gave.
fn without_duplicates(matches: Vec<Candidate<'_>>) -> Vec<Candidate<'_>> {
    let mut known: BTreeMap<MatchIdentity, usize> = BTreeMap::new();
    let mut found: Vec<Candidate<'_>> = Vec::with_capacity(matches.len());
    for one in matches {
        let Some(match_identity) = match_identity(&one.value) else {
            found.push(one);
            continue;
        };
        match known.get(&match_identity) {
            Some(&at) => merge(&mut found[at], one),
            None => {
                known.insert(match_identity, found.len());
                found.push(one);
            }
        }
    }
    found
}

/// Merges two equal matches: one that certainly holds replaces one that may hold.
fn merge<'a>(known: &mut Candidate<'a>, other: Candidate<'a>) {
    match (&known.undecided, &other.undecided) {
        (None, Some(_)) => {}
        (Some(_), None) => *known = other,
        (a, b) => {
            known.undecided = a.clone().min(b.clone());
            known.via = known.via.with(other.via);
        }
    }
}

fn match_identity(value: &Value<'_>) -> Option<MatchIdentity> {
    match value {
        Value::Resource(id) => Some(MatchIdentity::Resource(*id)),
        Value::Node { node, resource: Some(id) } => Some(MatchIdentity::Node(*id, node.index())),
        Value::File(file) => Some(MatchIdentity::File(file.path.clone(), file.data.is_some())),
        Value::Events(group) => Some(MatchIdentity::Events(group.events.clone())),
        Value::Hits(group) => Some(hits_identity(group)),
        _ => None,
    }
}

fn hits_identity(group: &HitGroup) -> MatchIdentity {
    let ends = [&group.first_hit, &group.last_hit].map(|hit| (Arc::clone(&hit.entry), hit.line));
    MatchIdentity::Hits(group.key.clone(), group.count, ends)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::message::SharedReason;

    fn candidate(id: ResourceId, undecided: Option<&str>, via: usize) -> Candidate<'static> {
        let undecided = undecided.map(SharedReason::from);
        Candidate { undecided, via: AlternativeSet::of(via), ..Candidate::of(Value::Resource(id)) }
    }

    fn shown(matches: Vec<Candidate<'_>>) -> Vec<(Option<String>, Vec<usize>)> {
        let via = |via: AlternativeSet| (0..16).filter(|&position| via.contains(position)).collect();
        without_duplicates(matches)
            .into_iter()
            .map(|one| (one.undecided.map(|r| r.to_string()), via(one.via)))
            .collect()
    }

    #[test]
    fn equal_matches_are_united_with_their_alternatives() {
        let both = vec![candidate(1, None, 0), candidate(2, None, 0), candidate(1, None, 15)];
        assert_eq!(shown(both), [(None, vec![0, 15]), (None, vec![0])]);
    }

    #[test]
    fn certain_matches_replace_undecided_ones() {
        for (first, second) in [(None, Some("x")), (Some("x"), None)] {
            let proof = usize::from(first.is_some());
            assert_eq!(shown(vec![candidate(1, first, 0), candidate(1, second, 1)]), [(None, vec![proof])]);
        }
        let unknown = vec![candidate(1, Some("y"), 0), candidate(1, Some("x"), 1)];
        assert_eq!(shown(unknown), [(Some("x".to_owned()), vec![0, 1])]);
    }
}
