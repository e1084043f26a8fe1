//! Reasons why there is no rule.

use crate::rule::skeleton;

/// Reason why no rule can be made of a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DraftError {
    #[error("\"{0}\" is no ENTRY:LINE, such as logs/kube-system/etcd-n1/etcd.log:12")]
    Place(String),
    #[error("the bundle has no entry \"{entry}\"{near}")]
    NoEntry { entry: String, near: String },
    #[error("{entry} has no line {line}: it has {lines}")]
    NoLine { entry: String, line: u64, lines: u64 },
    #[error("line {line} of {entry} says nothing that a rule can look for: {why}")]
    Nothing { entry: String, line: u64, why: &'static str },
    #[error("no rule can be made of line {line} of {entry}: {why}")]
    Failed { entry: String, line: u64, why: String },
    #[error(transparent)]
    Rule(#[from] skeleton::SkeletonError),
}
