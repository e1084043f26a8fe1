//! What the checks are answered from.

use std::collections::BTreeMap;

use crate::model::{Finding, RuleOutcomes};
use crate::resource::ResourceIndex;

/// What the rules found, and the objects themselves.
#[derive(Clone, Copy)]
pub struct Found<'a> {
    pub resources: &'a ResourceIndex,
    pub rules: &'a RuleOutcomes,
    pub findings: &'a [Finding],
    /// Version by product; empty if it is not known.
    pub versions: &'a BTreeMap<String, String>,
}
