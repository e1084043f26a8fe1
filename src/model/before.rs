//! What happened shortly before a finding without a cause.

use jiff::Timestamp;

use super::unexplained::LogTemplate;
use super::{Component, ObjectRef, Origin};

/// What happened, in what a finding without a cause depends on, shortly before it began.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Before {
    /// Errors that no rule explains, the most telling first.
    pub errors: Vec<LogTemplate>,
    /// The latest first.
    pub changes: Vec<Change>,
}

/// An object that somebody created or changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub at: Timestamp,
    pub object: ObjectRef,
    /// Where the bundle says so.
    pub origin: Origin,
    /// The client that changed it, as the API server recorded it (`kubectl-edit`, `helm`); none if it was created.
    pub changed_by: Option<String>,
}

/// Fault that needs something and has no cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenFinding {
    /// Position of the finding.
    pub finding: usize,
    /// What it depends on, itself first, the nearest first.
    pub components: Vec<Component>,
    /// When it began; none if nothing says so.
    pub begin: Option<Timestamp>,
}
