//! What could not be read or decided.

use crate::model::{IssueText, Origin};

/// Something that the analysis could not read or decide; never fatal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Issue {
    /// Where; none when it concerns the bundle as a whole.
    pub origin: Option<Origin>,
    /// What kind of trouble.
    pub kind: IssueKind,
    /// What is wrong and what it means, one sentence without full stop.
    pub message: IssueText,
}

/// The kinds of trouble, as printed in JSON (kebab-case).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IssueKind {
    /// The container is damaged: cut off, wrong checksum, encrypted.
    Archive,
    /// A limit of the budget was reached; the rest was not read.
    Limit,
    /// The layout of the bundle as a whole is not read by this version.
    Layout,
    /// A path that would leave the bundle, a link, a device.
    Path,
    /// A document that is not valid YAML or JSON, or not a Kubernetes object.
    Document,
    /// A log that could not be read or understood.
    Log,
    /// A rule met data it could not work with.
    Rule,
}

impl IssueKind {
    /// The name used in JSON and reports.
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
    /// An issue at a place.
    pub fn at(origin: Origin, kind: IssueKind, message: impl Into<IssueText>) -> Self {
        Self { origin: Some(origin), kind, message: message.into() }
    }

    /// An issue of the bundle as a whole.
    pub fn general(kind: IssueKind, message: impl Into<IssueText>) -> Self {
        Self { origin: None, kind, message: message.into() }
    }
}
