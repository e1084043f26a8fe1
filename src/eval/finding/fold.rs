//! Folds symptoms under their causes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::eval::finding::foldable::FoldableFinding;
use crate::eval::finding::reach::Concerned;
use crate::model::ObjectRef;
use crate::rule::{Explains, Rule, RuleSet};

/// Returns the ids of rules whose findings are compared in time: those that explain others `within` a time, and those others.
pub fn timed(set: &RuleSet) -> BTreeSet<&str> {
    let pairs = set.rules.iter().flat_map(|rule| rule.explains.iter().map(|explained| (rule.id.as_str(), explained)));
    pairs.filter(|(_, e)| e.within.is_some()).flat_map(|(cause, e)| [cause, e.rule.as_str()]).collect()
}

/// Sets `explained_by` of every symptom to the fingerprint of its top cause.
///
/// A symptom belongs to a cause whose rule explains it and that has its subject among its objects,
/// or, with `on: node`, names the same node; with `within` only if their times are that near. Of several causes the most severe, surest, first by id
/// wins. Chains fold to their top; the compiler refuses cycles between rules.
pub fn fold(set: &RuleSet, found: &mut [FoldableFinding]) {
    let links = Links::of(set, found);
    let parents: Vec<Option<usize>> = found.iter().map(|symptom| links.parent(found, symptom)).collect();
    for symptom in 0..found.len() {
        let mut top = symptom;
        // A chain is at most as long as there are findings, whatever the rules say.
        for _ in 0..found.len() {
            match parents[top] {
                Some(cause) => top = cause,
                None => break,
            }
        }
        if top != symptom {
            found[symptom].finding.explained_by = Some(found[top].finding.fingerprint.clone());
        }
    }
}

/// Returns the ids of rules that explain others or are explained: the reach of their findings decides.
pub fn linked(set: &RuleSet) -> BTreeSet<&str> {
    let pairs = set.rules.iter().flat_map(|rule| rule.explains.iter().map(|explained| (rule.id.as_str(), explained)));
    pairs.flat_map(|(cause, explained)| [cause, explained.rule.as_str()]).collect()
}

/// Possible causes, the best first, and where to find those of a symptom: comparing each with each would take minutes for
/// some thousand findings.
struct Links {
    causes: Vec<Link>,
    /// Positions of the causes that reach an object.
    by_object: BTreeMap<ObjectRef, Vec<usize>>,
    /// Positions of the causes that name a node, if they explain what is on it.
    by_node: BTreeMap<String, Vec<usize>>,
}

/// A finding that may be the cause of findings of another rule.
struct Link {
    finding: usize,
    explained: Explains,
}

impl Links {
    fn of(set: &RuleSet, found: &[FoldableFinding]) -> Self {
        let rules: BTreeMap<&str, &Rule> = set.rules.iter().map(|rule| (rule.id.as_str(), rule)).collect();
        let explained = |rule: &str| rules.get(rule).map(|rule| rule.explains.clone()).unwrap_or_default();
        let links = |(finding, cause): (usize, &FoldableFinding)| {
            explained(&cause.finding.rule).into_iter().map(move |explained| Link { finding, explained })
        };
        let mut causes: Vec<Link> = found.iter().enumerate().flat_map(links).collect();
        causes.sort_by_cached_key(|link| {
            let finding = &found[link.finding].finding;
            (finding.rank(), finding.rule.clone(), finding.fingerprint.clone())
        });
        let mut links = Self { causes, by_object: BTreeMap::new(), by_node: BTreeMap::new() };
        links.index(found);
        links
    }

    /// Findings may share a part of what they reach: it is looked through once.
    fn index(&mut self, found: &[FoldableFinding]) {
        let subjects: BTreeSet<&ObjectRef> = found.iter().filter_map(|found| found.finding.objects.first()).collect();
        let mut parts: BTreeMap<usize, (&Concerned, Vec<usize>)> = BTreeMap::new();
        for (position, link) in self.causes.iter().enumerate() {
            for part in found[link.finding].reach.parts() {
                parts.entry(Arc::as_ptr(part).addr()).or_insert((part, Vec::new())).1.push(position);
            }
        }
        for (part, positions) in parts.into_values() {
            for object in part.objects.iter().filter(|object| subjects.contains(object)) {
                self.by_object.entry(object.clone()).or_default().extend(&positions);
            }
            let on_node: Vec<usize> =
                positions.into_iter().filter(|&position| self.causes[position].explained.on_node).collect();
            for node in part.nodes.iter().filter(|_| !on_node.is_empty()) {
                self.by_node.entry(node.clone()).or_default().extend(&on_node);
            }
        }
        self.by_object.values_mut().chain(self.by_node.values_mut()).for_each(|positions| positions.sort_unstable());
    }

