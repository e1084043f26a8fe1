//! What is new in a collection of rules: two of them compared rule by rule, as written.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_yaml::{Mapping, Value};

use crate::model::RuleCollection;
use crate::rule::error::Source;
use crate::rule::load::Loaded;

/// What one collection has that another has not, each list sorted by id.
#[derive(Debug, Serialize)]
pub struct RuleChanges {
    /// Collections that name themselves.
    pub old: Vec<RuleCollection>,
    pub new: Vec<RuleCollection>,
    pub added: Vec<RuleHead>,
    pub changed: Vec<RuleChange>,
    pub removed: Vec<RuleHead>,
}

/// A rule as lists show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RuleHead {
    pub id: String,
    pub severity: String,
    /// The short name, or the title with its placeholders.
    pub title: String,
}

/// A rule that both have.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct RuleChange {
    pub id: String,
    /// Id in the older collection if the rule was renamed: the newer one has it as an alias.
    pub was: Option<String>,
    /// What differs, as [`PARTS`] says; empty if only the id does.
    pub what: Vec<&'static str>,
    pub old: RuleHead,
    pub new: RuleHead,
}

/// Parts of a rule and their keys; every other key is `other`.
const PARTS: [(&str, &[&str]); 9] = [
    ("severity", &["severity", "confidence", "class"]),
    ("title", &["name", "title"]),
    ("condition", &["find", "unless", "when", "about", "adjust"]),
    ("versions", &["affects", "fixed_in"]),
    ("relations", &["explains", "relate", "breaks", "needs"]),
    ("explanation", &["message", "impact", "cause"]),
    ("remedy", &["remedy", "verify"]),
    ("sources", &["basis", "links"]),
    ("translations", &["i18n"]),
];

/// Name of the part to which a key belongs.
fn part(key: &str) -> &'static str {
    PARTS.iter().find(|(_, keys)| keys.contains(&key)).map_or("other", |(part, _)| part)
}

/// Compares two collections. Comments and the form of the YAML make no difference.
///
/// # Errors
/// The first file that is no mapping in YAML, with the reason.
pub fn changes(old: &Loaded, new: &Loaded) -> Result<RuleChanges, String> {
    let (before, after) = (by_id(&old.sources)?, by_id(&new.sources)?);
    let renamed: BTreeMap<&str, &str> = renamed(&before, &after).collect();
    let old_ids: BTreeSet<&str> = renamed.values().copied().collect();
    let is_new = |id: &&String| !before.contains_key(*id) && !renamed.contains_key(id.as_str());
    let is_gone = |id: &&String| !after.contains_key(*id) && !old_ids.contains(id.as_str());
    let change = |(id, rule): (&String, &Mapping)| {
        let was = renamed.get(id.as_str()).copied();
        change(was.unwrap_or(id), before.get(was.unwrap_or(id))?, id, rule)
    };
    Ok(RuleChanges {
        old: old.collections.clone(),
        new: new.collections.clone(),
        added: after.keys().filter(is_new).filter_map(|id| Some(head(id, after.get(id)?))).collect(),
        changed: after.iter().filter_map(change).collect(),
        removed: before.keys().filter(is_gone).filter_map(|id| Some(head(id, before.get(id)?))).collect(),
    })
}

/// Returns the new and the old id of each rule that has the id of one that is gone as an alias.
fn renamed<'r>(
    before: &'r BTreeMap<String, Mapping>,
    after: &'r BTreeMap<String, Mapping>,
) -> impl Iterator<Item = (&'r str, &'r str)> {
    let fresh = after.iter().filter(|(id, _)| !before.contains_key(*id));
    fresh.filter_map(|(id, rule)| {
        let is_gone = |alias: &&str| before.contains_key(*alias) && !after.contains_key(*alias);
        Some((id.as_str(), aliases(rule).into_iter().find(is_gone)?))
    })
}

fn aliases(rule: &Mapping) -> Vec<&str> {
    match rule.get("aliases") {
        Some(Value::Sequence(list)) => list.iter().filter_map(Value::as_str).collect(),
        one => one.and_then(Value::as_str).into_iter().collect(),
    }
}

