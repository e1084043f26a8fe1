//! Rules to run again after changes of rules: [`Changes`].
//!
//! A finding depends on its own rule; its cause depends on all rules that may explain it. So a changed rule runs again
//! with the rules that it explains or explained, and with all rules that explain one of those.

use std::collections::{BTreeMap, BTreeSet};

use crate::triage::store::RuleRow;

/// Difference between two rule sets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// New and changed rules, sorted.
    pub changed: Vec<String>,
    /// Removed rules, sorted.
    pub gone: Vec<String>,
    /// Rules that must run, sorted.
    pub run: Vec<String>,
}

impl Changes {
    /// Compares two rule sets.
    pub fn between(before: &[RuleRow], now: &[RuleRow]) -> Self {
        let hash = |rows: &'_ [RuleRow]| -> BTreeMap<String, String> {
            rows.iter().map(|row| (row.id.clone(), row.hash.clone())).collect()
        };
        let (old, new) = (hash(before), hash(now));
        let changed: BTreeSet<String> =
            new.iter().filter(|(id, hash)| old.get(*id) != Some(*hash)).map(|(id, _)| id.clone()).collect();
        let gone: BTreeSet<String> = old.keys().filter(|id| !new.contains_key(*id)).cloned().collect();
        let mut run: BTreeSet<String> = changed.union(&gone).cloned().collect();
        // Symptoms of changed rules lose or gain a cause.
        close(&mut run, before.iter().chain(now).flat_map(RuleRow::edges));
        // The cause of a symptom is chosen among all rules that may explain it.
        close(&mut run, now.iter().flat_map(RuleRow::edges).map(|(cause, symptom)| (symptom, cause)));
        run.retain(|id| new.contains_key(id));
        Self {
            changed: changed.into_iter().collect(),
            gone: gone.into_iter().collect(),
            run: run.into_iter().collect(),
        }
    }
}

/// Adds everything reachable over edges.
fn close<'r>(reached: &mut BTreeSet<String>, edges: impl Iterator<Item = (&'r str, &'r str)>) {
    let mut by_start: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    edges.for_each(|(from, to)| by_start.entry(from).or_default().push(to));
    let mut queue: Vec<String> = reached.iter().cloned().collect();
    while let Some(id) = queue.pop() {
        for next in by_start.get(id.as_str()).into_iter().flatten() {
            if reached.insert((*next).to_owned()) {
                queue.push((*next).to_owned());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(text: &str) -> Vec<RuleRow> {
        let row = |line: &str| {
            let mut words = line.split(' ').map(str::to_owned);
            let (id, hash) = (words.next().unwrap(), words.next().unwrap());
            RuleRow { id, hash, explains: words.collect(), ..RuleRow::default() }
        };
        text.split(", ").map(row).collect()
    }

    fn changes(before: &str, now: &str) -> (String, String, String) {
        let Changes { changed, gone, run } = Changes::between(&rules(before), &rules(now));
        (changed.join(" "), gone.join(" "), run.join(" "))
    }

    fn three(changed: &str, gone: &str, run: &str) -> (String, String, String) {
        (changed.to_owned(), gone.to_owned(), run.to_owned())
    }

    #[test]
    fn a_rule_without_relations_runs_alone() {
        assert_eq!(changes("a 1, b 1", "a 1, b 2"), three("b", "", "b"));
        assert_eq!(changes("a 1", "a 1, c 1"), three("c", "", "c"));
        assert_eq!(changes("a 1, b 1", "a 1"), three("", "b", ""));
        assert_eq!(changes("a 1", "a 1"), three("", "", ""));
    }

    #[test]
    fn symptoms_run_with_all_their_causes() {
        let before = "cause 1 middle, middle 1 symptom, other 1 symptom, symptom 1, apart 1 far, far 1";
        assert_eq!(changes(before, &before.replace("middle 1", "middle 2")).2, "cause middle other symptom");
        assert_eq!(changes(before, &before.replace("symptom 1,", "symptom 2,")).2, "cause middle other symptom");
        assert_eq!(changes(before, &before.replace("far 1", "far 2")).2, "apart far");
    }

    #[test]
    fn rules_that_break_and_need_components_run_together() {
        let before = "disk 1 (breaks), net 1 (breaks), pod 1 (needs), dns 1 (breaks) (needs), apart 1";
        assert_eq!(changes(before, &before.replace("disk 1", "disk 2")).2, "disk dns net pod");
        assert_eq!(changes(before, &before.replace("pod 1 (needs)", "pod 2")).2, "pod");
        assert_eq!(changes(before, &before.replace("pod 1", "pod 2")).2, "disk dns net pod");
        assert_eq!(changes(before, &before.replace("apart 1", "apart 2")).2, "apart");
    }

    #[test]
    fn former_symptoms_run_too() {
        assert_eq!(changes("a 1 b, b 1, c 1 b", "a 2, b 1, c 1 b"), three("a", "", "a b c"));
        assert_eq!(changes("a 1 b, b 1", "b 1"), three("", "a", "b"));
    }
}
