//! Groups of hits and the lines that stand for them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;

use crate::model::Histogram;

/// Hits with the same key.
#[derive(Clone, Debug, PartialEq)]
pub struct HitGroup {
    /// Values of `by`, in its order; unknown ones are empty. Behind them the source, if it does not tell its writer.
    pub key: Vec<String>,
    /// Captures of the last hit, those of `by` included; at most 1 KiB each, damaged UTF-8 replaced.
    /// A capture that took no part in the match is absent.
    pub captures: BTreeMap<String, String>,
    /// Distinct values of each capture; at most 100 each.
    pub all: BTreeMap<String, BTreeSet<String>>,
    pub count: u64,
    pub first: Option<Timestamp>,
    pub last: Option<Timestamp>,
    /// Times of the hits, as far as they are known.
    pub times: Histogram,
    /// Number of hits without a time.
    pub undated: u64,
    pub first_hit: Sample,
    pub last_hit: Sample,
    /// With `max`, the hit that gave captures, node, pod and source; `None` if no value could be measured.
    pub largest: Option<Box<Largest>>,
    /// Node, pod and source of the last hit; the node of a pod log is taken from its Pod object.
    pub node: Option<String>,
    /// `namespace/name`.
    pub pod: Option<String>,
    /// Entry of the last hit.
    pub source: Arc<str>,
    /// True if the source of all hits does not tell its writer: neither node nor pod is known, and both are the same for all its lines.
    pub has_unknown_writer: bool,
    /// True if somebody pasted the lines: one may stand for many.
    pub is_pasted: bool,
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
    /// Part of the text that the pattern matched, as far as it is in view; empty if that is not known.
    pub matched: String,
    pub before: Vec<String>,
    pub after: Vec<String>,
}
