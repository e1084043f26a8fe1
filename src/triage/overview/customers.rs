//! Customers of tickets, with their bundles.

use rusqlite::Connection;

use super::snapshot::{AFTER_BUNDLE, BUNDLE, LISTED, Snapshot, bundle, time, timed_text};
use crate::report::archive::{CustomerBundle, CustomerLine, FindingLine};
use crate::triage::store::StoreError;

/// Contents of each customer: those of which any file belongs to one of his tickets.
const SERVED: &str = "
WITH served AS MATERIALIZED (
    SELECT min(t.customer) AS customer, c.analysis, min(t.ticket) AS ticket, min(t.resolution) AS resolution
    FROM picked c JOIN bundles b ON b.analysis = c.analysis JOIN tickets t ON (t.input, t.path) = (b.input, b.path)
    WHERE t.customer <> '' GROUP BY t.customer COLLATE NOCASE, c.analysis)";

/// Returns customers, those with most bundles with critical faults first, then with high ones.
pub(super) fn lines(connection: &Connection) -> rusqlite::Result<Vec<CustomerLine>> {
    let mut statement = connection.prepare(&format!(
        "{SERVED}
         SELECT min(s.customer), count(*), count(DISTINCT s.ticket),
                count(CASE WHEN w.class = 'fault' AND w.severity = 'critical' THEN 1 END) AS critical,
                count(CASE WHEN w.class = 'fault' AND w.severity = 'high' THEN 1 END) AS high, max(c.collected_at)
         FROM served s JOIN picked c ON c.analysis = s.analysis LEFT JOIN worst w ON w.analysis = s.analysis
         GROUP BY s.customer COLLATE NOCASE ORDER BY critical DESC, high DESC, 2 DESC, 1"
    ))?;
    let rows = statement.query_map([], |row| {
        Ok(CustomerLine {
            name: row.get(0)?,
            bundles: row.get(1)?,
            tickets: row.get(2)?,
            critical: row.get(3)?,
            high: row.get(4)?,
            last: time(row, 5)?,
        })
    })?;
    rows.collect()
}

impl Snapshot {
    /// Returns the bundles of a customer, latest first.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn customer(&self, name: &str) -> Result<Vec<CustomerBundle>, StoreError> {
        self.ask(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "{SERVED}
                 SELECT {BUNDLE}, s.ticket, s.resolution, w.rule, w.severity, w.title
                 FROM served s JOIN picked c ON c.analysis = s.analysis LEFT JOIN worst w ON w.analysis = s.analysis
                 WHERE s.customer = ? COLLATE NOCASE ORDER BY c.collected_at DESC, c.input, c.path, c.place LIMIT {LISTED}"
            ))?;
            let rows = statement.query_map([name], |row| {
                let worst = match row.get::<_, Option<String>>(AFTER_BUNDLE + 2)? {
                    Some(rule) => {
                        let severity = row.get(AFTER_BUNDLE + 3)?;
                        Some(FindingLine { rule, severity, title: timed_text(row, AFTER_BUNDLE + 4)? })
                    }
                    None => None,
                };
                // The ticket of this customer: another file with the same content may belong to another one.
                let (ticket, resolution) = (row.get(AFTER_BUNDLE)?, row.get(AFTER_BUNDLE + 1)?);
                Ok(CustomerBundle { bundle: crate::report::archive::Bundle { ticket, resolution, ..bundle(row)? }, worst })
            })?;
            rows.collect()
        })
    }
}
