//! How a template compares with what is usual.

/// A template beside what is usual.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Compared {
    Usual,
    Louder,
    New,
}
