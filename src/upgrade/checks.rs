//! Outcomes of the official checks.

use crate::model::inventory::{Shown, Upgrade};
use crate::model::message::Reason;
use crate::model::upgrade::{CheckOutcome, UpgradeCheck};
use crate::model::version::Range;
use crate::model::{Lang, ObjectRef, RuleOutcomes, RuleReason};
use crate::rule::UpgradeTable;
use crate::rule::upgrades::Check;

use super::found::Found;
use super::objects::{self, Answer};

/// Most objects of one check.
const MOST: usize = 20;

/// Returns the checks that apply to the running version.
pub(super) fn outcomes(
    table: &UpgradeTable,
    found: Found<'_>,
    upgrades: &Shown<Upgrade>,
    version: Option<&str>,
    lang: Lang,
) -> Vec<UpgradeCheck> {
    let applies = |range: &Range| version.and_then(|version| range.contains(version)) != Some(false);
    let outcome = |check: &Check| {
        let webhook = check.webhook.as_ref().is_some_and(applies);
        let script = check.script.as_ref().filter(|_| check.script_for.as_ref().is_none_or(applies));
        (webhook || script.is_some()).then(|| UpgradeCheck {
            id: check.id.clone(),
            name: check.name.in_language(lang),
            webhook,
            script: script.cloned(),
            rules: check.rules.clone(),
            outcome: outcome(check, found, upgrades),
            except: check.except.as_ref().map(|except| except.in_language(lang)),
        })
    };
    table.checks.iter().filter_map(outcome).collect()
}

/// One thing that fails is enough; passed is only what all its rules and objects show.
fn outcome(check: &Check, found: Found<'_>, upgrades: &Shown<Upgrade>) -> CheckOutcome {
    let Answer { failing, open } =
        if check.by_objects { objects::answer(&check.id, found.resources, upgrades) } else { Answer::default() };
    let findings: Vec<String> = found
        .findings
        .iter()
        .filter(|finding| check.rules.contains(&finding.rule))
        .map(|finding| finding.fingerprint.clone())
        .collect();
    if !findings.is_empty() || !failing.is_empty() {
        let failing: Vec<ObjectRef> = failing.into_iter().collect();
        return CheckOutcome::Failed { findings, objects: Shown::first(failing, MOST, None) };
    }
    let mut reasons: Vec<Reason> = open;
    reasons.extend(check.rules.iter().filter_map(|rule| unanswered(rule, found)));
    reasons.sort();
    reasons.dedup();
    if reasons.is_empty() { CheckOutcome::Passed } else { CheckOutcome::Open(reasons) }
}

/// Returns the reason why a rule has no answer, or one for a part only; none if it is clean. A rule for other versions has nothing to say.
fn unanswered(rule: &str, found: Found<'_>) -> Option<Reason> {
    let rules = found.rules;
    let reason = |list: &[RuleReason]| list.iter().find(|of| of.rule == rule).map(|of| of.reason.clone());
    if let Some(reason) = reason(&rules.not_evaluated).or_else(|| reason(&rules.clean_partly)) {
        return Some(reason);
    }
    (!was_run(rule, rules)).then(|| Reason::RuleNotRun { rule: rule.to_owned() })
}

/// Returns true if at least one rule that answers a check was run: without any, nothing is said of an upgrade.
pub(super) fn any_was_run(table: &UpgradeTable, rules: &RuleOutcomes) -> bool {
    table.checks.iter().flat_map(|check| &check.rules).any(|rule| was_run(rule, rules))
}

fn was_run(rule: &str, rules: &RuleOutcomes) -> bool {
    let RuleOutcomes { fired, fired_partly: _, clean, clean_partly, not_evaluated, not_applicable } = rules;
    fired.iter().chain(clean).any(|id| id == rule)
        || [clean_partly, not_evaluated, not_applicable].into_iter().flatten().any(|of| of.rule == rule)
}
