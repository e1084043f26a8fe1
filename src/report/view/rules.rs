//! Rules by outcome, and issues by entry.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::Serialize;

use crate::model::{Issue, RuleOutcomes, RuleReason};
use crate::report::lexicon::{Lexicon, phrase};
use crate::report::rank::Group;

use super::finding::anchor;
use super::verdict::amount;

/// Maximum number of entries listed with their issues, and of issues listed per entry.
const ENTRIES_SHOWN: usize = 500;
const ISSUES_SHOWN: usize = 20;
/// Maximum number of issues listed without a click.
const ISSUES_OPEN: usize = 10;

/// The five outcomes.
#[derive(Serialize)]
pub(super) struct Outcomes<'a> {
    /// `3 fired, 20 clean, 4 not evaluated, 1 not applicable`.
    summary: String,
    fired: Vec<Fired<'a>>,
    not_evaluated: Reasons<'a>,
    clean_partly: Reasons<'a>,
    not_applicable: Reasons<'a>,
    clean: &'a [String],
}

#[derive(Serialize)]
struct Fired<'a> {
    rule: &'a str,
    /// Anchor of its first finding on the page.
    anchor: Option<String>,
}

/// Rules without an answer, grouped by reason.
#[derive(Serialize)]
pub struct Reasons<'a> {
    pub count: usize,
    /// Sorted by number of rules, largest first.
    pub groups: Vec<Reason<'a>>,
}

/// Reason with the rules that share it.
#[derive(Serialize)]
pub struct Reason<'a> {
    pub reason: String,
    pub rules: Vec<&'a str>,
}

/// Issues by entry.
#[derive(Serialize)]
pub struct Entries<'a> {
    count: usize,
    /// `2 limit, 1 document`.
    summary: String,
    entries: Vec<EntryIssues<'a>>,
    /// Entries not listed.
    left_out: usize,
    /// True if the list is short enough to be unfolded.
    open: bool,
}

#[derive(Serialize)]
struct EntryIssues<'a> {
    /// None for issues of the bundle as a whole.
    entry: Option<&'a str>,
    issues: Vec<Line>,
    left_out: usize,
}

#[derive(Serialize)]
struct Line {
    line: Option<u64>,
    kind: &'static str,
    message: String,
}

impl<'a> Outcomes<'a> {
    /// Lists the outcomes; fired rules link to their findings in `groups`.
    pub fn of(rules: &'a RuleOutcomes, groups: &[Group<'a>], t: Lexicon) -> Self {
        let anchors = anchors(groups);
        let fired = |rule: &'a String| Fired { rule, anchor: anchors.get(rule.as_str()).map(|f| anchor(f)) };
        Self {
            summary: outcome_counts(rules, t),
            fired: rules.fired.iter().map(fired).collect(),
            not_evaluated: by_reason(&rules.not_evaluated, t),
            clean_partly: by_reason(&rules.clean_partly, t),
            not_applicable: by_reason(&rules.not_applicable, t),
            clean: &rules.clean,
        }
    }
}

/// `3 fired, 20 clean, 4 not evaluated, 1 not applicable`.
pub fn outcome_counts(rules: &RuleOutcomes, t: Lexicon) -> String {
    t.fill(phrase::Outcomes {
        fired: &rules.fired.len(),
        clean: &rules.clean.len(),
        clean_partly: &rules.clean_partly.len(),
        not_evaluated: &rules.not_evaluated.len(),
        not_applicable: &rules.not_applicable.len(),
    })
}

/// Groups the rules by reason, the most frequent reason first.
pub fn by_reason(reasons: &[RuleReason], t: Lexicon) -> Reasons<'_> {
    let mut map: BTreeMap<String, Reason<'_>> = BTreeMap::new();
    for RuleReason { rule, reason } in reasons {
        let group = || Reason { reason: t.message(reason), rules: Vec::new() };
        map.entry(reason.to_string()).or_insert_with(group).rules.push(rule);
    }
    let mut groups: Vec<_> = map.into_values().collect();
    groups.sort_by_key(|g| Reverse(g.rules.len()));
    Reasons { count: reasons.len(), groups }
}

