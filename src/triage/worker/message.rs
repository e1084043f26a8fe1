//! Messages between the parent and its workers: one JSON document per line, on standard input and output of the worker.
//!
//! The first [`Order`] sets up the worker, which answers [`Answer::Ready`]. For a [`Order::Task`] that wants findings the worker
//! sends [`Answer::Hashed`] if requested and waits for [`Order::Verdict`]; then it sends [`Answer::Done`], unless the verdict was to
//! skip the file. For a task that wants reports it sends [`Answer::Reported`].

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::bundle::Limits;
use crate::model::RuleCollection;
use crate::rule::Source;

/// Largest message in bytes; results of one file are smaller.
pub const LONGEST: u64 = 1 << 30;

/// Message from the parent.
#[derive(Debug, Serialize, Deserialize)]
pub enum Order {
    Setup(Setup),
    Task(Task),
    /// Decision whether to analyse the hashed file.
    Verdict {
        go: bool,
    },
}

/// Rules and limits of all tasks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Setup {
    pub rules: Vec<RuleText>,
    pub streams: RuleText,
    pub known_lines: Vec<RuleText>,
    pub collections: Vec<RuleCollection>,
    pub limits: Limits,
}

/// RuleText of a rule file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RuleText {
    pub file: String,
    pub text: String,
}

impl From<&Source> for RuleText {
    fn from(source: &Source) -> Self {
        Self { file: source.file.clone(), text: source.text.clone() }
    }
}

impl From<RuleText> for Source {
    fn from(text: RuleText) -> Self {
        Self { file: text.file, text: text.text }
    }
}

/// File or folder to analyse.
#[derive(Debug, Serialize, Deserialize)]
pub struct Task {
    path: Vec<u8>,
    pub want: Want,
    /// Folder for downloads from an object store.
    pub spool: Option<PathBuf>,
}

/// Results that a task asks for.
#[derive(Debug, Serialize, Deserialize)]
pub enum Want {
    Findings {
        /// Send the SHA-256 of the file first and wait for a verdict.
        hash: bool,
        /// Rules to run; none means all.
        rules: Option<Vec<String>>,
    },
    Reports(Vec<ReportPage>),
}

/// Report of a bundle in a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReportPage {
    /// Place of the bundle in the file.
    pub place: String,
    /// Expected content.
    pub content_id: Option<String>,
    to: Vec<u8>,
}

impl ReportPage {
    /// Requests a report of the bundle at this place, if it still has this content.
    pub fn new(place: String, content_id: Option<String>, to: &Path) -> Self {
        Self { place, content_id, to: bytes(to) }
    }

    /// Returns the path of the report.
    pub fn to(&self) -> PathBuf {
        PathBuf::from(os_string(&self.to))
    }
}

impl Task {
    /// Creates a task; paths that are not UTF-8 are preserved.
    pub fn new(path: &Path, want: Want) -> Self {
        Self { path: bytes(path), want, spool: None }
    }

    /// The file or folder.
    pub fn path(&self) -> PathBuf {
        PathBuf::from(os_string(&self.path))
    }
}

/// JSON has no paths that are not UTF-8.
fn bytes(path: &Path) -> Vec<u8> {
    path.as_os_str().as_encoded_bytes().to_vec()
}

#[cfg(unix)]
fn os_string(bytes: &[u8]) -> OsString {
    use std::os::unix::ffi::OsStrExt;
    std::ffi::OsStr::from_bytes(bytes).to_owned()
}

#[cfg(not(unix))]
fn os_string(bytes: &[u8]) -> OsString {
    String::from_utf8_lossy(bytes).into_owned().into()
}

/// Message from a worker.
#[derive(Debug, Serialize, Deserialize)]
pub enum Answer {
    Ready,
    /// Checksum of the file of the task.
    Hashed {
        sha256: String,
    },
    Done {
        outcome: Outcome,
        seconds: f64,
    },
    /// For each page, in order, the reason why it could not be written.
    Reported {
        failures: Vec<Option<String>>,
    },
}

