//! Failures of a pass over entries.

use crate::model::message::ArchiveProblem;

/// Failure in a pass.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Failure {
    /// Index of the request, or of the layer whose requests were not reached.
    pub at: FailedAt,
    pub problem: ArchiveProblem,
}

/// Location of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FailedAt {
    Entry(usize),
    Archive(usize),
}
