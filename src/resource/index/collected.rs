//! Answer to the question whether the absence of an object proves that it does not exist.

use crate::model::message::Reason;
use crate::resource::types::TypeName;

/// State of the collection for a type in a namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Collected {
    /// Objects were dumped.
    Yes,
    /// Collected, and there were none.
    Empty,
    /// Not known to be collected, with the reason for "not evaluated".
    No(Reason),
}

impl Collected {
    /// Returns true if an object that is not in the bundle does not exist.
    pub fn complete(&self) -> bool {
        !matches!(self, Self::No(_))
    }
}

/// Assumptions that a rule test states about its bundle in place of a collector.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assumptions {
    /// True if everything that is not listed as missing was collected.
    pub all_collected: bool,
    /// Types that were not collected, in a namespace or everywhere.
    pub missing: Vec<(TypeName, Option<String>)>,
}
