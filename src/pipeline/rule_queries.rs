//! Which queries of logs belong to which rules that fired.

use std::collections::{BTreeMap, BTreeSet};

use crate::log::QueryId;
use crate::rule::{Fact, FactKind, Rule, RuleSet};
use crate::unexplained::FiredQueries;

/// Returns the rules that fired by the queries of their facts.
pub fn rules_by_query<'s>(set: &'s RuleSet, fired: &[String]) -> BTreeMap<QueryId, BTreeSet<&'s str>> {
    let mut found: BTreeMap<QueryId, BTreeSet<&str>> = BTreeMap::new();
    for rule in fired_rules(&set.rules, fired) {
        for query in found_by(rule).flat_map(queries_of) {
            found.entry(query).or_default().insert(&rule.id);
        }
    }
    found
}

/// Returns the queries by which rules found what they are about.
pub fn fired_queries(rules: &[Rule], fired: &[String]) -> FiredQueries {
    let facts = || fired_rules(rules, fired).flat_map(found_by);
    let of = |optional: bool| facts().filter(move |fact| fact.optional == optional).flat_map(queries_of).collect();
    FiredQueries { proving: of(false), quoting: of(true) }
}

fn fired_rules<'r>(rules: &'r [Rule], fired: &[String]) -> impl Iterator<Item = &'r Rule> {
    rules.iter().filter(|rule| fired.binary_search(&rule.id).is_ok())
}

/// Returns the facts without those that a rule rules out.
fn found_by(rule: &Rule) -> impl Iterator<Item = &Fact> {
    rule.facts.iter().take(rule.find)
}

fn queries_of(fact: &Fact) -> impl Iterator<Item = QueryId> {
    fact.kinds().flat_map(FactKind::logs).map(|log| log.query)
}
