//! Groups of hits and the lines that stand for them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;

use crate::model::Histogram;

/// Hits that belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct HitGroup {
    /// Values of `by`, in its order; what is not known is empty.
    pub key: Vec<String>,
    /// Captures of the last hit, those of `by` included; at most 1 KiB each, damaged UTF-8 replaced.
    /// A group of the pattern that took no part in the match is absent.
    pub captures: BTreeMap<String, String>,
    /// Distinct values of each capture; at most 100 each.
    pub all: BTreeMap<String, BTreeSet<String>>,
    pub count: u64,
    pub first: Option<Timestamp>,
    pub last: Option<Timestamp>,
    /// When, as far as it is known.
    pub times: Histogram,
    /// Hits whose time is not known.
    pub undated: u64,
    pub first_hit: Sample,
    pub last_hit: Sample,
    /// With `max`, the hit that gave captures, node, pod and source; none where no value could be measured.
    pub largest: Option<Box<Largest>>,
    /// Node, pod and source of the last hit; node of a pod log as its Pod object says.
    pub node: Option<String>,
    /// `namespace/name`.
    pub pod: Option<String>,
    /// Entry of the last hit.
    pub source: Arc<str>,
}

/// The hit with the largest value of a capture.
#[derive(Clone, Debug, PartialEq)]
pub struct Largest {
    /// See [`crate::model::measure::magnitude`].
    pub value: f64,
    pub time: Option<Timestamp>,
    pub hit: Sample,
    pub captures: BTreeMap<String, String>,
    pub node: Option<String>,
    pub pod: Option<String>,
    pub source: Arc<str>,
}

/// One hit with its neighbours, for evidence: whole lines, at most 400 characters each, without control
/// characters and escape sequences. A match further right is brought into view.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sample {
    pub entry: Arc<str>,
    /// 1-based.
    pub line: u64,
    pub text: String,
    /// What of the text the pattern matched, as far as it is in view; empty if it cannot be told.
    pub matched: String,
    pub before: Vec<String>,
    pub after: Vec<String>,
}
