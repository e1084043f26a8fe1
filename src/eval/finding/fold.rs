//! Folds symptoms under their causes.

use std::collections::{BTreeMap, BTreeSet};

use crate::eval::finding::foldable::FoldableFinding;
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
    let causes = causes(set, found);
    let parents: Vec<Option<usize>> = (0..found.len()).map(|symptom| parent(&causes, found, symptom)).collect();
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

/// By rule of a symptom: the findings that may be its cause, and the conditions that link them.
type Causes<'r> = BTreeMap<&'r str, Vec<(usize, &'r Explains)>>;

fn causes<'r>(set: &'r RuleSet, found: &[FoldableFinding]) -> Causes<'r> {
    let rules: BTreeMap<&str, &Rule> = set.rules.iter().map(|rule| (rule.id.as_str(), rule)).collect();
    let mut causes = Causes::new();
    for (at, cause) in found.iter().enumerate() {
        for explained in rules.get(cause.finding.rule.as_str()).into_iter().flat_map(|rule| &rule.explains) {
            causes.entry(explained.rule.as_str()).or_default().push((at, explained));
        }
    }
    causes
}

fn parent(causes: &Causes<'_>, found: &[FoldableFinding], symptom: usize) -> Option<usize> {
    let may = causes.get(found[symptom].finding.rule.as_str())?;
    let is_cause = |(cause, explained): &&(usize, &Explains)| related(&found[*cause], &found[symptom], explained);
    may.iter().filter(is_cause).map(|(cause, _)| *cause).min_by_key(|&cause| {
        let finding = &found[cause].finding;
        (finding.rank(), finding.rule.as_str(), finding.fingerprint.as_str())
    })
}

fn related(cause: &FoldableFinding, symptom: &FoldableFinding, explained: &Explains) -> bool {
    let subject = symptom.finding.objects.first();
    let in_reach = subject.is_some_and(|subject| cause.reach.contains(subject));
    let on_node = || explained.on_node && !cause.nodes.is_disjoint(&symptom.nodes);
    let near = || explained.within.is_none_or(|within| cause.times.are_near(&symptom.times, within));
    (in_reach || on_node()) && near()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::finding::times::Times;
    use crate::eval::testing::rules;
    use crate::model::{Confidence, Finding, FindingClass, ObjectRef, Severity, TimedText};

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
        FoldableFinding { finding, reach: reach.iter().map(object).collect(), nodes, times: Times::default() }
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
