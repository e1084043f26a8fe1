//! What a rule has to say about a bundle, with its proof.

use crate::model::{Histogram, ObjectRef};

/// How much a finding hurts; ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    Info,
    Low,
    Medium,
    High,
    Critical,
}

impl Severity {
    /// All of them, most severe first.
    pub const ALL: [Self; 5] = [Self::Critical, Self::High, Self::Medium, Self::Low, Self::Info];

    /// The name used in rules, JSON and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }

    /// The severity of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.as_str() == name)
    }
}

/// How sure a rule is of itself; ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    Hint,
    Likely,
    Certain,
}

impl Confidence {
    /// All of them, surest first.
    pub const ALL: [Self; 3] = [Self::Certain, Self::Likely, Self::Hint];

    /// The name used in rules, JSON and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Hint => "hint",
            Self::Likely => "likely",
            Self::Certain => "certain",
        }
    }

    /// The confidence of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|c| c.as_str() == name)
    }
}

/// One thing that is wrong with the bundle's cluster, according to one rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Id of the rule.
    pub rule: String,
    pub severity: Severity,
    pub confidence: Confidence,
    /// Area of the rule, e.g. `storage`.
    pub area: String,
    pub title: String,
    pub message: String,
    pub impact: String,
    pub cause: String,
    /// Version ranges in which the fault exists, by product; as the rule states them.
    pub affects: Vec<(String, String)>,
    /// Versions that fix it, by product; as the rule states them.
    pub fixed_in: Vec<(String, String)>,
    /// The objects it concerns; the first is its subject. Empty for findings about logs of unknown origin.
    pub objects: Vec<ObjectRef>,
    pub remedy: Vec<RemedyStep>,
    pub verify: Option<String>,
    pub links: Vec<String>,
    /// The proof; never empty.
    pub evidence: Vec<Evidence>,
    /// How often it was seen: hits of its logs and events, else 1.
    pub count: u64,
    /// When: of the hits of logs whose time is known; empty where there are none.
    pub seen: Histogram,
    /// RFC 3339, UTC.
    pub first_seen: Option<String>,
    /// RFC 3339, UTC.
    pub last_seen: Option<String>,
    /// Stable across bundles of one cluster: hex of a hash over rule and identity, no times.
    pub fingerprint: String,
    /// Fingerprint of the top cause that explains this finding.
    pub explained_by: Option<String>,
}

/// One step of the way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemedyStep {
    /// Its place among the steps of the rule, from 0 on; those that do not apply here count too.
    pub position: usize,
    /// What to do, in words.
    pub action: String,
    /// A command, filled in.
    pub run: Option<String>,
    /// What may be lost.
    pub caution: Option<String>,
}

/// One piece of proof: a field or some lines of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// The fact of the rule that it proves.
    pub fact: String,
    /// Path of the entry (see [`crate::model::Origin::entry`]).
    pub entry: String,
    /// 1-based line; none when a whole entry, or its absence, is the proof.
    pub line: Option<u64>,
    /// Field path such as `status.conditions[2].status`; none for logs.
    pub field: Option<String>,
    /// The value of the field, or what the absence means (`not in ...`).
    pub value: Option<String>,
    /// What of the line of a log the pattern matched; only in view where the excerpt still shows it.
    pub matched: Option<String>,
    /// The line with its neighbours.
    pub excerpt: Vec<ExcerptLine>,
}

/// One line of an excerpt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExcerptLine {
    /// 1-based line in the entry.
    pub line: u64,
    /// Text, cut to a bounded length, invalid UTF-8 replaced, secrets masked.
    pub text: String,
    /// Whether this is the line that proves it, not a neighbour.
    pub hit: bool,
}
