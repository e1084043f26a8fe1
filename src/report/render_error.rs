//! Errors of writing a report.

use std::io;

/// Reason why a report could not be written.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// The writer failed.
    #[error(transparent)]
    Write(#[from] io::Error),
    /// A template of gleaner is wrong; a bundle cannot cause this.
    #[error("report template failed: {0}")]
    Template(String),
}
