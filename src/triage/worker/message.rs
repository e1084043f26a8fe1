//! What the parent and its workers say to each other: one JSON document a line, on the worker's standard input and output.
//!
//! The first [`Order`] sets the worker up and is answered by [`Answer::Ready`]. Each [`Order::Task`] that wants findings is
//! answered by [`Answer::Hashed`] if it asks for that, which waits for [`Order::Verdict`], and then by [`Answer::Done`] unless the
//! verdict was to leave it; one that wants reports is answered by [`Answer::Reported`].

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::bundle::Limits;
use crate::rule::Source;

/// Bytes of one message; more cannot be the result of one file with the bounds of [`crate::triage::worker`].
pub const LONGEST: u64 = 1 << 30;

/// From the parent.
#[derive(Debug, Serialize, Deserialize)]
pub enum Order {
    Setup(Setup),
    Task(Task),
    /// Whether the task that was hashed is to be analysed.
    Verdict {
        go: bool,
    },
}

/// What all tasks share.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Setup {
    pub rules: Vec<Text>,
    pub streams: Text,
    pub limits: Limits,
}

/// A file of rules.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Text {
    pub file: String,
    pub text: String,
}

impl From<&Source> for Text {
    fn from(source: &Source) -> Self {
        Self { file: source.file.clone(), text: source.text.clone() }
    }
}

impl From<Text> for Source {
    fn from(text: Text) -> Self {
        Self { file: text.file, text: text.text }
    }
}

/// One file or folder to analyse.
#[derive(Debug, Serialize, Deserialize)]
pub struct Task {
    path: Vec<u8>,
    pub want: Want,
    /// Where a file of an object store is fetched to first.
    pub spool: Option<PathBuf>,
}

/// What a file is analysed for.
#[derive(Debug, Serialize, Deserialize)]
pub enum Want {
    Findings {
        /// Say the SHA-256 of the file first and wait for a verdict.
        hash: bool,
        /// Run these rules only; all of them if none are named.
        rules: Option<Vec<String>>,
    },
    Reports(Vec<Page>),
}

/// The report of a bundle in a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Page {
    /// Where the bundle lies in the file.
    pub place: String,
    /// What it must be.
    pub content_id: Option<String>,
    to: Vec<u8>,
}

impl Page {
    /// The report of the bundle at a place in the file, if it is still that content, written to a path.
    pub fn new(place: String, content_id: Option<String>, to: &Path) -> Self {
        Self { place, content_id, to: bytes(to) }
    }

    /// Where the report is written.
    pub fn to(&self) -> PathBuf {
        PathBuf::from(os_string(&self.to))
    }
}

impl Task {
    /// A task; names that are not UTF-8 arrive as they are.
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

/// From a worker.
#[derive(Debug, Serialize, Deserialize)]
pub enum Answer {
    Ready,
    /// Of the file of the task.
    Hashed {
        sha256: String,
    },
    Done {
        outcome: Outcome,
        seconds: f64,
    },
    /// Of each page, in their order, why it could not be written.
    Reported {
        failures: Vec<Option<String>>,
    },
}

/// What became of a file or folder.
#[derive(Debug, Serialize, Deserialize)]
pub enum Outcome {
    /// The bundles in it, sorted by place; at least one.
    Analysed(Vec<Analysed>),
    /// It can be read and is no support bundle; why.
    NoBundle(String),
    /// It cannot be analysed; why.
    Unreadable(String),
}

/// What was found in one bundle. Texts name no path of the archive, so that copies have equal results.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Analysed {
    /// Where it lies in the file: `inner.zip`, `folder`; empty when it is the file itself.
    pub place: String,
    pub kind: String,
    pub content_id: String,
    /// Nothing of it is damaged, refused or lost.
    pub whole: bool,
    pub collector: Option<String>,
    pub collector_version: Option<String>,
    pub cluster_uid: Option<String>,
    pub cluster_name: Option<String>,
    pub collected_at: Option<String>,
    pub entries: u64,
    /// Why neither objects nor logs were read.
    pub unread: Option<String>,
    /// Product and version.
    pub versions: Vec<(String, String)>,
    pub nodes: Vec<Node>,
    /// What and why.
    pub not_collected: Vec<(String, String)>,
    pub findings: Vec<Finding>,
    pub outcomes: Vec<RuleOutcome>,
    pub issues: Vec<IssueRow>,
}

/// A node of the cluster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    pub name: String,
    pub ready: Option<bool>,
    /// JSON array.
    pub roles: String,
    pub collected: bool,
}

/// A finding; of its texts those that no rule can tell again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    pub rule: String,
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
    pub first_seen: Option<String>,
    pub last_seen: Option<String>,
    /// JSON array, as in the JSON report; the first pieces.
    pub evidence: String,
    /// How many pieces of evidence there are.
    pub evidence_count: u64,
}

/// What a rule says of a bundle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RuleOutcome {
    pub rule: String,
    pub outcome: RuleState,
    /// Why it is not evaluated or not applicable.
    pub reason: Option<String>,
}

/// The four outcomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RuleState {
    Fired,
    Clean,
    NotEvaluated,
    NotApplicable,
}

impl RuleState {
    /// As in the JSON report.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fired => "fired",
            Self::Clean => "clean",
            Self::NotEvaluated => "not_evaluated",
            Self::NotApplicable => "not_applicable",
        }
    }
}

/// What could not be read or decided.
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
    fn paths_arrive_as_they_are() {
        let path = PathBuf::from(os_string(b"/tmp/\xff/a.html"));
        let page = Page::new("inner.zip".to_owned(), None, &path);
        let task = Task::new(&path, Want::Reports(vec![page]));
        let said = serde_json::to_string(&Order::Task(task)).unwrap();
        let Order::Task(heard) = serde_json::from_str(&said).unwrap() else { panic!("{said}") };
        let Want::Reports(pages) = &heard.want else { panic!("{said}") };
        assert_eq!((heard.path(), pages[0].to()), (path.clone(), path));
    }
}
