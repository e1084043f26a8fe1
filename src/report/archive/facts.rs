//! What an archive of bundles shows, as plain data; whoever has a store of results fills it in. Each content counts once,
//! however often it is in the archive. Times are RFC 3339 in UTC.

use crate::model::Analysis;
use crate::model::difference::{Changed, Side};

/// A bundle in its place.
#[derive(Clone, Debug, Default)]
pub struct Bundle {
    /// The folder that was searched.
    pub input: String,
    /// The file or folder below it.
    pub path: String,
    /// Where the bundle lies in the file; empty: it is the file.
    pub place: String,
    pub kind: String,
    /// The product that says most about it, with its version.
    pub product: Option<String>,
    pub version: Option<String>,
    pub cluster_uid: Option<String>,
    pub cluster_name: Option<String>,
    pub collected_at: Option<String>,
}

/// What rules said, in bundles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub fired: u64,
    pub clean: u64,
    pub not_evaluated: u64,
    pub not_applicable: u64,
}

impl Counts {
    /// Bundles for which there is an answer.
    pub fn evaluated(&self) -> u64 {
        self.fired + self.clean
    }

    /// Adds bundles with an outcome, by its name in JSON.
    pub fn add(&mut self, outcome: &str, bundles: u64) {
        match outcome {
            "fired" => self.fired += bundles,
            "clean" => self.clean += bundles,
            "not_applicable" => self.not_applicable += bundles,
            _ => self.not_evaluated += bundles,
        }
    }
}

/// A month with its bundles, and rules by what they said in them.
#[derive(Clone, Debug, Default)]
pub struct Month {
    /// `2026-03`.
    pub name: String,
    pub bundles: u64,
}

/// A product with its versions, ascending.
#[derive(Clone, Debug, Default)]
pub struct Product {
    pub name: String,
    pub versions: Vec<Version>,
    /// Bundles of further versions.
    pub others: u64,
}

impl Product {
    /// Bundles that tell its version.
    pub fn bundles(&self) -> u64 {
        self.versions.iter().map(|version| version.bundles).sum::<u64>() + self.others
    }
}

/// A version with its bundles.
#[derive(Clone, Debug, Default)]
pub struct Version {
    pub name: String,
    pub bundles: u64,
}

/// A rule and what it said.
#[derive(Clone, Debug, Default)]
pub struct Rule {
    pub id: String,
    pub severity: String,
    pub area: String,
    pub title: String,
    pub counts: Counts,
    pub findings: u64,
    /// When the first and the last of the bundles were collected in which it fired.
    pub first: Option<String>,
    pub last: Option<String>,
    /// As [`Overview::months`].
    pub months: Vec<Counts>,
    /// As [`Overview::products`] and their versions.
    pub products: Vec<Vec<Counts>>,
}

/// The whole archive.
#[derive(Clone, Debug, Default)]
pub struct Overview {
    /// Files and folders that were looked at.
    pub files: u64,
    /// Bundles that were analysed, copies included.
    pub analysed: u64,
    /// Contents.
    pub bundles: u64,
    /// Contents without a finding.
    pub quiet: u64,
    /// Of those that were not read, or for which no rule has an answer.
    pub unanswered: u64,
    /// Analysed bundles whose file is not there any more.
    pub gone: u64,
    /// Rows that are not analysed, by status.
    pub statuses: Vec<(String, u64)>,
    /// Findings by severity, most severe first.
    pub severities: Vec<(String, u64)>,
    pub kinds: Vec<(String, u64)>,
    /// When the first and the last bundle were collected.
    pub first: Option<String>,
    pub last: Option<String>,
    /// In order of time; months without bundles are not there.
    pub months: Vec<Month>,
    /// Bundles of months before those.
    pub earlier: u64,
    /// Bundles that do not tell when they were collected.
    pub undated: u64,
    /// The product of the most bundles first.
    pub products: Vec<Product>,
    /// Sorted by id.
    pub rules: Vec<Rule>,
    /// Clusters of which there are several bundles, the most first.
    pub clusters: Vec<ClusterLine>,
    /// The first of the contents without a finding.
    pub unexplained: Vec<Quiet>,
    /// The first of the rows that are not analysed.
    pub failures: Vec<Failure>,
}

