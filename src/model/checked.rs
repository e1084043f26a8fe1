//! What was checked behind a finding without a cause.

use super::Component;
use super::message::Reason;

/// Component that a finding without a cause depends on, and what rules that would have found it broken say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedComponent {
    pub component: Component,
    /// Number of rules that found nothing.
    pub clean: usize,
    /// Number of rules that could not be evaluated, or only for a part.
    pub unproven: usize,
    /// Why the first of these could not be evaluated.
    pub reason: Option<Reason>,
}
