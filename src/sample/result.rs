//! A finished sample, or the reason why there is none.

use super::content::File;
use super::rule_test::RuleTest;
use crate::model::Finding;

/// Name of the folder of a bundle if any name works.
pub const NAME: &str = "bundle";

/// A sample, ready to be written.
#[derive(Debug)]
pub struct Sample {
    /// Required name of the folder that contains the files; none if any name works.
    pub folder: Option<String>,
    /// Sorted by path.
    pub files: Vec<File>,
    pub test: RuleTest,
    /// Finding of the rule on the sample.
    pub finding: Finding,
    /// Number of findings of the rule in the original bundle.
    pub findings: usize,
    pub notes: Notes,
}

/// Notes for the person who publishes the sample.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    /// Number of replaced names by kind.
    pub replaced: Vec<(String, usize)>,
    /// Names of objects that the rule needs as they are.
    pub needed: Vec<String>,
    /// Values that the user wants to keep and the rule needs.
    pub kept: Vec<String>,
    /// Fields whose values cannot be decoded: `ENTRY: FIELD`.
    pub opaque: Vec<String>,
    pub runs: u32,
    /// True if a bound was reached before the sample was minimal.
    pub cut_short: bool,
}

/// Reason why there is no sample.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SampleError {
    #[error(
        "rule {rule} is clean on this bundle, so there is no finding to sample; `gleaner rules explain {rule} BUNDLE` shows the nearest miss"
    )]
    Clean { rule: String },
    #[error("rule {rule} is not evaluated on this bundle: {reason}; a sample needs a bundle that contains it")]
    NotEvaluated { rule: String, reason: String },
    #[error("rule {rule} is not applicable to this bundle: {reason}; a sample needs a bundle of an affected version")]
    NotApplicable { rule: String, reason: String },
    #[error("rule {rule} has no finding whose fingerprint begins with {fingerprint}; it has {known}")]
    NoFinding { rule: String, fingerprint: String, known: String },
    #[error("rule {rule} does not fire on the parts of the bundle that fit into memory{}", omitted(.left_out))]
    TooLarge { rule: String, left_out: Vec<String> },
    #[error(
        "rule {rule} no longer fires after the bundle's dumps are rewritten with secrets masked: it needs a secret or a damaged dump; make the sample by hand"
    )]
    Secret { rule: String },
    #[error("rule {rule} does not fire without {}; no sample was written. If these values may be published, add {}", quoted(.values), flags(.values))]
    Private { rule: String, values: Vec<String> },
    #[error(
        "the sample fires, but no rule test can be written from it: {why}; rule tests support only these layouts: {layouts}"
    )]
    Test { why: String, layouts: String },
}

fn omitted(entries: &[String]) -> String {
    match entries {
        [] => String::new(),
        [first, ..] => format!("; {} entries were left out, such as {first}", entries.len()),
    }
}

fn quoted(values: &[String]) -> String {
    values.iter().map(|value| format!("`{value}`")).collect::<Vec<_>>().join(", ")
}

fn flags(values: &[String]) -> String {
    values.iter().map(|value| format!("--keep {value}")).collect::<Vec<_>>().join(" ")
}
