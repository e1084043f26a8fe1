//! The complete result of an analysis, as reports receive it.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use jiff::civil::Date;

use crate::model::message::{CollectorSigns, CollectorVersion, Doubt, GapReason, GapSubject, Reason};
use crate::model::{
    Finding, FindingClass, Inventory, Issue, Lang, RuleCollection, RuleFacts, Severity, Unexplained, Unhealthy,
    UpgradeReadiness,
};

/// All results for one bundle.
#[derive(Clone, Debug)]
pub struct Analysis {
    pub bundle: BundleFacts,
    /// Language of findings and of reports for people; texts without a translation are in English.
    pub lang: Lang,
    /// Findings sorted by rule and subject; reports rank them.
    pub findings: Vec<Finding>,
    pub rules: RuleOutcomes,
    /// The rules that were run, sorted by id; none if no report shows them.
    pub catalogue: Vec<RuleFacts>,
    /// Collections that the rules are from, in the order in which they replace each other; those without a name are left out.
    pub collections: Vec<RuleCollection>,
    /// Classes whose rules were run; empty for all.
    pub classes: Vec<FindingClass>,
    /// True if names are replaced by pseudonyms.
    pub redacted: bool,
    /// Findings that a baseline removed; none without a baseline.
    pub accepted: Option<Accepted>,
    /// Older bundle of the cluster with which the findings are compared.
    pub older: Option<OlderBundle>,
    /// Sorted by place.
    pub issues: Vec<Issue>,
    /// What is not healthy, apart from findings; none in rule tests and where nothing was read.
    pub unhealthy: Option<Unhealthy>,
    /// Whether the cluster may be upgraded; none in rule tests, where there is no Harvester, and without the rules about it.
    pub upgrade: Option<UpgradeReadiness>,
    /// Errors in logs that no rule explains; none unless requested.
    pub unexplained: Option<Unexplained>,
    /// The state of the cluster as the bundle shows it; none unless requested.
    pub inventory: Option<Inventory>,
    /// Stages in the order of the pipeline; empty unless requested.
    pub timings: Vec<Timing>,
    pub run: Run,
}

/// Time and bytes of one stage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    pub stage: String,
    /// Elapsed time; for parts of a stage the sum over all threads.
    pub time: Duration,
    /// Expanded bytes processed; 0 if the stage is not measured in bytes.
    pub bytes: u64,
}

impl Timing {
    /// Creates the timing of a stage that is not measured in bytes.
    pub fn of(stage: &str, time: Duration) -> Self {
        Self { stage: stage.to_owned(), time, bytes: 0 }
    }

    /// Returns 10^6 bytes per second; none if bytes or time are not measured.
    pub fn megabytes_per_second(&self) -> Option<f64> {
        let seconds = self.time.as_secs_f64();
        (self.bytes > 0 && seconds > 0.0).then(|| self.bytes as f64 / 1e6 / seconds)
    }
}

/// Settings of the analysis, so that others can repeat it. Settings that do not change reports are left out.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// Command-line arguments that affect the result, including the bundle; empty without a command line.
    pub arguments: Vec<String>,
    /// Rule folders in addition to the embedded rules, as given.
    pub rule_folders: Vec<String>,
    /// Flag and value of each limit that applied.
    pub limits: Vec<(String, String)>,
    /// Peak memory of the process so far, in bytes; none unless timings are requested and the system reports it.
    pub peak_memory: Option<u64>,
}

impl Analysis {
    /// Returns true if a finding, folded ones included, counts as a failure.
    pub fn fails(&self, fail_on: Option<Severity>) -> bool {
        self.findings.iter().any(|finding| self.is_failure(finding, fail_on))
    }

    /// Returns true if a finding reaches the threshold and is a fault, or of a class that was asked for; always false
    /// without a threshold.
    pub fn is_failure(&self, finding: &Finding, fail_on: Option<Severity>) -> bool {
        let counts = match self.classes.as_slice() {
            [] => finding.class == FindingClass::Fault,
            classes => classes.contains(&finding.class),
        };
        counts && fail_on.is_some_and(|least| finding.severity >= least)
    }
}

/// Findings left out because they were accepted earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accepted {
    pub hidden: usize,
}

/// Older bundle of the cluster, and how many findings changed since.
#[derive(Clone, Debug, Default)]
pub struct OlderBundle {
    pub path: String,
    pub collected_at: Option<Timestamp>,
    /// Reasons why the two may not be comparable.
    pub doubts: Vec<Doubt>,
    pub new: u64,
    pub gone: u64,
    /// Findings whose rule was not evaluated in one of the two.
    pub unknown: u64,
}

