//! Answers to the question whether the absence of an object proves anything.

use crate::resource::types::TypeName;

/// Whether the absence of objects of a type in a namespace proves anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Collected {
    /// Objects were dumped.
    Yes,
    /// Collected, and there were none.
    Empty,
    /// Not known to have been collected; the reason, for "not evaluated".
    No(String),
}

impl Collected {
    /// Whether not finding an object means that it does not exist.
    pub fn complete(&self) -> bool {
        !matches!(self, Self::No(_))
    }
}

/// What a rule test says of its bundle instead of a collector.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assumptions {
    /// Whatever is not listed as missing was collected.
    pub all_collected: bool,
    /// Types, in a namespace or everywhere.
    pub missing: Vec<(TypeName, Option<String>)>,
}
