//! What reports tell of a rule apart from its findings.

use crate::model::{Confidence, Severity};

/// One rule that was run, whatever its outcome; texts have `<name>` where a finding has a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleFacts {
    pub id: String,
    pub severity: Severity,
    pub confidence: Confidence,
    /// Such as `storage`.
    pub area: String,
    pub title: String,
    pub impact: String,
    pub cause: String,
    pub links: Vec<String>,
}
