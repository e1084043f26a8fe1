//! Whether a Harvester cluster may be upgraded, and what stands in the way.

use super::ObjectRef;
use super::inventory::{Shown, Upgrade};
use super::message::Reason;

/// What is known of the next upgrade of a Harvester cluster, and of one in progress.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UpgradeReadiness {
    /// Date of the table of releases and checks; nothing that came later is in it.
    pub as_of: String,
    /// Running version as the bundle states it; none if it does not.
    pub version: Option<String>,
    /// The running release; none if the table does not have it, and then no target is known.
    pub release: Option<KnownRelease>,
    /// Releases to which Harvester lets this version be upgraded, oldest first.
    pub targets: Vec<UpgradeTarget>,
    /// Official checks that apply to the running version, in the order of the table.
    pub checks: Vec<UpgradeCheck>,
    /// Fingerprints of findings of class obstacle that no official check is about.
    pub other: Vec<String>,
    /// Upgrades that have not ended, latest first.
    pub unfinished: Shown<Upgrade>,
    /// What happens in the phases and node states of the upgrades.
    pub stages: Vec<UpgradeStage>,
    /// Known issues of the upgrade in progress; without one, of those to the targets. Those that are shown to fit come first.
    pub known_issues: Vec<UpgradeIssue>,
}

/// Answer about an upgrade as a whole; the first that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UpgradeVerdict {
    /// An upgrade is in progress; another one would be refused.
    InProgress,
    /// A check fails, or another finding stands in the way.
    Blocked,
    /// No check fails, and some have no answer in the bundle.
    Open,
    /// All checks passed.
    Passed,
}

impl UpgradeVerdict {
    /// Returns the word in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InProgress => "in progress",
            Self::Blocked => "blocked",
            Self::Open => "open",
            Self::Passed => "passed",
        }
    }
}

impl UpgradeReadiness {
    /// Returns the answer as a whole. An unknown version leaves it open: which checks apply and what may follow is not known then.
    pub fn verdict(&self) -> UpgradeVerdict {
        let any = |wanted: fn(&CheckOutcome) -> bool| self.checks.iter().any(|check| wanted(&check.outcome));
        if self.unfinished.items.iter().any(|upgrade| upgrade.completed.is_none()) {
            UpgradeVerdict::InProgress
        } else if !self.other.is_empty() || any(|outcome| matches!(outcome, CheckOutcome::Failed { .. })) {
            UpgradeVerdict::Blocked
        } else if self.release.is_none() || any(|outcome| matches!(outcome, CheckOutcome::Open(_))) {
            UpgradeVerdict::Open
        } else {
            UpgradeVerdict::Passed
        }
    }

    /// Returns the checks that fail.
    pub fn failed(&self) -> impl Iterator<Item = &UpgradeCheck> {
        self.checks.iter().filter(|check| matches!(check.outcome, CheckOutcome::Failed { .. }))
    }

    /// Returns the checks without an answer.
    pub fn open(&self) -> impl Iterator<Item = &UpgradeCheck> {
        self.checks.iter().filter(|check| matches!(check.outcome, CheckOutcome::Open(_)))
    }

    /// Returns the checks that passed.
    pub fn passed(&self) -> impl Iterator<Item = &UpgradeCheck> {
        self.checks.iter().filter(|check| check.outcome == CheckOutcome::Passed)
    }

    /// Returns what happens in a phase or a state of a node.
    pub fn stage(&self, name: &str) -> Option<&str> {
        self.stages.iter().find(|stage| stage.name == name).map(|stage| stage.means.as_str())
    }
}

/// The running release in the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownRelease {
    /// Date of its release.
    pub released: String,
    /// Minor line such as `1.4`.
    pub line: String,
    /// What the project says of the line: `end of life`, `stable`; none if the table does not say.
    pub support: Option<String>,
    /// Name and version of what it brings.
    pub components: Vec<(String, String)>,
}

