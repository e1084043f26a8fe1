//! Facts about a rule for reports, apart from its findings.

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
