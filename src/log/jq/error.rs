//! Error of a filter.

use std::ops::Range;

/// Error of a filter.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct FilterError {
    pub message: String,
    /// Position in the filter, in bytes.
    pub range: Range<usize>,
}