/// Facts about the bundle itself.
#[derive(Clone, Debug, Default)]
pub struct BundleFacts {
    /// Path as given on the command line.
    pub path: String,
    /// `harvester`, `longhorn`, `rancher`, ..., `generic`.
    pub kind: String,
    /// SHA-256 of the given file in hex; none for a directory.
    pub sha256: Option<String>,
    /// SHA-256 in hex over the sorted lines "entry NUL size NUL CRC-32".
    pub content_id: String,
    pub collector: Option<Collector>,
    pub collected_at: Option<Timestamp>,
    /// What the person who collected the bundle wrote about the problem.
    pub reported: Reported,
    pub cluster_uid: Option<String>,
    pub cluster_name: Option<String>,
    /// Version by product (`harvester`, `longhorn`, `kubernetes`, `rke2`, `rancher`, ...).
    pub versions: BTreeMap<String, String>,
    /// End of life by product, where it is known.
    pub ends_of_life: BTreeMap<String, EndOfLife>,
    pub nodes: Vec<NodeFacts>,
    pub logs: LogSpan,
    pub not_collected: Vec<NotCollected>,
    /// Reason why neither objects nor logs were read, so that the lack of findings means nothing; none if the layout is
    /// supported.
    pub unread: Option<Reason>,
    /// Entries in the bundle, nested ones included.
    pub entries: u64,
    /// Size of the container; for a directory the sum of its files.
    pub bytes: u64,
}

impl BundleFacts {
    /// Returns the collection time if nothing states it, and it is only a day from which ages count.
    pub fn assumed_now(&self) -> Option<Timestamp> {
        self.collected_at.filter(|_| self.not_collected.iter().any(NotCollected::assumes_time))
    }
}

/// The last day on which the makers of a release fix it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndOfLife {
    pub date: Date,
    /// Date of the sources.
    pub as_of: Date,
}

/// The problem as described by the person who collected the bundle, secrets masked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reported {
    pub description: Option<String>,
    /// Address of the ticket.
    pub url: Option<String>,
}

/// The program that made the bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collector {
    pub name: String,
    pub version: Option<CollectorVersion>,
    /// Entries that identify it.
    pub why: CollectorSigns,
}

/// One node of the cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeFacts {
    pub name: String,
    /// Condition Ready; none when unknown.
    pub ready: Option<bool>,
    /// Roles from the labels, sorted.
    pub roles: Vec<String>,
    /// True if the bundle holds the node's own logs and files.
    pub collected: bool,
}

/// Time range that logs cover.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogSpan {
    pub from: Option<Timestamp>,
    pub to: Option<Timestamp>,
}

/// Data that such a bundle usually holds and that was not collected.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NotCollected {
    pub what: GapSubject,
    pub why: GapReason,
}

impl NotCollected {
    /// Returns true if nothing states when the bundle was collected, and a day from which ages count is taken for it.
    pub fn assumes_time(&self) -> bool {
        matches!(self.why, GapReason::DayOfRules { .. })
    }
}

/// Outcome of every rule; each rule is in exactly one list. All lists are sorted by id.
#[derive(Clone, Debug, Default)]
pub struct RuleOutcomes {
    pub fired: Vec<String>,
    /// Of those that fired: where there may be more findings, with the part that was not collected.
    pub fired_partly: Vec<RuleReason>,
    pub clean: Vec<String>,
    /// Found nothing in what was collected; with the part that was not.
    pub clean_partly: Vec<RuleReason>,
    pub not_evaluated: Vec<RuleReason>,
    pub not_applicable: Vec<RuleReason>,
}

impl RuleOutcomes {
    /// Returns the rules whose silence does not prove that there is nothing: not evaluated, or clean only where collected.
    pub fn unproven(&self) -> impl Iterator<Item = &RuleReason> {
        self.not_evaluated.iter().chain(&self.clean_partly)
    }

    /// Returns what was not collected and may hold more findings of a rule that fired.
    pub fn uncovered(&self, rule: &str) -> Option<&Reason> {
        self.fired_partly.iter().find(|of| of.rule == rule).map(|of| &of.reason)
    }

    /// Returns the number of rules.
    pub fn count(&self) -> usize {
        let Self { fired, fired_partly: _, clean, clean_partly, not_evaluated, not_applicable } = self;
        fired.len() + clean.len() + clean_partly.len() + not_evaluated.len() + not_applicable.len()
    }
}

/// Reason why a rule has no answer, or only one for a part.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RuleReason {
    pub rule: String,
    pub reason: Reason,
}
