//! How stages tell what they are doing without knowing about terminals.

/// Receives progress; tests and triage stay silent with `()`.
pub trait Progress: Sync {
    /// A stage begins; `bytes` is how much it will read, where known.
    fn stage(&self, _name: &str, _bytes: u64) {}
    /// So many more bytes and entries of the current stage are done.
    fn advance(&self, _bytes: u64, _entries: u64) {}
}

impl Progress for () {}
