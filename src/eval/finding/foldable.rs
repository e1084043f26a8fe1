//! A finding before it is folded.

use std::collections::BTreeSet;

use crate::eval::finding::times::Times;
use crate::model::{Finding, ObjectRef};

/// A finding with what folding needs to know beyond what reports show.
#[derive(Debug)]
pub struct FoldableFinding {
    pub finding: Finding,
    /// All objects it concerns: bound, collected and related.
    pub reach: BTreeSet<ObjectRef>,
    /// Nodes that its bindings name.
    pub nodes: BTreeSet<String>,
    /// When it happened; nothing for rules that are not [`timed`].
    pub times: Times,
}
