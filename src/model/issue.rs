//! Problems of the analysis: unreadable data and undecided questions.

use crate::model::Origin;
use crate::model::message::IssueMessage;

/// Data that is unreadable or a question that the analysis cannot decide; never fatal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Issue {
    /// Place; none if it concerns the whole bundle.
    pub origin: Option<Origin>,
    /// Kind of the problem.
    pub kind: IssueKind,
    /// Problem and consequence, one sentence without full stop.
    pub message: IssueMessage,
}

/// Kinds of problems, as printed in JSON (kebab-case).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IssueKind {
    /// The container is damaged: truncated, wrong checksum, encrypted.
    Archive,
    /// A limit of the budget was reached; the rest was not read.
    Limit,
    /// This version does not support the layout of the bundle.
    Layout,
    /// A path outside the bundle, a link or a device.
    Path,
    /// A document that is not valid YAML or JSON, or not a Kubernetes object.
    Document,
    /// An unreadable log.
    Log,
    /// A rule met data that it cannot evaluate.
    Rule,
}

impl IssueKind {
    /// All kinds.
    pub const ALL: [Self; 7] =
        [Self::Archive, Self::Limit, Self::Layout, Self::Path, Self::Document, Self::Log, Self::Rule];

    /// Returns the name used in JSON and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Archive => "archive",
            Self::Limit => "limit",
            Self::Layout => "layout",
            Self::Path => "path",
            Self::Document => "document",
            Self::Log => "log",
            Self::Rule => "rule",
        }
    }
}

impl Issue {
    /// Creates an issue at a place.
    pub fn at(origin: Origin, kind: IssueKind, message: impl Into<IssueMessage>) -> Self {
        Self { origin: Some(origin), kind, message: message.into() }
    }

    /// Creates an issue of the whole bundle.
    pub fn general(kind: IssueKind, message: impl Into<IssueMessage>) -> Self {
        Self { origin: None, kind, message: message.into() }
    }
}
