//! The complete result given to reports.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::model::message::{CollectorSigns, CollectorVersion, GapReason, GapSubject, Reason};
use crate::model::{Finding, Inventory, Issue, Lang, RuleFacts, Severity};

/// Everything that is known about one bundle.
#[derive(Clone, Debug)]
pub struct Analysis {
    pub bundle: BundleFacts,
    /// Of the texts of findings and of reports for people; what a rule has no translation of is English.
    pub lang: Lang,
    /// By rule and by what they are about; reports rank them.
    pub findings: Vec<Finding>,
    pub rules: RuleOutcomes,
    /// The rules that were run, sorted by id.
    pub catalogue: Vec<RuleFacts>,
    /// Whether names are pseudonyms.
    pub redacted: bool,
    /// What a baseline took out; none without one.
    pub accepted: Option<Accepted>,
    /// Sorted by place.
    pub issues: Vec<Issue>,
    /// What the bundle shows of the cluster itself; none unless asked for.
    pub inventory: Option<Inventory>,
    /// Stages in the order of the pipeline; empty unless asked for.
    pub timings: Vec<Timing>,
    pub run: Run,
}

/// What a stage took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    pub stage: String,
    /// From beginning to end; of parts of a stage the sum over all threads.
    pub time: Duration,
    /// Expanded bytes that it went through; 0 where bytes say nothing.
    pub bytes: u64,
}

impl Timing {
    /// A stage that goes through no bytes.
    pub fn of(stage: &str, time: Duration) -> Self {
        Self { stage: stage.to_owned(), time, bytes: 0 }
    }

    /// In 10^6 bytes a second; none where bytes or time say nothing.
    pub fn megabytes_per_second(&self) -> Option<f64> {
        let seconds = self.time.as_secs_f64();
        (self.bytes > 0 && seconds > 0.0).then(|| self.bytes as f64 / 1e6 / seconds)
    }
}

/// How the analysis was asked for, so that somebody else can ask again. Nothing that leaves the reports as they are.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// Arguments of the program that shape the result, the bundle among them; empty when no command line was used.
    pub arguments: Vec<String>,
    /// Folders with rules beside those of the program, as given.
    pub rule_folders: Vec<String>,
    /// Flag and value of each limit in force.
    pub limits: Vec<(String, String)>,
    /// Most memory that the process has held so far, in bytes; none unless timings are asked for and the system tells.
    pub peak_memory: Option<u64>,
}

impl Analysis {
    /// Whether there is a finding at or above the threshold, folded ones included; without one nothing fails.
    pub fn fails(&self, fail_on: Option<Severity>) -> bool {
        fail_on.is_some_and(|least| self.findings.iter().any(|finding| finding.severity >= least))
    }
}

/// Findings that are left out because they were accepted earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accepted {
    pub hidden: usize,
}

/// What the bundle is.
#[derive(Clone, Debug, Default)]
pub struct BundleFacts {
    /// As given on the command line.
    pub path: String,
    /// `harvester`, `longhorn`, `rancher`, ..., `generic`.
    pub kind: String,
    /// Of the file given; none for a directory. Hex.
    pub sha256: Option<String>,
    /// SHA-256 over the sorted lines "entry NUL size NUL CRC-32". Hex.
    pub content_id: String,
    pub collector: Option<Collector>,
    /// RFC 3339, UTC.
    pub collected_at: Option<String>,
    pub cluster_uid: Option<String>,
    pub cluster_name: Option<String>,
    /// Version by product (`harvester`, `longhorn`, `kubernetes`, `rke2`, `rancher`, ...).
    pub versions: BTreeMap<String, String>,
    pub nodes: Vec<NodeFacts>,
    pub logs: LogSpan,
    pub not_collected: Vec<NotCollected>,
    /// Why neither objects nor logs of the bundle were read, so that nothing found means nothing; none when its layout
    /// is one that is read.
    pub unread: Option<Reason>,
    /// Entries in the bundle, nested ones included.
    pub entries: u64,
    /// Size of the container; for a directory the sum of its files.
    pub bytes: u64,
}

/// The program that made the bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collector {
    pub name: String,
    pub version: Option<CollectorVersion>,
    /// Which entries tell so.
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
    /// Whether the bundle holds the node's own logs and files.
    pub collected: bool,
}

/// The time that logs cover, RFC 3339, UTC.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogSpan {
    pub from: Option<String>,
    pub to: Option<String>,
}

/// Something that one would expect in such a bundle.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NotCollected {
    pub what: GapSubject,
    pub why: GapReason,
}

/// The outcome of every rule; each rule is in exactly one list. All sorted by id.
#[derive(Clone, Debug, Default)]
pub struct RuleOutcomes {
    pub fired: Vec<String>,
    pub clean: Vec<String>,
    pub not_evaluated: Vec<RuleReason>,
    pub not_applicable: Vec<RuleReason>,
}

/// Why a rule has no answer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RuleReason {
    pub rule: String,
    pub reason: Reason,
}
