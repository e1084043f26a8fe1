//! Progress of a run: [`RunProgress`].

/// Receives the progress of a run; `()` ignores it.
pub trait RunProgress {
    /// Called once, with the number of files to analyse and their size in bytes.
    fn begin(&self, _files: u64, _bytes: u64) {}
    /// Called for each file that is done, with its size in bytes.
    fn done(&self, _bytes: u64) {}
}

impl RunProgress for () {}
