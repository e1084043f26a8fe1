//! Known issues of the upgrades that a cluster may take, or of the one in progress.

use crate::model::Lang;
use crate::model::inventory::{Shown, Upgrade};
use crate::model::upgrade::{UpgradeIssue, UpgradeTarget};
use crate::rule::UpgradeTable;
use crate::rule::upgrades::{KnownIssue, Release};

use super::conditions::Cluster;
use super::found::Found;

/// Returns what is known of the upgrade in progress; without one, of those to the targets.
pub(super) fn of(
    table: &UpgradeTable,
    found: Found<'_>,
    upgrades: &Shown<Upgrade>,
    running: Option<&Release>,
    targets: &[UpgradeTarget],
    lang: Lang,
) -> Vec<UpgradeIssue> {
    let Some((from, targets)) = path(table, upgrades, running, targets) else { return Vec::new() };
    let cluster = Cluster { resources: found.resources, upgrades };
    let issue = |issue: &KnownIssue| {
        let targets: Vec<String> = targets.iter().filter(|to| concerns(issue, from, to)).cloned().collect();
        if targets.is_empty() {
            return None;
        }
        let (because, depends_on) = cluster.conditions(table, issue, lang)?;
        let findings = found.findings.iter().filter(|finding| issue.rule.as_ref() == Some(&finding.rule));
        Some(UpgradeIssue {
            id: issue.id.clone(),
            means: issue.means.in_language(lang),
            targets,
            because,
            depends_on,
            fixed_in: issue.fixed_in.clone(),
            findings: findings.map(|finding| finding.fingerprint.clone()).collect(),
            link: issue.link.clone(),
        })
    };
    let mut issues: Vec<UpgradeIssue> = table.known_issues.iter().filter_map(issue).collect();
    issues.sort_by_key(|issue| (issue.findings.is_empty(), !issue.depends_on.is_empty(), issue.because.is_empty()));
    issues
}

fn concerns(issue: &KnownIssue, from: &str, to: &str) -> bool {
    issue.from.contains(from) == Some(true) && issue.to.contains(to) == Some(true)
}

/// Returns the version that is upgraded, and the releases to which it may be.
fn path<'a>(
    table: &'a UpgradeTable,
    upgrades: &Shown<Upgrade>,
    running: Option<&'a Release>,
    targets: &[UpgradeTarget],
) -> Option<(&'a str, Vec<String>)> {
    let in_progress = upgrades.items.iter().find(|upgrade| upgrade.completed.is_none()).and_then(|upgrade| {
        let to = table.release(upgrade.version.as_deref()?)?;
        // The operator itself is upgraded on the way, so that the running version may be the target already.
        let from = table.release(upgrade.previous_version.as_deref()?)?;
        Some((from.name.as_str(), vec![to.name.clone()]))
    });
    in_progress.or_else(|| Some((&*running?.name, targets.iter().map(|target| target.version.clone()).collect())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn upgrade(from: &str, to: &str, completed: Option<bool>) -> Shown<Upgrade> {
        let upgrade = Upgrade {
            version: Some(to.to_owned()),
            previous_version: Some(from.to_owned()),
            completed,
            ..Upgrade::default()
        };
        Shown::first(vec![upgrade], 9, None)
    }

    #[test]
    fn an_upgrade_in_progress_is_asked_about_before_the_next_one() {
        let table = UpgradeTable::embedded();
        let running = table.release("1.4.2");
        let next = super::super::targets::targets(table, running.unwrap());
        let path = |upgrades: &Shown<Upgrade>| path(table, upgrades, running, &next).unwrap();
        assert_eq!(path(&upgrade("v1.4.1", "v1.4.2", None)), ("1.4.1", vec!["1.4.2".to_owned()]));
        let ended = path(&upgrade("v1.4.1", "v1.4.2", Some(true)));
        assert_eq!((ended.0, ended.1.len()), ("1.4.2", 4));
        let unknown = path(&upgrade("v1.4.1-rc1", "v1.4.2", None));
        assert_eq!(unknown, ended, "no table has release candidates");
    }
}
