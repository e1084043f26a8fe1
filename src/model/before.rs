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

/// An object that somebody created or changed, or that started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub at: Timestamp,
    pub object: ObjectRef,
    /// Where the bundle says so.
    pub origin: Origin,
    pub kind: ChangeKind,
}

/// What happened to an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    Created,
    /// The client that changed what is wanted of it, as the API server recorded it: `kubectl-edit`, `helm`.
    Changed {
        by: String,
    },
    /// A node booted, or a container of a pod was started.
    Started,
}

impl ChangeKind {
    /// Returns its name in JSON.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Changed { .. } => "changed",
            Self::Started => "started",
        }
    }

    /// Returns the client that changed the object.
    pub fn client(&self) -> Option<&str> {
        match self {
            Self::Changed { by } => Some(by),
            Self::Created | Self::Started => None,
        }
    }
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
