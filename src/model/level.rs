//! How bad lines say that they are.

/// How bad a line says that it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    Warning,
    Error,
    /// The program ends, or nothing works without what it reports.
    Fatal,
}

impl Level {
    /// All levels, the least bad first.
    pub const ALL: [Self; 3] = [Self::Warning, Self::Error, Self::Fatal];

    /// Returns the word for it in data.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Fatal => "fatal",
        }
    }
}