/// `2 limit, 1 document`: issues by kind, the most frequent first.
pub fn issue_kinds(issues: &[Issue], t: Lexicon) -> String {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for issue in issues {
        *counts.entry(issue.kind.as_str()).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, n)| Reverse(*n));
    t.list(counts.into_iter().map(|(kind, n)| amount(n, t.term(kind), t)))
}

impl<'a> Entries<'a> {
    /// Groups the issues by entry; those of the bundle as a whole come first.
    pub fn of(issues: &'a [Issue], t: Lexicon) -> Self {
        let mut map: BTreeMap<Option<&str>, Vec<&Issue>> = BTreeMap::new();
        for issue in issues {
            map.entry(issue.origin.as_ref().map(|o| o.entry.as_ref())).or_default().push(issue);
        }
        let left_out = map.len().saturating_sub(ENTRIES_SHOWN);
        let entries = map.into_iter().take(ENTRIES_SHOWN).map(|(entry, issues)| EntryIssues::of(entry, &issues, t));
        let open = issues.len() <= ISSUES_OPEN;
        Self { count: issues.len(), summary: issue_kinds(issues, t), entries: entries.collect(), left_out, open }
    }
}

impl<'a> EntryIssues<'a> {
    fn of(entry: Option<&'a str>, issues: &[&'a Issue], t: Lexicon) -> Self {
        Self {
            entry,
            issues: issues.iter().take(ISSUES_SHOWN).map(|i| Line::of(i, t)).collect(),
            left_out: issues.len().saturating_sub(ISSUES_SHOWN),
        }
    }
}

impl Line {
    fn of(issue: &Issue, t: Lexicon) -> Self {
        let line = issue.origin.as_ref().and_then(|o| o.line);
        Self { line, kind: issue.kind.as_str(), message: t.message(&issue.message) }
    }
}

/// Returns the fingerprint of the first finding of each rule in the order of the page, causes before symptoms.
fn anchors<'a>(groups: &[Group<'a>]) -> BTreeMap<&'a str, &'a str> {
    let causes: Vec<_> = groups.iter().flat_map(Group::causes).collect();
    let symptoms = causes.iter().flat_map(|c| c.symptoms.iter().copied());
    let mut map = BTreeMap::new();
    for finding in causes.iter().map(|c| c.finding).chain(symptoms) {
        map.entry(finding.rule.as_str()).or_insert(finding.fingerprint.as_str());
    }
    map
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{IssueKind, Origin};

    #[test]
    fn the_commonest_reason_comes_first() {
        let reason = |rule: &str, reason: &str| RuleReason { rule: rule.into(), reason: reason.into() };
        let reasons = [reason("a", "y"), reason("b", "x"), reason("c", "x"), reason("d", "w")];
        let grouped = by_reason(&reasons, Lexicon::ENGLISH);
        let shape: Vec<_> = grouped.groups.iter().map(|g| (&*g.reason, g.rules.clone())).collect();
        assert_eq!(shape, [("x", vec!["b", "c"]), ("w", vec!["d"]), ("y", vec!["a"])]);
    }

    #[test]
    fn issues_are_cut_and_counted() {
        let many = |n: usize| Issue::at(Origin::line("a.yaml", n as u64), IssueKind::Document, "broken");
        let mut issues: Vec<_> = (0..ISSUES_SHOWN + 3).map(many).collect();
        issues.push(Issue::general(IssueKind::Limit, "too large"));
        let entries = Entries::of(&issues, Lexicon::ENGLISH);
        assert_eq!(entries.summary, format!("{} document, 1 limit", ISSUES_SHOWN + 3));
        let shape: Vec<_> = entries.entries.iter().map(|e| (e.entry, e.issues.len(), e.left_out)).collect();
        assert_eq!(shape, [(None, 1, 0), (Some("a.yaml"), ISSUES_SHOWN, 3)]);
    }
}
