//! Facts about a rule for reports, apart from its findings.

use serde::{Deserialize, Serialize};

use crate::model::{Confidence, FindingClass, Severity};

/// Rule that was evaluated, with any outcome; texts have `<name>` in place of the values of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleFacts {
    pub id: String,
    /// Short title without placeholders.
    pub name: String,
    pub class: FindingClass,
    pub severity: Severity,
    pub confidence: Confidence,
    /// Area such as `storage`.
    pub area: String,
    pub title: String,
    pub impact: String,
    pub cause: String,
    pub links: Vec<String>,
}

/// A collection of rules that names itself: the built-in one, or one that `--rules` adds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleCollection {
    pub name: String,
    /// Version as written, such as a day.
    pub version: String,
    /// Number of rules in it, whether or not they are used.
    pub rules: usize,
}
