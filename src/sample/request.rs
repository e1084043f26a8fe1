//! The request for a sample.

use super::trial::Bounds;
use crate::rule::{RuleSet, Streams};

/// Request for a sample of one finding.
#[derive(Clone, Copy)]
pub struct Request<'r> {
    /// The rule, as the only one of its set.
    pub rule: &'r RuleSet,
    pub streams: &'r Streams,
    /// Beginning of the fingerprint of the finding; none for the first finding.
    pub finding: Option<&'r str>,
    /// Values that stay although they look private; in lower case.
    pub keep: &'r [String],
    /// Published words, such as those of the rules: object names of such words stay.
    pub published: &'r str,
    pub bounds: Bounds,
}
