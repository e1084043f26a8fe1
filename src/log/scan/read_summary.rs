//! How reading a source went.

use std::io;

/// How reading a source went.
pub(super) struct ReadSummary {
    pub bytes: u64,
    /// Lines of which the window shows only the beginning.
    pub cut_lines: u64,
    pub error: Option<io::Error>,
}
