//! Places in the bundle.

use std::fmt;
use std::sync::Arc;

/// Entry of the bundle and a line in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin {
    /// Path relative to the bundle's root; `!/` between nested archives
    /// (`nodes/node1.zip!/node1/logs/kernel.log`).
    pub entry: Arc<str>,
    /// 1-based line, if known.
    pub line: Option<u64>,
}

impl Origin {
    /// Creates the origin of a whole entry.
    pub fn entry(entry: impl Into<Arc<str>>) -> Self {
        Self { entry: entry.into(), line: None }
    }

    /// Creates the origin of one line; `line` counts from 1.
    pub fn line(entry: impl Into<Arc<str>>, line: u64) -> Self {
        Self { entry: entry.into(), line: Some(line) }
    }
}

/// Formats as `entry:line`.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.entry)?;
        self.line.map_or(Ok(()), |line| write!(f, ":{line}"))
    }
}
