//! Findings of rules, with their evidence.

use std::borrow::Cow;
use std::cmp::Reverse;

use jiff::Timestamp;

use crate::model::version::Range;
use crate::model::{Before, CheckedComponent, DirectCause, Histogram, ObjectRef, TimedText};

/// Severity of a finding; ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    Info,
    Low,
    Medium,
    High,
    Critical,
}

impl Severity {
    /// All severities, most severe first.
    pub const ALL: [Self; 5] = [Self::Critical, Self::High, Self::Medium, Self::Low, Self::Info];

    /// Returns the name used in rules, JSON and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }

    /// Returns the severity with that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.as_str() == name)
    }
}

/// Class of a finding: what it means for the cluster now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FindingClass {
    /// Something is broken.
    #[default]
    Fault,
    /// Nothing is broken, but an upgrade or another operation is blocked.
    Obstacle,
    /// Nothing is broken yet.
    Risk,
    /// A fact worth knowing.
    Info,
}

impl FindingClass {
    /// All classes, most urgent first.
    pub const ALL: [Self; 4] = [Self::Fault, Self::Obstacle, Self::Risk, Self::Info];

    /// Returns the name used in rules, JSON and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fault => "fault",
            Self::Obstacle => "obstacle",
            Self::Risk => "risk",
            Self::Info => "info",
        }
    }

    /// Returns the class with that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.as_str() == name)
    }
}

/// Whether an older bundle of the cluster has a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Novelty {
    New,
    Known,
    /// Its rule was not evaluated there.
    Unknown,
}

impl Novelty {
    /// Returns the name used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Known => "known",
            Self::Unknown => "unknown",
        }
    }
}

/// Confidence of a rule in its finding; ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    Hint,
    Likely,
    Certain,
}

impl Confidence {
    /// All confidences, most certain first.
    pub const ALL: [Self; 3] = [Self::Certain, Self::Likely, Self::Hint];

    /// Returns the name used in rules, JSON and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Hint => "hint",
            Self::Likely => "likely",
            Self::Certain => "certain",
        }
    }

    /// Returns the confidence with that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|c| c.as_str() == name)
    }
}

/// Problem of the cluster that one rule found.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Id of the rule.
    pub rule: String,
    /// Short title of the rule, without names of the bundle.
    pub name: String,
    pub class: FindingClass,
    pub severity: Severity,
    pub confidence: Confidence,
    /// Area of the rule, e.g. `storage`.
    pub area: String,
    pub title: TimedText,
    pub message: TimedText,
    pub impact: TimedText,
    pub cause: TimedText,
    /// Affected version ranges by product.
    pub affects: Vec<(String, Range)>,
    /// Versions with the fix by product, as the rule states them.
    pub fixed_in: Vec<(String, String)>,
    /// Objects concerned, the subject first. Empty for findings about logs of unknown origin.
    pub objects: Vec<ObjectRef>,
    pub remedy: Vec<RemedyStep>,
    pub verify: Option<TimedText>,
    pub links: Vec<String>,
    /// Evidence; never empty.
    pub evidence: Vec<Evidence>,
    /// Number of log and event hits; otherwise 1.
    pub count: u64,
    /// Times of log hits with a known time; empty if there are none.
    pub seen: Histogram,
    pub first_seen: Option<Timestamp>,
    pub last_seen: Option<Timestamp>,
    /// Stable across bundles of one cluster: hex of a hash over rule and identity, no times.
    pub fingerprint: String,
    /// Fingerprint of the top cause that explains this finding.
    pub explained_by: Option<String>,
    /// Findings that explain this one directly, nearest first; those of the first one lead to `explained_by`.
    pub causes: Vec<DirectCause>,
    /// Without a cause: the parts of nodes and services that it depends on, nearest first.
    pub checked: Vec<CheckedComponent>,
    /// Without a cause: what happened shortly before it.
    pub before: Before,
    /// Whether an older bundle has it; none without one.
    pub novelty: Option<Novelty>,
}

impl Finding {
    /// Returns the rank for sorting, most urgent first: faults before everything else, then severity and confidence.
    pub fn rank(&self) -> impl Ord + use<> {
        (self.class, Reverse(self.severity), Reverse(self.confidence))
    }

    /// Returns the word that lists show: the severity of a fault, else the class.
    pub fn label(&self) -> &'static str {
        match self.class {
            FindingClass::Fault => self.severity.as_str(),
            class => class.as_str(),
        }
    }
}

/// One step of the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemedyStep {
    /// Position among all steps of the rule, from 0; steps that do not apply here count too.
    pub position: usize,
    /// Instruction in words.
    pub action: TimedText,
    /// Command with values filled in.
    pub run: Option<String>,
    /// Possible loss.
    pub caution: Option<TimedText>,
}

/// Piece of evidence: a field or some lines of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// Fact of the rule that it supports.
    pub fact: String,
    /// Path of the entry (see [`crate::model::Origin::entry`]).
    pub entry: String,
    /// 1-based line; none if the evidence is a whole entry or its absence.
    pub line: Option<u64>,
    /// Field path such as `status.conditions[2].status`; none for logs.
    pub field: Option<String>,
    /// None for logs, files, and fields that are mappings or lists.
    pub value: Option<EvidenceValue>,
    /// Text that the pattern matched in a log line; in view only where the excerpt still shows it.
    pub matched: Option<String>,
    /// The line with its neighbours.
    pub excerpt: Vec<ExcerptLine>,
}

/// Value of a piece of evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvidenceValue {
    /// Value of the field as text.
    Text(String),
    /// The entry has no object that the fact looks for.
    NotInEntry,
}

impl Evidence {
    /// Returns the value as text; `not in ENTRY` for an absence.
    pub fn value_text(&self) -> Option<Cow<'_, str>> {
        Some(match self.value.as_ref()? {
            EvidenceValue::Text(text) => Cow::Borrowed(text),
            EvidenceValue::NotInEntry => Cow::Owned(format!("not in {}", self.entry)),
        })
    }

    /// Returns the value of the field; none for an absence.
    pub fn field_value(&self) -> Option<&str> {
        match self.value.as_ref()? {
            EvidenceValue::Text(text) => Some(text),
            EvidenceValue::NotInEntry => None,
        }
    }
}

/// One line of an excerpt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExcerptLine {
    /// 1-based line in the entry.
    pub line: u64,
    /// Text, truncated to a bounded length, with invalid UTF-8 replaced and secrets masked.
    pub text: String,
    /// True if this line is the evidence, not a neighbour.
    pub hit: bool,
}
