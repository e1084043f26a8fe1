//! Expected results of a case.

use serde::Deserialize;

/// Expected result of a case.
#[derive(Clone, Debug)]
pub enum Expect {
    /// Exactly these findings; an empty list means clean.
    Findings(Vec<Expected>),
    NotEvaluated,
    /// Clean where collected.
    CleanPartly,
    NotApplicable,
}

/// One expected finding; omitted fields are not compared.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// Required if several rules run.
    pub rule: Option<String>,
    /// The subject: `Kind[.group]/[namespace/]name`.
    pub object: Option<String>,
    pub severity: Option<String>,
    pub confidence: Option<String>,
    /// A part of the title; the next three, too, are parts of texts, `remedy` of a step with its command and its caution.
    pub title: Option<String>,
    pub message: Option<String>,
    pub cause: Option<String>,
    pub remedy: Option<String>,
    /// Rule of the finding under which it is folded; null for a top one.
    #[serde(default, deserialize_with = "present")]
    pub explained_by: Option<Option<String>>,
    /// Hits.
    pub count: Option<u64>,
}

/// Distinguishes `explained_by: null` from an omitted `explained_by`.
fn present<'de, D: serde::Deserializer<'de>>(reader: D) -> Result<Option<Option<String>>, D::Error> {
    Option::<String>::deserialize(reader).map(Some)
}

impl Expect {
    /// Returns true if the rule must fire in this case.
    pub fn fires(&self, rule: &str) -> bool {
        match self {
            Self::Findings(list) => list.iter().any(|e| e.rule.as_deref().is_none_or(|r| r == rule)),
            Self::NotEvaluated | Self::CleanPartly | Self::NotApplicable => false,
        }
    }

    /// Returns true if all data is collected and no finding is expected.
    pub fn is_clean(&self) -> bool {
        matches!(self, Self::Findings(list) if list.is_empty())
    }
}
