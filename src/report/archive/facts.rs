//! Data that the pages of an archive show, filled in by the store of results. Each content counts once, however often
//! it is in the archive.

use jiff::Timestamp;

use crate::model::difference::{Changed, Side};
use crate::model::{Analysis, TimedText};

/// Bundle with its location in the archive.
#[derive(Clone, Debug, Default)]
pub struct Bundle {
    /// Folder that was searched.
    pub input: String,
    /// File or folder below it.
    pub path: String,
    /// Path of the bundle within the file; empty if it is the file.
    pub place: String,
    pub kind: String,
    /// Main product with its version.
    pub product: Option<String>,
    pub version: Option<String>,
    pub cluster_uid: Option<String>,
    pub cluster_name: Option<String>,
    pub collected_at: Option<Timestamp>,
    /// What people know about the file.
    pub ticket: Option<String>,
    pub customer: Option<String>,
    /// How the ticket ended.
    pub resolution: Option<String>,
}

/// Outcomes of rules, counted in bundles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub fired: u64,
    pub clean: u64,
    pub not_evaluated: u64,
    pub not_applicable: u64,
}

impl Counts {
    /// Returns the number of bundles for which there is an answer.
    pub fn evaluated(&self) -> u64 {
        self.fired + self.clean
    }

    /// Adds bundles with an outcome, given by its name in JSON.
    pub fn add(&mut self, outcome: &str, bundles: u64) {
        match outcome {
            "fired" => self.fired += bundles,
            "clean" => self.clean += bundles,
            "not_applicable" => self.not_applicable += bundles,
            _ => self.not_evaluated += bundles,
        }
    }
}

/// Month with its bundles and the outcomes of rules in them.
#[derive(Clone, Debug, Default)]
pub struct Month {
    /// `2026-03`.
    pub name: String,
    pub bundles: u64,
    /// Those of them whose most severe cause is a critical or high fault.
    pub grave: u64,
}

/// Product with its versions, ascending.
#[derive(Clone, Debug, Default)]
pub struct Product {
    pub name: String,
    pub versions: Vec<Version>,
    /// Number of bundles of other versions.
    pub others: u64,
}

impl Product {
    /// Returns the number of bundles with a known version.
    pub fn bundles(&self) -> u64 {
        self.versions.iter().map(|version| version.bundles).sum::<u64>() + self.others
    }
}

/// Version with its bundles.
#[derive(Clone, Debug, Default)]
pub struct Version {
    pub name: String,
    pub bundles: u64,
}

/// Rule with its outcomes.
#[derive(Clone, Debug, Default)]
pub struct Rule {
    pub id: String,
    pub severity: String,
    pub area: String,
    pub title: String,
    pub counts: Counts,
    pub findings: u64,
    /// Number of bundles in which it found a cause, and not only symptoms of another.
    pub causes: u64,
    /// False for obstacles, risks and notes; of a rule that fired.
    pub is_fault: bool,
    /// Times of collection of the first and last bundle in which it fired.
    pub first: Option<Timestamp>,
    pub last: Option<Timestamp>,
    /// In the order of [`Overview::months`].
    pub months: Vec<Counts>,
    /// In the order of [`Overview::products`] and their versions.
    pub products: Vec<Vec<Counts>>,
}

