//! Which queries of logs belong to which rules that fired.

use std::collections::{BTreeMap, BTreeSet};

use crate::log::QueryId;
use crate::rule::{Fact, FactKind, Rule, RuleSet};

/// Returns the rules that fired by the queries of their facts.
pub fn rules_by_query<'s>(set: &'s RuleSet, fired: &[String]) -> BTreeMap<QueryId, BTreeSet<&'s str>> {
    let mut found: BTreeMap<QueryId, BTreeSet<&str>> = BTreeMap::new();
    for rule in &set.rules {
        for query in queries_of(std::slice::from_ref(rule), fired) {
            found.entry(query).or_default().insert(&rule.id);
        }
    }
    found
}

/// Returns the queries by which rules found what they are about.
pub fn queries_of(rules: &[Rule], fired: &[String]) -> BTreeSet<QueryId> {
    let rules = rules.iter().filter(|rule| fired.binary_search(&rule.id).is_ok());
    let facts = rules.flat_map(|rule| rule.facts.iter().take(rule.find));
    facts.flat_map(Fact::kinds).flat_map(FactKind::logs).map(|log| log.query).collect()
}