/// Result for a file or folder.
#[derive(Debug, Serialize, Deserialize)]
pub enum Outcome {
    /// Bundles in the file, sorted by place; at least one.
    Analysed(Vec<Analysed>),
    /// Readable, but no support bundle, with the reason.
    NoBundle(String),
    /// Cannot be analysed, with the reason.
    Unreadable(String),
}

/// Results for one bundle. Texts have no path of the archive, so that copies have equal results.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Analysed {
    /// Place in the file: `inner.zip`, `folder`; empty if the bundle is the file itself.
    pub place: String,
    pub kind: String,
    pub content_id: String,
    /// Nothing of the bundle is truncated or unreadable.
    pub whole: bool,
    pub collector: Option<String>,
    pub collector_version: Option<String>,
    pub cluster_uid: Option<String>,
    pub cluster_name: Option<String>,
    pub collected_at: Option<Timestamp>,
    /// Address of the issue, as the bundle states it.
    pub issue_url: Option<String>,
    pub entries: u64,
    /// Reason why neither objects nor logs were read.
    pub unread: Option<String>,
    /// Pairs of product and version.
    pub versions: Vec<(String, String)>,
    pub nodes: Vec<Node>,
    /// Pairs of what was not collected and the reason.
    pub not_collected: Vec<(String, String)>,
    pub findings: Vec<Finding>,
    pub outcomes: Vec<RuleOutcome>,
    pub issues: Vec<IssueRow>,
    /// Templates of logs that report trouble; none if they were not counted.
    pub templates: Option<Vec<TemplateRow>>,
}

/// Template of a bundle's logs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemplateRow {
    pub level: String,
    /// Words, and `<*>` for what varies; secrets are masked.
    pub text: String,
    pub lines: u64,
    /// Rules that fired and matched some of the lines, sorted.
    pub rules: Vec<String>,
}

/// Node of the cluster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    pub name: String,
    pub ready: Option<bool>,
    /// JSON array.
    pub roles: String,
    pub collected: bool,
}

/// Finding, with the texts that are specific to the bundle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    pub rule: String,
    pub name: String,
    pub class: String,
    pub severity: String,
    pub confidence: String,
    pub area: String,
    pub title: String,
    pub message: String,
    /// JSON array, as in the JSON report.
    pub objects: String,
    pub fingerprint: String,
    pub explained_by: Option<String>,
    pub count: u64,
    pub first_seen: Option<Timestamp>,
    pub last_seen: Option<Timestamp>,
    /// JSON array of the first pieces, as in the JSON report.
    pub evidence: String,
    /// Number of all pieces of evidence.
    pub evidence_count: u64,
}

/// Outcome of a rule for a bundle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RuleOutcome {
    pub rule: String,
    pub outcome: RuleState,
    /// Reason for not evaluated or not applicable.
    pub reason: Option<String>,
}

/// Outcome in a store, where clean only where collected counts as not evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RuleState {
    Fired,
    Clean,
    NotEvaluated,
    NotApplicable,
}

impl RuleState {
    /// Returns the name in the JSON report.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fired => "fired",
            Self::Clean => "clean",
            Self::NotEvaluated => "not_evaluated",
            Self::NotApplicable => "not_applicable",
        }
    }
}

/// Issue: something that could not be read or decided.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct IssueRow {
    pub entry: Option<String>,
    pub line: Option<u64>,
    pub kind: String,
    pub message: String,
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn paths_that_are_not_utf8_are_preserved() {
        let path = PathBuf::from(os_string(b"/tmp/\xff/a.html"));
        let page = ReportPage::new("inner.zip".to_owned(), None, &path);
        let task = Task::new(&path, Want::Reports(vec![page]));
        let said = serde_json::to_string(&Order::Task(task)).unwrap();
        let Order::Task(heard) = serde_json::from_str(&said).unwrap() else { panic!("{said}") };
        let Want::Reports(pages) = &heard.want else { panic!("{said}") };
        assert_eq!((heard.path(), pages[0].to()), (path.clone(), path));
    }
}