/// Release to which the cluster may be upgraded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpgradeTarget {
    /// Version such as `1.4.2`.
    pub version: String,
    pub released: String,
    /// False if Harvester allows the upgrade and no page of its documentation describes it.
    pub documented: bool,
    /// Name and version of what it brings: `longhorn`, `1.8.1`.
    pub components: Vec<(String, String)>,
}

/// What the documentation tells of upgrades between some releases, as far as it may concern this cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpgradeIssue {
    pub id: String,
    pub means: String,
    /// Releases whose upgrade has it.
    pub targets: Vec<String>,
    /// Conditions that this cluster meets: `the cluster has two nodes`.
    pub because: Vec<String>,
    /// Conditions that the bundle does not answer.
    pub depends_on: Vec<String>,
    /// Release of Harvester that no longer has it.
    pub fixed_in: Option<String>,
    /// Fingerprints of findings that show it.
    pub findings: Vec<String>,
    pub link: Option<String>,
}

/// Check that Harvester's admission webhook or its pre-check script makes before an upgrade.
#[derive(Clone, Debug, PartialEq)]
pub struct UpgradeCheck {
    pub id: String,
    /// What it looks at: `Nodes not ready or cordoned`.
    pub name: String,
    /// True if the webhook of the running version makes it: Harvester refuses an upgrade that does not pass.
    pub webhook: bool,
    /// Name of the check in the pre-check script, if that makes it for the running version.
    pub script: Option<String>,
    /// Rules that answer it; none if objects do alone.
    pub rules: Vec<String>,
    pub outcome: CheckOutcome,
    /// What its rules leave alone because it usually ends by itself.
    pub except: Option<String>,
}

/// Outcome of an official check on the bundle.
#[derive(Clone, Debug, PartialEq)]
pub enum CheckOutcome {
    Passed,
    Failed {
        /// Fingerprints.
        findings: Vec<String>,
        /// Objects that fail it apart from findings.
        objects: Shown<ObjectRef>,
    },
    /// Reasons why the bundle does not answer it, each once.
    Open(Vec<Reason>),
}

/// Phase of an upgrade or state of a node, with what happens in it and what usually holds it up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpgradeStage {
    pub name: String,
    pub means: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(outcome: CheckOutcome) -> UpgradeCheck {
        UpgradeCheck {
            id: "nodes".into(),
            name: "All nodes are ready".into(),
            webhook: true,
            script: None,
            rules: vec![],
            outcome,
            except: None,
        }
    }

    #[test]
    fn only_answers_make_a_cluster_ready() {
        let release =
            KnownRelease { released: "2025-03-11".into(), line: "1.4".into(), support: None, components: vec![] };
        let failed = || CheckOutcome::Failed { findings: vec!["f".into()], objects: Shown::default() };
        let with = |outcomes: Vec<CheckOutcome>| UpgradeReadiness {
            release: Some(release.clone()),
            checks: outcomes.into_iter().map(check).collect(),
            ..UpgradeReadiness::default()
        };
        let open = || CheckOutcome::Open(vec![Reason::CollectionTimeUnknown]);
        let passed = with(vec![CheckOutcome::Passed, CheckOutcome::Passed]);
        assert_eq!(passed.verdict(), UpgradeVerdict::Passed);
        assert_eq!(with(vec![CheckOutcome::Passed, open()]).verdict(), UpgradeVerdict::Open);
        assert_eq!(with(vec![open(), failed()]).verdict(), UpgradeVerdict::Blocked);
        let unknown = UpgradeReadiness { release: None, ..passed.clone() };
        assert_eq!(unknown.verdict(), UpgradeVerdict::Open, "which checks apply is not known");
        let hindered = UpgradeReadiness { other: vec!["f".into()], ..passed.clone() };
        assert_eq!(hindered.verdict(), UpgradeVerdict::Blocked);
        let ended = Upgrade { completed: Some(false), ..Upgrade::default() };
        let running = |upgrade| UpgradeReadiness { unfinished: Shown::first(vec![upgrade], 9, None), ..passed.clone() };
        assert_eq!(running(Upgrade::default()).verdict(), UpgradeVerdict::InProgress);
        assert_eq!(running(ended).verdict(), UpgradeVerdict::Passed);
    }
}
