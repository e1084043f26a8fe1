//! Logs: sources, patterns, one pass over each, groups of hits.
//!
//! All log facts of all rules become [`LogQuery`]s of one [`PatternSet`]. Each [`LogSource`] is
//! scanned once while it streams by; only groups of hits with samples are kept. The [`LogIndex`]
//! merges what the sources gave and answers a query with its [`HitGroup`]s.
//!
//! Patterns see a line without the stamp that the kubelet or the journal put before it and without
//! line end: `2022-03-06T22:53:45.217338826Z text` is `text`, `Mar 06 22:45:28 n1 kernel: x` is
//! `n1 kernel: x`. A query may ask for the lines without stamp that follow a line as one text with it. At most 1 MiB of it ([`Scanner::max_line`]), as bytes. A line's time is that stamp, else one that the
//! program wrote, else that of the nearest earlier line with one, else none.

mod boot;
mod burst;
mod clean;
mod copies;
mod covered;
mod dating;
mod entry;
mod expression;
mod grams;
mod group;
mod hits;
mod index;
mod journal;
mod jq;
mod kept;
mod latest;
mod line;
mod literal;
mod mask;
mod memo;
mod merge;
mod pattern;
mod plan;
mod runtime;
mod sample;
mod scan;
pub mod sequence;
mod source;
#[cfg(test)]
mod tests;
mod text;
mod time;
mod window;
mod year;
mod zone;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::model::Histogram;
pub use burst::{Tally, Values, heaviest};
pub use expression::{validate, written_captures};
pub use hits::Hit;
pub use index::LogIndex;
pub use journal::is_note;
pub use jq::{Filter, FilterError};
pub use latest::latest;
pub use literal::{RequiredLiteral, required_literal};
pub use pattern::{Clock, PatternError, PatternSet, QueryPart};
pub use scan::{Scanner, SourceHits};

/// One stream: a container of a pod, or a unit of a node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LogSource {
    /// Path of the entry.
    pub entry: Arc<str>,
    pub origin: SourceOrigin,
}

/// Who wrote a log.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SourceOrigin {
    /// A container of a pod, or all of them, one after the other, if its name is empty; `previous` is the instance before
    /// the last restart.
    Container { namespace: String, pod: String, container: String, previous: bool },
    /// A unit or log file of a node, by file stem: `kernel`, `rke2-server`, `kubelet`... The node is empty where nobody
    /// says which it was.
    Unit { node: String, unit: String },
    /// Any other text file, e.g. the collector's own errors.
    File,
}

/// Which sources a query reads; every given part must match. Globs with `*`, `?`, `[..]`, `{a,b}`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selector {
    /// Alternatives: a source matches when one of them does; without any, none does.
    pub any: Vec<SourceGlob>,
}

/// One alternative of a [`Selector`]; parts that are none match everything of the same kind of source.
///
/// `namespace`, `pod` and `container` only match containers, `node` and `unit` only units: where a
/// pod ran is not known while its log is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceGlob {
    pub namespace: Option<String>,
    pub pod: Option<String>,
    pub container: Option<String>,
    pub node: Option<String>,
    /// Unit of a node.
    pub unit: Option<String>,
    /// Path of the entry without archive layers (`nodes/n1/logs/kernel.log`).
    pub path: Option<String>,
}

/// What says which hits belong together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GroupKey {
    Capture(String),
    Node,
    Pod,
    Source,
}

/// How many hits make a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AtLeast {
    Hits(u64),
    /// Distinct values of a capture.
    Distinct(String, u64),
}

/// One log fact of a rule, ready to be scanned for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogQuery {
    pub selector: Selector,
    /// Alternatives, tried in order; a line that matches one is a hit.
    pub patterns: Vec<String>,
    /// A line that matches one of these is none.
    pub except: Vec<String>,
    /// A filter of jq that must be true of the JSON in a line, see [`Filter`].
    pub jq: Option<String>,
    /// Lines older than this before the collection are none; lines without time cannot be told.
    pub since: Option<SignedDuration>,
    /// Only lines since the last boot of their node count.
    pub boot_current: bool,
    /// Lines of that time after a boot of their node do not count.
    pub after_boot: Option<SignedDuration>,
    pub by: Vec<GroupKey>,
    pub counting: Counting,
    /// Keeps every hit by itself ([`LogAnswer::hits`]) instead of groups.
    pub single: bool,
    /// Patterns see a line with the lines without time stamp that follow it.
    pub multiline: bool,
}

/// How the hits of a group are counted, and which of them stands for it; of lines as of events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counting {
    pub at_least: Option<AtLeast>,
    /// `at_least` must be reached within that time; a group is then the stretch of time that holds the most.
    pub within: Option<SignedDuration>,
    /// A capture whose distinct values are counted instead of hits.
    pub distinct: Option<String>,
    /// A capture whose largest value says which hit stands for the group.
    pub max: Option<String>,
}

impl Counting {
    /// The capture whose distinct values decide whether a group is large enough, if hits do not.
    pub fn counted_values(&self) -> Option<&str> {
        match &self.at_least {
            Some(AtLeast::Distinct(capture, _)) => Some(capture),
            _ => self.distinct.as_deref(),
        }
    }

    /// Whether a group with so many hits, or values if these are counted, is large enough.
    pub fn is_enough(&self, count: u64, values_of: impl Fn(&str) -> u64) -> bool {
        match &self.at_least {
            None => count > 0,
            Some(AtLeast::Hits(least)) => count >= *least,
            Some(AtLeast::Distinct(capture, least)) => values_of(capture) >= *least,
        }
    }
}

/// Index of a query in its [`PatternSet`].
pub type QueryId = usize;

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

/// The answer to a query.
#[derive(Clone, Debug, Default)]
pub struct LogAnswer {
    /// Sorted by key.
    pub groups: Vec<HitGroup>,
    /// Of a query for single hits, those whose time is known: sorted by time, then by entry and line.
    pub hits: Vec<Hit>,
    /// How many sources the query could read.
    pub sources: usize,
    /// Why some sources are known to be missing.
    pub missing: Vec<String>,
    /// Matching lines that could not be placed in time.
    pub undated: u64,
    /// Earliest and latest time of the sources, but for clocks that were not set: what was rotated away or cut off lies outside.
    pub covered: (Option<Timestamp>, Option<Timestamp>),
}
