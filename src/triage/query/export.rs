//! Whole tables for other programs: [`Export`].

use std::time::Duration;

use super::question::{QueryError, write_answer};
use super::sink::Sink;
use crate::triage::store::Store;

/// What can be exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Export {
    /// Each finding of each bundle, with what the bundle is.
    Findings,
    /// Each bundle, and each file that has none.
    Bundles,
    /// Each rule for each bundle.
    Outcomes,
}

impl Export {
    /// All of them, by name.
    pub const ALL: [(&'static str, Self); 3] =
        [("findings", Self::Findings), ("bundles", Self::Bundles), ("outcomes", Self::Outcomes)];

    fn sql(self) -> &'static str {
        match self {
            Self::Findings => "SELECT * FROM bundle_findings ORDER BY input, path, place, rule, fingerprint",
            Self::Bundles => "SELECT * FROM bundle_list ORDER BY input, path, place",
            Self::Outcomes => "SELECT * FROM bundle_outcomes ORDER BY input, path, place, rule",
        }
    }

    /// Writes it.
    ///
    /// # Errors
    /// When the store cannot be read, or the sink not be written.
    pub fn write(self, store: &Store, sink: &mut dyn Sink) -> Result<(), QueryError> {
        let mut statement = store.connection().prepare(self.sql()).map_err(QueryError::Read)?;
        write_answer(&mut statement, sink, Duration::MAX)
    }
}