/// Overview of the whole archive.
#[derive(Clone, Debug, Default)]
pub struct Overview {
    /// Number of files and folders searched.
    pub files: u64,
    /// Number of analysed bundles, copies included.
    pub analysed: u64,
    /// Number of distinct bundles.
    pub bundles: u64,
    /// Number of distinct bundles without a finding.
    pub quiet: u64,
    /// Number of those that were not read, or for which no rule has an answer.
    pub unanswered: u64,
    /// Number of analysed bundles whose file no longer exists.
    pub gone: u64,
    /// Number of rows that are not analysed, by status.
    pub statuses: Vec<(String, u64)>,
    /// Number of findings by severity, most severe first.
    pub severities: Vec<(String, u64)>,
    pub kinds: Vec<(String, u64)>,
    /// Times of collection of the first and last bundle.
    pub first: Option<Timestamp>,
    pub last: Option<Timestamp>,
    /// In order of time, without months that have no bundles.
    pub months: Vec<Month>,
    /// Number of bundles of months before those.
    pub earlier: u64,
    /// Number of bundles without a time of collection.
    pub undated: u64,
    /// Sorted by number of bundles, largest first.
    pub products: Vec<Product>,
    /// Sorted by id.
    pub rules: Vec<Rule>,
    /// Clusters with several bundles, those with the most first.
    pub clusters: Vec<ClusterLine>,
    /// First distinct bundles without a finding.
    pub unexplained: Vec<Quiet>,
    /// First rows that are not analysed.
    pub failures: Vec<Failure>,
    /// Templates of logs of which no rule that fired matched a line; those of most clusters first.
    pub templates: Vec<TemplateLine>,
    /// Number of all of them.
    pub all_templates: u64,
    /// Templates that are more frequent in bundles without a finding than in others, the most typical first.
    pub common: Vec<TemplateLine>,
    /// Templates that no bundle before the newest month has, those of most clusters first.
    pub new_templates: Vec<TemplateLine>,
    /// Quarter of the newest bundle.
    pub quarter: Option<Quarter>,
    /// Customers, those with most critical bundles first.
    pub customers: Vec<CustomerLine>,
    /// Reasons for *not evaluated*, those that left most questions open first.
    pub reasons: Vec<UnansweredReason>,
    /// Number of bundles of which templates are stored, and of those without a finding.
    pub surveyed: [u64; 2],
}

impl Overview {
    /// Returns the rule with an id.
    pub fn rule(&self, id: &str) -> Option<&Rule> {
        let at = self.rules.binary_search_by(|rule| rule.id.as_str().cmp(id)).ok()?;
        self.rules.get(at)
    }
}

/// Problems of a quarter.
#[derive(Clone, Debug, Default)]
pub struct Quarter {
    /// `2025-Q4`.
    pub name: String,
    pub bundles: u64,
    /// Sorted by rule.
    pub problems: Vec<Problem>,
}

/// Rule that found causes.
#[derive(Clone, Debug, Default)]
pub struct Problem {
    pub rule: String,
    pub bundles: u64,
    /// Main product, minor version and number of bundles; empty where they are not known.
    pub versions: Vec<(String, String, u64)>,
}

/// Customer with his bundles.
#[derive(Clone, Debug, Default)]
pub struct CustomerLine {
    pub name: String,
    pub bundles: u64,
    pub tickets: u64,
    /// Number of bundles whose most severe cause is a critical, or a high fault.
    pub critical: u64,
    pub high: u64,
    /// Time of collection of the last bundle.
    pub last: Option<Timestamp>,
}

/// Bundle of a customer.
#[derive(Clone, Debug, Default)]
pub struct CustomerBundle {
    /// With the ticket of this customer.
    pub bundle: Bundle,
    pub worst: Option<FindingLine>,
}

/// Reason why rules were not evaluated.
#[derive(Clone, Debug, Default)]
pub struct UnansweredReason {
    pub text: TimedText,
    pub rules: u64,
    pub bundles: u64,
}

/// Template of lines that report trouble.
#[derive(Clone, Debug, Default)]
pub struct TemplateLine {
    pub level: String,
    pub text: String,
    pub clusters: u64,
    pub bundles: u64,
    /// Those of them without a finding.
    pub quiet: u64,
    pub first: Option<Timestamp>,
    pub last: Option<Timestamp>,
}

/// Bundle in which no rule fired.
#[derive(Clone, Debug, Default)]
pub struct Quiet {
    pub bundle: Bundle,
    pub counts: Counts,
    /// Number of things that could not be read or decided.
    pub issues: u64,
    /// Reason why neither objects nor logs were read.
    pub unread: Option<TimedText>,
    /// Most telling template of its logs that no rule knows.
    pub template: Option<String>,
}

/// File that is not analysed.
#[derive(Clone, Debug, Default)]
pub struct Failure {
    pub bundle: Bundle,
    pub status: String,
    pub error: String,
}

/// Cluster in the list of clusters.
#[derive(Clone, Debug, Default)]
pub struct ClusterLine {
    pub uid: String,
    pub name: Option<String>,
    pub bundles: u64,
    pub first: Option<Timestamp>,
    pub last: Option<Timestamp>,
    /// Changes between the last two bundles; none if their order is not known.
    pub latest: Option<ChangeCounts>,
}

