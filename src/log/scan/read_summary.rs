//! Summary of reading a source.

use std::io;

/// Summary of reading a source.
pub(super) struct ReadSummary {
    pub bytes: u64,
    /// Number of lines of which the window shows only the beginning.
    pub truncated_lines: u64,
    pub error: Option<io::Error>,
}
