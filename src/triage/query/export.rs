//! Tables for other programs: [`Export`].

use std::time::Duration;

use super::question::{QueryError, write_answer};
use super::sink::Sink;
use crate::triage::store::Store;

/// Table that can be exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Export {
    /// Findings, with columns of their bundles.
    Findings,
    /// Bundles, and files without one.
    Bundles,
    /// Outcomes of all rules for all bundles.
    Outcomes,
}

impl Export {
    /// All tables by name.
    pub const ALL: [(&'static str, Self); 3] =
        [("findings", Self::Findings), ("bundles", Self::Bundles), ("outcomes", Self::Outcomes)];

    fn sql(self) -> &'static str {
        match self {
            Self::Findings => "SELECT * FROM bundle_findings ORDER BY input, path, place, rule, fingerprint",
            Self::Bundles => "SELECT * FROM bundle_list ORDER BY input, path, place",
            Self::Outcomes => "SELECT * FROM bundle_outcomes ORDER BY input, path, place, rule",
        }
    }

    /// Writes the table.
    ///
    /// # Errors
    /// Fails when the store cannot be read, or the sink cannot be written.
    pub fn write(self, store: &Store, sink: &mut dyn Sink) -> Result<(), QueryError> {
        let mut statement = store.connection().prepare(self.sql()).map_err(QueryError::Read)?;
        write_answer(&mut statement, sink, Duration::MAX)
    }
}
