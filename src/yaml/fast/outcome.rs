//! Outcome of reading a part of a document.

/// Reason why a document is not read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The document holds something that this reader does not know.
    Declined,
    /// The builder has no memory for the part at this offset.
    Full { at: usize },
}

pub(super) type Outcome<T> = Result<T, Stop>;