    /// Returns the best cause of a symptom.
    fn parent(&self, found: &[FoldableFinding], symptom: &FoldableFinding) -> Option<usize> {
        let explains = |position: &&usize| {
            let Link { finding, explained } = &self.causes[**position];
            let near = |within| found[*finding].times.are_near(&symptom.times, within);
            explained.rule == symptom.finding.rule && explained.within.is_none_or(near)
        };
        let reaching = symptom.finding.objects.first().and_then(|subject| self.by_object.get(subject));
        let nodes: BTreeSet<&String> = symptom.reach.parts().iter().flat_map(|part| &part.nodes).collect();
        let on_nodes = nodes.into_iter().filter_map(|node| self.by_node.get(node));
        let first =
            reaching.into_iter().chain(on_nodes).filter_map(|positions| positions.iter().find(explains)).min()?;
        Some(self.causes[*first].finding)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::finding::reach::Reach;
    use crate::eval::finding::times::Times;
    use crate::eval::testing::rules;
    use crate::model::{Confidence, Finding, FindingClass, Severity, TimedText};

    fn found(rule: &str, print: &str, severity: Severity, reach: &[&str], nodes: &[&str]) -> FoldableFinding {
        let object = |name: &&str| ObjectRef::new("", "Pod", None, name);
        let finding = Finding {
            rule: rule.to_owned(),
            name: String::new(),
            class: FindingClass::Fault,
            severity,
            confidence: Confidence::Likely,
            area: String::new(),
            title: TimedText::default(),
            message: TimedText::default(),
            impact: TimedText::default(),
            cause: TimedText::default(),
            affects: Vec::new(),
            fixed_in: Vec::new(),
            objects: reach.iter().take(1).map(object).collect(),
            remedy: Vec::new(),
            verify: None,
            links: Vec::new(),
            evidence: Vec::new(),
            count: 1,
            seen: crate::model::Histogram::default(),
            first_seen: None,
            last_seen: None,
            fingerprint: print.to_owned(),
            explained_by: None,
        };
        let nodes = nodes.iter().map(|node| (*node).to_owned()).collect();
        FoldableFinding {
            finding,
            reach: Reach::of(reach.iter().map(object).collect(), nodes),
            times: Times::default(),
        }
    }

    /// By which finding each is explained.
    fn folded(mut found: Vec<FoldableFinding>) -> Vec<Option<String>> {
        let find = "find: {pod: {resource: pods}}";
        let set = rules(&[
            ("first", &format!("{find}\nexplains: [second, third]")),
            ("second", &format!("{find}\nexplains: [{{rule: third, \"on\": node}}]")),
            ("third", find),
        ]);
        fold(&set, &mut found);
        found.into_iter().map(|found| found.finding.explained_by).collect()
    }

    #[test]
    fn the_most_severe_cause_takes_a_symptom_then_the_first_by_id() {
        let cause = |rule: &str, print: &str, severity| found(rule, print, severity, &[print, "s"], &[]);
        let symptom = || found("third", "s", Severity::Critical, &["s"], &[]);
        let list = vec![cause("first", "a", Severity::Low), cause("second", "b", Severity::High), symptom()];
        assert_eq!(folded(list)[2].as_deref(), Some("b"));
        let list = vec![cause("second", "b", Severity::High), cause("first", "z", Severity::High), symptom()];
        assert_eq!(folded(list)[2].as_deref(), Some("z"));
        let list = vec![cause("first", "y", Severity::High), cause("first", "x", Severity::High), symptom()];
        assert_eq!(folded(list)[2].as_deref(), Some("x"));
    }

    #[test]
    fn chains_end_at_the_top_and_other_rules_explain_nothing() {
        let list = vec![
            found("first", "a", Severity::Low, &["a", "b"], &[]),
            found("second", "b", Severity::Low, &["b", "c"], &[]),
            found("third", "c", Severity::Low, &["c"], &[]),
            found("first", "d", Severity::Low, &["c"], &[]),
            found("third", "e", Severity::Low, &["e", "a"], &[]),
        ];
        // "b" and "d" both explain "c"; rule "first" comes before "second".
        assert_eq!(folded(list), [None, Some("a".into()), Some("d".into()), None, None]);
    }

    #[test]
    fn a_common_node_counts_only_where_the_rule_says_so() {
        let list = |rule: &str| {
            vec![
                found(rule, "a", Severity::Low, &["a"], &["n1"]),
                found("third", "b", Severity::Low, &["b"], &["n1", "n2"]),
                found("third", "c", Severity::Low, &["c"], &["n2"]),
            ]
        };
        assert_eq!(folded(list("first")), [None, None, None]);
        assert_eq!(folded(list("second")), [None, Some("a".into()), None]);
    }

    #[test]
    fn within_needs_nearness_in_time_and_a_common_object() {
        let at = |times: &[&str], found: FoldableFinding| FoldableFinding { times: Times::written(times), ..found };
        let cause = |rule: &str| found(rule, "c", Severity::High, &["c", "s"], &["n1"]);
        let symptom = || found("third", "s", Severity::Low, &["s"], &["n1"]);
        let elsewhere = || found("third", "e", Severity::Low, &["e"], &["n2"]);
        let [eight, five_past, six_past] = ["2025-01-01T08:00:00Z", "2025-01-01T08:05:00Z", "2025-01-01T08:06:00Z"];
        let set = rules(&[
            ("objects", "find: {pod: {resource: pods}}\nexplains: [{rule: third, within: 5m}]"),
            ("nodes", "find: {pod: {resource: pods}}\nexplains: [{rule: third, \"on\": node, within: 5m}]"),
            ("third", "find: {pod: {resource: pods}}"),
            ("untimed", "find: {pod: {resource: pods}}\nexplains: [nodes]"),
        ]);
        assert_eq!(timed(&set), BTreeSet::from(["nodes", "objects", "third"]));
        for rule in ["objects", "nodes"] {
            for (symptom, explained) in [
                (at(&[five_past], symptom()), true),
                (at(&[six_past], symptom()), false),
                (symptom(), false),
                (at(&[eight], elsewhere()), false),
            ] {
                let mut found = vec![at(&[eight], cause(rule)), symptom];
                fold(&set, &mut found);
                assert_eq!(found[1].finding.explained_by.is_some(), explained, "{rule}: {:?}", found[1]);
            }
        }
    }
}
