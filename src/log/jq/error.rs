//! What is wrong with a filter.

use std::ops::Range;

/// What is wrong with a filter.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct FilterError {
    pub message: String,
    /// In bytes of the filter.
    pub range: Range<usize>,
}
