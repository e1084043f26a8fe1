//! The value of `upgrade` in `gleaner.analysis/v1`.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;

use crate::model::UpgradeReadiness;
use crate::model::inventory::{Condition, NodeUpgrade, Upgrade};
use crate::model::upgrade::{CheckOutcome, KnownRelease, UpgradeCheck, UpgradeIssue, UpgradeTarget};

use super::object::Object;

#[derive(Serialize)]
pub(super) struct UpgradeOut<'a> {
    verdict: &'static str,
    as_of: &'a str,
    version: Option<&'a str>,
    release: Option<Release<'a>>,
    targets: Vec<Target<'a>>,
    checks: Vec<Check<'a>>,
    other: &'a [String],
    known_issues: Vec<Issue<'a>>,
    unfinished: Vec<Unfinished<'a>>,
}

impl<'a> UpgradeOut<'a> {
    pub(super) fn of(readiness: &'a UpgradeReadiness) -> Self {
        Self {
            verdict: readiness.verdict().as_str(),
            as_of: &readiness.as_of,
            version: readiness.version.as_deref(),
            release: readiness.release.as_ref().map(Release::of),
            targets: readiness.targets.iter().map(Target::of).collect(),
            checks: readiness.checks.iter().map(Check::of).collect(),
            other: &readiness.other,
            known_issues: readiness.known_issues.iter().map(Issue::of).collect(),
            unfinished: readiness.unfinished.items.iter().map(|of| Unfinished::of(of, readiness)).collect(),
        }
    }
}

#[derive(Serialize)]
struct Release<'a> {
    released: &'a str,
    line: &'a str,
    support: Option<&'a str>,
    components: BTreeMap<&'a str, &'a str>,
}

impl<'a> Release<'a> {
    fn of(release: &'a KnownRelease) -> Self {
        Self {
            released: &release.released,
            line: &release.line,
            support: release.support.as_deref(),
            components: components(&release.components),
        }
    }
}

fn components(of: &[(String, String)]) -> BTreeMap<&str, &str> {
    of.iter().map(|(name, version)| (name.as_str(), version.as_str())).collect()
}

#[derive(Serialize)]
struct Target<'a> {
    version: &'a str,
    released: &'a str,
    documented: bool,
    components: BTreeMap<&'a str, &'a str>,
}

impl<'a> Target<'a> {
    fn of(target: &'a UpgradeTarget) -> Self {
        Self {
            version: &target.version,
            released: &target.released,
            documented: target.documented,
            components: components(&target.components),
        }
    }
}

#[derive(Serialize)]
struct Issue<'a> {
    id: &'a str,
    means: &'a str,
    targets: &'a [String],
    because: &'a [String],
    depends_on: &'a [String],
    fixed_in: Option<&'a str>,
    findings: &'a [String],
    link: Option<&'a str>,
}

impl<'a> Issue<'a> {
    fn of(issue: &'a UpgradeIssue) -> Self {
        Self {
            id: &issue.id,
            means: &issue.means,
            targets: &issue.targets,
            because: &issue.because,
            depends_on: &issue.depends_on,
            fixed_in: issue.fixed_in.as_deref(),
            findings: &issue.findings,
            link: issue.link.as_deref(),
        }
    }
}

#[derive(Serialize)]
struct Check<'a> {
    id: &'a str,
    name: &'a str,
    webhook: bool,
    script: Option<&'a str>,
    rules: &'a [String],
    outcome: &'static str,
    findings: &'a [String],
    objects: Vec<Object<'a>>,
    objects_left_out: usize,
    reasons: Vec<String>,
    except: Option<&'a str>,
}

impl<'a> Check<'a> {
    fn of(check: &'a UpgradeCheck) -> Self {
        let without = Self {
            id: &check.id,
            name: &check.name,
            webhook: check.webhook,
            script: check.script.as_deref(),
            rules: &check.rules,
            outcome: "passed",
            findings: &[],
            objects: Vec::new(),
            objects_left_out: 0,
            reasons: Vec::new(),
            except: check.except.as_deref(),
        };
        match &check.outcome {
            CheckOutcome::Passed => without,
            CheckOutcome::Failed { findings, objects } => Self {
                outcome: "failed",
                findings,
                objects: objects.items.iter().map(Object::of).collect(),
                objects_left_out: objects.left_out,
                ..without
            },
            CheckOutcome::Open(reasons) => {
                Self { outcome: "open", reasons: reasons.iter().map(ToString::to_string).collect(), ..without }
            }
        }
    }
}

#[derive(Serialize)]
struct Unfinished<'a> {
    namespace: &'a str,
    name: &'a str,
    version: Option<&'a str>,
    previous_version: Option<&'a str>,
    state: Option<&'a str>,
    created: Option<Timestamp>,
    waits_for: Vec<Phase<'a>>,
    nodes: Vec<Node<'a>>,
}

impl<'a> Unfinished<'a> {
    fn of(upgrade: &'a Upgrade, readiness: &'a UpgradeReadiness) -> Self {
        let waits = upgrade.conditions.iter().filter(|condition| condition.status.as_deref() != Some("True"));
        Self {
            namespace: &upgrade.namespace,
            name: &upgrade.name,
            version: upgrade.version.as_deref(),
            previous_version: upgrade.previous_version.as_deref(),
            state: upgrade.state.as_deref(),
            created: upgrade.created,
            waits_for: waits.map(|condition| Phase::of(condition, readiness)).collect(),
            nodes: upgrade.nodes.iter().map(|node| Node::of(node, readiness)).collect(),
        }
    }
}

#[derive(Serialize)]
struct Phase<'a> {
    condition: &'a str,
    status: Option<&'a str>,
    since: Option<Timestamp>,
    reason: Option<&'a str>,
    message: Option<&'a str>,
    means: Option<&'a str>,
}

impl<'a> Phase<'a> {
    fn of(condition: &'a Condition, readiness: &'a UpgradeReadiness) -> Self {
        Self {
            condition: &condition.name,
            status: condition.status.as_deref(),
            since: condition.at,
            reason: condition.reason.as_deref(),
            message: condition.message.as_deref(),
            means: readiness.stage(&condition.name),
        }
    }
}

#[derive(Serialize)]
struct Node<'a> {
    node: &'a str,
    state: Option<&'a str>,
    since: Option<Timestamp>,
    reason: Option<&'a str>,
    message: Option<&'a str>,
    means: Option<&'a str>,
}

impl<'a> Node<'a> {
    fn of(node: &'a NodeUpgrade, readiness: &'a UpgradeReadiness) -> Self {
        Self {
            node: &node.node,
            state: node.state.as_deref(),
            since: node.since,
            reason: node.reason.as_deref(),
            message: node.message.as_deref(),
            means: node.state.as_deref().and_then(|state| readiness.stage(state)),
        }
    }
}
