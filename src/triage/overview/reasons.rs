//! Reasons why rules were not evaluated.

use rusqlite::Connection;

use super::snapshot::timed_text;
use crate::report::archive::UnansweredReason;

/// Reasons listed.
const LISTED: usize = 100;

/// Returns the reasons that left most questions open: rules, each in the bundles where it has this reason.
pub(super) fn of_all_rules(connection: &Connection) -> rusqlite::Result<Vec<UnansweredReason>> {
    let mut statement = connection.prepare(&format!(
        "SELECT r.text, count(DISTINCT o.rule), count(DISTINCT o.analysis)
         FROM picked c JOIN outcomes o ON o.analysis = c.analysis JOIN reasons r ON r.id = o.reason
         WHERE o.outcome = 'not_evaluated' GROUP BY r.id ORDER BY count(*) DESC, r.text LIMIT {LISTED}"
    ))?;
    let rows = statement.query_map([], |row| {
        Ok(UnansweredReason { text: timed_text(row, 0)?, rules: row.get(1)?, bundles: row.get(2)? })
    })?;
    rows.collect()
}
