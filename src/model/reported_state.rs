//! State that an object reports about itself.

use std::fmt::{self, Display, Formatter};

/// State in the words of the cluster, or how much of it is ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReportedState {
    /// Words of the object, such as `Running`, or `attached` and `degraded`.
    Words(Vec<String>),
    /// Counts of a workload, as its status has them.
    Ready { ready: String, wanted: String },
}

impl ReportedState {
    /// Returns a state of one word.
    pub fn word(word: String) -> Self {
        Self::Words(vec![word])
    }

    /// Returns the words of the object; none for counts.
    pub fn words(&self) -> &[String] {
        match self {
            Self::Words(words) => words,
            Self::Ready { .. } => &[],
        }
    }
}

/// `attached, degraded`, `2 of 3 ready`.
impl Display for ReportedState {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Words(words) => f.write_str(&words.join(", ")),
            Self::Ready { ready, wanted } => write!(f, "{ready} of {wanted} ready"),
        }
    }
}
