//! Progress of stages, independent of terminals.

/// Receives progress; tests and triage use `()` to ignore it.
pub trait Progress: Sync {
    /// Starts a stage; `bytes` is the amount it will read, if known.
    fn stage(&self, _name: &str, _bytes: u64) {}
    /// Adds completed bytes and entries of the current stage.
    fn advance(&self, _bytes: u64, _entries: u64) {}
}

impl Progress for () {}
