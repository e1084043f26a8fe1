//! Bundles of which nothing is read, and files among dumps that are not: no findings must not be taken for no faults.

use crate::bundle::{Bundle, Entry, Role};
use crate::model::message::{GapReason, GapSubject, IssueMessage, Reason};
use crate::model::{BundleFacts, Issue, IssueKind, NotCollected, Origin, RuleOutcomes, RuleReason};

/// Returns the reason why the bundle gives no objects and no logs; none if it has entries that are read as such.
/// `unplaced` is true if any file held objects or a log, which is known only from the content of files that have no
/// collector's path.
pub fn reason(bundle: &Bundle, unplaced: bool) -> Option<Reason> {
    let is_read = |role: &Role| match role {
        Role::Dump { .. } | Role::Table { .. } | Role::Objects => true,
        Role::PodLog { .. } | Role::PodLogs { .. } | Role::LogSections { .. } | Role::NodeLog { .. } => true,
        Role::Supportconfig { .. } => true,
        Role::Summary(_) | Role::Unplaced | Role::Described { .. } => unplaced,
        Role::NodeFile { .. }
        | Role::Metadata
        | Role::CollectorErrors
        | Role::Verdicts
        | Role::Archive
        | Role::Other => false,
    };
    if bundle.entries().iter().any(|entry| is_read(&entry.role)) {
        return None;
    }
    Some(match bundle.spec() {
        None => Reason::UnknownLayout,
        Some(_) => Reason::NothingToRead,
    })
}

/// Reports it in every place that people may look at: as not collected, for each rule that did not fire, and as an
/// issue.
pub fn note(facts: &mut BundleFacts, rules: &mut RuleOutcomes) -> Option<Issue> {
    let why = facts.unread.clone()?;
    facts.not_collected =
        vec![NotCollected { what: GapSubject::ObjectsAndLogs, why: GapReason::NothingRead { why: why.clone() } }];
    rules.not_evaluated.append(&mut rules.not_applicable);
    rules.not_evaluated.append(&mut rules.clean_partly);
    rules.not_evaluated.extend(rules.clean.drain(..).map(|rule| RuleReason { rule, reason: why.clone() }));
    rules.not_evaluated.iter_mut().for_each(|rule| rule.reason.clone_from(&why));
    rules.not_evaluated.sort();
    Some(Issue::general(IssueKind::Layout, IssueMessage::NothingRead { why }))
}

/// Returns an issue about the files that are in a place for dumps and are not read.
pub fn among_dumps(bundle: &Bundle) -> Option<Issue> {
    let is_place = bundle.spec()?.is_place_for_dumps;
    let is_unread = |entry: &&Entry| {
        entry.role == Role::Other && entry.size > 0 && is_place(&entry.logical.split('/').collect::<Vec<_>>())
    };
    let unread: Vec<&Entry> = bundle.entries().iter().filter(is_unread).collect();
    let first = unread.iter().min_by_key(|entry| &entry.path)?;
    let message = match unread.len() - 1 {
        0 => IssueMessage::NotADump,
        others => IssueMessage::NotDumps { others },
    };
    Some(Issue::at(Origin::entry(first.path.clone()), IssueKind::Layout, message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::Limits;

    fn bundle(paths: &[&str]) -> Bundle {
        let files = paths.iter().map(|path| ((*path).to_owned(), b"x\n".to_vec())).collect();
        Bundle::from_memory("b.zip", files, Limits::default())
    }

    fn reason_of(bundle: &Bundle) -> Option<String> {
        reason(bundle, false).map(|why| why.to_string())
    }

    #[test]
    fn a_layout_that_is_read_needs_no_word() {
        assert_eq!(reason_of(&bundle(&["yamls/cluster/v1/nodes.yaml"])), None);
        assert_eq!(reason_of(&bundle(&["logs/demo/web-0/nginx.log"])), None);
        assert_eq!(reason_of(&bundle(&["n1/logs/kernel.log"])), None);
        assert_eq!(reason_of(&bundle(&["collector-output.log", "systeminfo/uname", "rke2/kubectl/pods"])), None);
    }

    #[test]
    fn a_bundle_without_objects_and_logs_says_so() {
        let report = reason_of(&bundle(&["sos_commands/kernel/uname"]));
        assert!(report.is_some_and(|why| why.contains("no dump of objects and no log")));
        let host = reason_of(&bundle(&["analysis.json", "host-collectors/system/cpu.json"]));
        assert!(host.is_some_and(|why| why.contains("no dump of objects and no log")));
        assert!(reason_of(&bundle(&["notes.yaml"])).is_some_and(|why| why.contains("none of its files contains")));
        assert!(reason_of(&bundle(&["metadata.yaml", "bundleGenerationError.log"])).is_some());
        assert_eq!(reason(&bundle(&["notes.yaml"]), true), None, "its content tells");
    }

    #[test]
    fn files_among_dumps_that_are_not_read_are_reported() {
        let said = |paths: &[&str]| among_dumps(&bundle(paths)).map(|issue| issue.message.to_string());
        let dumps = ["yamls/cluster/v1/nodes.yaml", "yamls/namespaced/demo/v1/configmaps.json"];
        assert_eq!(said(&dumps), None);
        let report = said(&[dumps[0], "yamls/cluster/v1/pods.txt", "yamls/namespaced/demo/notes"]);
        assert!(report.is_some_and(|said| said.contains("is not read; 1 more")));
        assert_eq!(said(&[dumps[0], "logs/demo/web-0/notes"]), None);
    }

    #[test]
    fn no_rule_is_clean_or_out_of_place_where_nothing_was_read() {
        let mut facts = BundleFacts { unread: Some("so".into()), ..BundleFacts::default() };
        let reason =
            |rule: &str, reason: &str| RuleReason { rule: rule.into(), reason: Reason::Stored { text: reason.into() } };
        let mut rules = RuleOutcomes {
            fired: vec!["f".into()],
            fired_partly: vec![],
            clean: vec!["c".into()],
            clean_partly: vec![reason("p", "no logs of n2")],
            not_evaluated: vec![reason("z", "no pods")],
            not_applicable: vec![reason("a", "no harvester")],
        };
        let issue = note(&mut facts, &mut rules).unwrap();
        assert_eq!(issue.message, "objects and logs were not read: so");
        assert_eq!(rules.not_evaluated, ["a", "c", "p", "z"].map(|rule| reason(rule, "so")));
        assert!(rules.clean.is_empty() && rules.clean_partly.is_empty() && rules.not_applicable.is_empty());
        assert_eq!(rules.fired, ["f"]);
        assert_eq!(facts.not_collected[0].what.to_string(), "objects and logs (none was read)");
    }
}
