//! Why a text cannot be rendered.

/// Reason why a text cannot be rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextFailure {
    /// The rule is past its bounds; its world has the reason.
    Spent,
    /// A message for an Issue.
    Wrong(String),
}

/// Result of a step.
pub(super) type Rendering<T> = Result<T, TextFailure>;