/// Number of changed findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChangeCounts {
    pub new: u64,
    pub gone: u64,
    pub still: u64,
    pub not_comparable: u64,
}

/// Rule in all bundles.
#[derive(Clone, Debug, Default)]
pub struct RuleDetail {
    /// Bundles in which it fired, limited, the latest first.
    pub hits: Vec<Hit>,
    /// Rules that fired in the same bundles, the most frequent first.
    pub related: Vec<RelatedRule>,
    /// Reasons why it was not evaluated, with the number of bundles; the most frequent first.
    pub reasons: Vec<(TimedText, u64)>,
    /// Number of other reasons.
    pub more_reasons: u64,
}

/// Findings of a rule in a bundle.
#[derive(Clone, Debug, Default)]
pub struct Hit {
    pub bundle: Bundle,
    pub severity: String,
    /// Title of the most severe finding.
    pub title: TimedText,
    pub findings: u64,
}

/// Rule that fired in the same bundles as another.
#[derive(Clone, Debug, Default)]
pub struct RelatedRule {
    pub rule: String,
    /// Number of bundles in which both fired.
    pub together: u64,
    /// Number of bundles in which it fired.
    pub fired: u64,
}

/// Cluster with its bundles.
#[derive(Clone, Debug, Default)]
pub struct Cluster {
    pub line: ClusterLine,
    /// Bundles, the latest first.
    pub steps: Vec<Step>,
    /// Number of bundles before those.
    pub earlier: u64,
    /// First bundles without a time of collection.
    pub undated: Vec<Bundle>,
    /// Number of further ones.
    pub more_undated: u64,
}

/// Bundle of a cluster.
#[derive(Clone, Debug, Default)]
pub struct Step {
    pub bundle: Bundle,
    pub findings: u64,
    /// Changes since the bundle before it.
    pub change: Option<Change>,
}

/// Changes from one bundle to the next.
#[derive(Clone, Debug, Default)]
pub struct Change {
    pub counts: ChangeCounts,
    /// First findings of each, most severe first.
    pub new: Vec<FindingLine>,
    pub gone: Vec<FindingLine>,
    pub not_comparable: Vec<NotComparable>,
    pub versions: Vec<Changed>,
    pub nodes: Vec<Changed>,
    /// The bundle without any node, if the other one has nodes.
    pub without_nodes: Option<Side>,
}

/// Finding in one line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FindingLine {
    pub rule: String,
    pub severity: String,
    pub title: TimedText,
}

/// Finding of one bundle for which the other has no answer.
#[derive(Clone, Debug)]
pub struct NotComparable {
    pub finding: FindingLine,
    /// Bundle that has it.
    pub side: Side,
    pub reason: TimedText,
}

/// Bundle that is like another one.
#[derive(Clone, Debug)]
pub struct Alike {
    pub bundle: Bundle,
    pub percent: u64,
    /// Rules that fired in both.
    pub rules: Vec<String>,
    /// Number of templates without a rule that both have.
    pub templates: u64,
}

/// What people know about the file of a bundle.
#[derive(Clone, Debug, Default)]
pub struct TicketFacts {
    pub ticket: Option<String>,
    pub customer: Option<String>,
    pub product: Option<String>,
    /// How the ticket ended.
    pub resolution: Option<String>,
}

/// Stored bundle with its findings.
#[derive(Clone, Debug)]
pub struct BundleDetail {
    pub bundle: Bundle,
    pub ticket: TicketFacts,
    /// Analysis, as far as it is stored.
    pub analysis: Analysis,
    /// Number of findings that are not in this analysis.
    pub more_findings: u64,
    /// Number of issues that are not in this analysis.
    pub more_issues: u64,
    /// Number of pieces of evidence that were not stored.
    pub more_evidence: u64,
    /// First files with the same content.
    pub copies: Vec<Bundle>,
    pub more_copies: u64,
    pub gone: bool,
    /// True if there are several bundles of the cluster.
    pub has_cluster_page: bool,
    /// Bundles that are most like it.
    pub alike: Vec<Alike>,
}

/// Result of analysing a bundle again.
#[derive(Clone, Debug)]
pub enum Again {
    /// Not requested.
    Not,
    /// The report is stored under [`super::names::report`].
    Report,
    /// Failed, with the reason.
    Failed(String),
}
