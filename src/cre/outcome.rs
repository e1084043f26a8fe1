//! The result of an import: rules, and CRE rules that are not valid.

/// A rule that was made from a CRE rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// `cre-2025-0020`.
    pub id: String,
    pub area: String,
    /// The file of the CRE rule.
    pub origin: String,
    pub text: String,
}

/// A CRE rule that cannot be converted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[error("{file}:{line}: {message}")]
pub struct Invalid {
    pub file: String,
    /// 1-based.
    pub line: u64,
    pub message: String,
}

/// The result of importing CRE rules.
#[derive(Debug, Default)]
pub struct Import {
    /// Sorted by id.
    pub rules: Vec<Imported>,
    /// In the order of files and lines.
    pub invalid: Vec<Invalid>,
}