/// A bundle in which no rule fired.
#[derive(Clone, Debug, Default)]
pub struct Quiet {
    pub bundle: Bundle,
    pub counts: Counts,
    /// What could not be read or decided.
    pub issues: u64,
    /// Why neither objects nor logs were read.
    pub unread: Option<String>,
}

/// A file that is not analysed.
#[derive(Clone, Debug, Default)]
pub struct Failure {
    pub bundle: Bundle,
    pub status: String,
    pub error: String,
}

/// A cluster in the list of all.
#[derive(Clone, Debug, Default)]
pub struct ClusterLine {
    pub uid: String,
    pub name: Option<String>,
    pub bundles: u64,
    pub first: Option<String>,
    pub last: Option<String>,
    /// Between the last two bundles; none where their order is not known.
    pub latest: Option<ChangeCounts>,
}

/// How many findings changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChangeCounts {
    pub new: u64,
    pub gone: u64,
    pub still: u64,
    pub untold: u64,
}

/// A rule in all bundles.
#[derive(Clone, Debug, Default)]
pub struct RuleDetail {
    /// The first of the bundles in which it fired, the latest first.
    pub hits: Vec<Hit>,
    /// Rules that fired in the same bundles, the most often first.
    pub beside: Vec<Beside>,
    /// Why it was not evaluated, with the number of bundles; the most first.
    pub reasons: Vec<(String, u64)>,
    /// Further reasons.
    pub more_reasons: u64,
}

/// Findings of a rule in a bundle.
#[derive(Clone, Debug, Default)]
pub struct Hit {
    pub bundle: Bundle,
    pub severity: String,
    /// Of the most severe one.
    pub title: String,
    pub findings: u64,
}

/// A rule that fired beside another.
#[derive(Clone, Debug, Default)]
pub struct Beside {
    pub rule: String,
    /// Bundles in which both fired.
    pub together: u64,
    /// Bundles in which it fired.
    pub fired: u64,
}

/// A cluster with its bundles.
#[derive(Clone, Debug, Default)]
pub struct Cluster {
    pub line: ClusterLine,
    /// The latest first.
    pub steps: Vec<Step>,
    /// Bundles before those.
    pub earlier: u64,
    /// The first of the bundles that do not tell when they were collected.
    pub undated: Vec<Bundle>,
    /// Further ones.
    pub more_undated: u64,
}

/// A bundle of a cluster.
#[derive(Clone, Debug, Default)]
pub struct Step {
    pub bundle: Bundle,
    pub findings: u64,
    /// Against the bundle before it.
    pub change: Option<Change>,
}

/// What changed from one bundle to the next.
#[derive(Clone, Debug, Default)]
pub struct Change {
    pub counts: ChangeCounts,
    /// The first of each, most severe first.
    pub new: Vec<Told>,
    pub gone: Vec<Told>,
    pub untold: Vec<Untold>,
    pub versions: Vec<Changed>,
    pub nodes: Vec<Changed>,
    /// The bundle that tells no node, where the other one does.
    pub without_nodes: Option<Side>,
}

/// A finding in one line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    pub rule: String,
    pub severity: String,
    pub title: String,
}

/// A finding of one bundle, of which the other says nothing.
#[derive(Clone, Debug)]
pub struct Untold {
    pub told: Told,
    /// The bundle that has it.
    pub side: Side,
    pub reason: String,
}

/// A bundle with what was found in it.
#[derive(Clone, Debug)]
pub struct BundleDetail {
    pub bundle: Bundle,
    /// As far as it is stored.
    pub analysis: Analysis,
    /// Findings that are not in the analysis here.
    pub more_findings: u64,
    /// Issues that are not in the analysis here.
    pub more_issues: u64,
    /// Pieces of evidence that were not stored.
    pub more_evidence: u64,
    /// The first of the files that hold the same.
    pub copies: Vec<Bundle>,
    pub more_copies: u64,
    pub gone: bool,
    /// Whether there are several bundles of the cluster.
    pub has_cluster_page: bool,
}

/// What became of analysing a bundle again.
#[derive(Clone, Debug)]
pub enum Again {
    /// Nobody asked for it.
    Not,
    /// Its report lies in the place of [`super::names::report`].
    Report,
    /// Why there is none.
    Failed(String),
}