/// Returns what differs between two rules; none if nothing does.
fn change(old_id: &str, old: &Mapping, id: &str, new: &Mapping) -> Option<RuleChange> {
    let keys = old.keys().chain(new.keys()).filter_map(Value::as_str).filter(|key| *key != "id");
    let differing: BTreeSet<&str> = keys.filter(|key| old.get(key) != new.get(key)).map(part).collect();
    let was = (old_id != id).then(|| old_id.to_owned());
    let in_order = PARTS.iter().map(|(part, _)| *part).chain(["other"]);
    let what: Vec<&'static str> = in_order.filter(|part| differing.contains(part)).collect();
    let is_changed = was.is_some() || !what.is_empty();
    is_changed.then(|| RuleChange { id: id.to_owned(), was, what, old: head(old_id, old), new: head(id, new) })
}

fn head(id: &str, rule: &Mapping) -> RuleHead {
    let text = |key: &str| rule.get(key).and_then(Value::as_str).map(|text| text.trim().to_owned());
    let title = text("name").or_else(|| text("title")).unwrap_or_default();
    RuleHead { id: id.to_owned(), severity: text("severity").unwrap_or_default(), title }
}

fn by_id(sources: &[Source]) -> Result<BTreeMap<String, Mapping>, String> {
    let read = |source: &Source| {
        let rule: Mapping = serde_yaml::from_str(&source.text).map_err(|error| format!("{}: {error}", source.file))?;
        Ok((source.stem().to_owned(), rule))
    };
    sources.iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loaded(rules: &[(&str, &str)]) -> Loaded {
        let source = |(id, text): &(&str, &str)| Source { file: format!("own/{id}.yaml"), text: (*text).to_owned() };
        Loaded { sources: rules.iter().map(source).collect(), ..Loaded::default() }
    }

    fn ids(rules: &[RuleHead]) -> Vec<&str> {
        rules.iter().map(|rule| rule.id.as_str()).collect()
    }

    #[test]
    fn rules_are_new_changed_or_gone() {
        let old = loaded(&[
            ("a", "id: a\nname: A\nseverity: low\nfind: {x: 1, y: 2}\nremedy: [{do: wait}]"),
            ("b", "id: b\nname: B\nseverity: low\nwhen: x"),
            ("gone", "id: gone\nname: G\nseverity: info"),
        ]);
        let new = loaded(&[
            (
                "a",
                "# Only form and order differ.\nid: a\nseverity: 'low'\nname: A\nremedy:\n- do: wait\nfind:\n  y: 2\n  x: 1",
            ),
            ("b", "id: b\nname: B2\nseverity: high\nwhen: y\nlinks: https://example.com\nfuture: 1"),
            ("fresh", "id: fresh\ntitle: 'Fresh {{ x }}'\nseverity: medium"),
        ]);
        let changes = changes(&old, &new).unwrap();
        assert_eq!((ids(&changes.added), ids(&changes.removed)), (vec!["fresh"], vec!["gone"]));
        let [b] = changes.changed.as_slice() else { panic!("{:?}", changes.changed) };
        assert_eq!((b.id.as_str(), &b.was), ("b", &None));
        assert_eq!(b.what, ["severity", "title", "condition", "sources", "other"]);
        assert_eq!((b.old.severity.as_str(), b.new.severity.as_str()), ("low", "high"));
        assert_eq!(changes.added[0].title, "Fresh {{ x }}");
    }

    #[test]
    fn an_alias_of_a_rule_that_is_gone_is_its_new_name() {
        let old = loaded(&[("a", "id: a\nname: A"), ("b", "id: b\nname: B")]);
        let new = loaded(&[("b", "id: b\nname: B\naliases: a"), ("c", "id: c\nname: A\naliases: [x, a]")]);
        let changes = changes(&old, &new).unwrap();
        assert_eq!((ids(&changes.added), ids(&changes.removed)), (vec![], vec![]));
        let told: Vec<(&str, Option<&str>)> =
            changes.changed.iter().map(|change| (change.id.as_str(), change.was.as_deref())).collect();
        assert_eq!(told, [("b", None), ("c", Some("a"))]);
    }

    #[test]
    fn every_key_of_a_rule_belongs_to_a_part() {
        let known: BTreeSet<&str> = PARTS.iter().flat_map(|(_, keys)| *keys).copied().collect();
        let rule: BTreeSet<&str> = crate::rule::source::key_table::RULE.names().into_iter().collect();
        let other: Vec<&str> = rule.difference(&known).copied().collect();
        assert_eq!(other, ["aliases", "area", "id"]);
        assert!(known.is_subset(&rule));
    }

    #[test]
    fn a_file_that_is_no_rule_is_named() {
        let broken = loaded(&[("a", "- list")]);
        assert!(changes(&broken, &broken).unwrap_err().starts_with("own/a.yaml: "));
    }
}
