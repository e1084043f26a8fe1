//! A finding before it is folded.

use std::collections::BTreeSet;

use crate::eval::finding::times::Times;
use crate::model::{Finding, ObjectRef};

/// A finding with the data that folding needs in addition to what reports show.
#[derive(Debug)]
pub struct FoldableFinding {
    pub finding: Finding,
    /// All objects it concerns: bound, collected and related.
    pub reach: BTreeSet<ObjectRef>,
    /// Nodes that its bindings name.
    pub nodes: BTreeSet<String>,
    /// Times at which it happened; empty for rules whose findings are not compared in time.
    pub times: Times,
}
