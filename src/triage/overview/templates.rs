//! Templates of logs that no rule knows, and what bundles without findings have in common.

use rusqlite::{Connection, Row};

use super::snapshot::time;
use crate::report::archive::TemplateLine;

/// Templates listed.
const LISTED: usize = 100;
/// Templates listed as new.
const NEW: usize = 20;
/// Templates listed as common.
const COMMON: usize = 30;

/// Bundles whose templates are stored, with whether they have no finding; templates that no rule knows.
const SURVEYED: &str = "
WITH surveyed AS MATERIALIZED (
    SELECT c.analysis, c.cluster_uid, c.collected_at, c.analysis NOT IN (SELECT analysis FROM fired) AS quiet
    FROM picked c JOIN analyses a ON a.id = c.analysis WHERE a.surveyed),
known AS MATERIALIZED (SELECT DISTINCT template FROM template_rules),
open AS MATERIALIZED (
    SELECT t.level, t.text, count(DISTINCT s.cluster_uid) AS clusters, count(*) AS bundles, sum(s.quiet) AS quiet,
           min(s.collected_at) AS first, max(s.collected_at) AS last
    FROM surveyed s JOIN bundle_templates b ON b.analysis = s.analysis JOIN templates t ON t.id = b.template
    WHERE t.id NOT IN (SELECT template FROM known) GROUP BY t.id)";

/// Returns the number of bundles whose templates are stored, and of those without a finding.
pub(super) fn surveyed(connection: &Connection) -> rusqlite::Result<[u64; 2]> {
    let question = format!("{SURVEYED} SELECT count(*), coalesce(sum(quiet), 0) FROM surveyed");
    connection.query_row(&question, [], |row| Ok([row.get(0)?, row.get(1)?]))
}

/// Returns the number of templates that no rule knows.
pub(super) fn count(connection: &Connection) -> rusqlite::Result<u64> {
    connection.query_row(&format!("{SURVEYED} SELECT count(*) FROM open"), [], |row| row.get(0))
}

/// Returns templates that no rule knows, those of most clusters first.
pub(super) fn unknown(connection: &Connection) -> rusqlite::Result<Vec<TemplateLine>> {
    let order = "ORDER BY clusters DESC, bundles DESC, instr('fatal error warning', level), text";
    lines(connection, &format!("{SURVEYED} SELECT * FROM open {order} LIMIT {LISTED}"))
}

/// Returns templates that no rule knows and that no bundle collected before a month has, those of most clusters first.
pub(super) fn new_in(connection: &Connection, month: &str) -> rusqlite::Result<Vec<TemplateLine>> {
    let order = "ORDER BY clusters DESC, bundles DESC, instr('fatal error warning', level), text";
    let mut statement = connection.prepare(&format!(
        "{SURVEYED} SELECT * FROM open WHERE first >= ? AND ? > (SELECT min(collected_at) FROM surveyed) {order} LIMIT {NEW}"
    ))?;
    statement.query_map([month, month], line)?.collect()
}

/// Returns templates of several bundles without a finding that are rarer in the others; the largest difference first.
pub(super) fn common(connection: &Connection) -> rusqlite::Result<Vec<TemplateLine>> {
    let share = "quiet * 1.0 / (SELECT sum(quiet) FROM surveyed)
        - coalesce((bundles - quiet) * 1.0 / nullif((SELECT sum(NOT quiet) FROM surveyed), 0), 0)";
    lines(
        connection,
        &format!(
            "{SURVEYED} SELECT * FROM open WHERE quiet > 1 AND {share} > 0
             ORDER BY {share} DESC, quiet DESC, instr('fatal error warning', level), text LIMIT {COMMON}"
        ),
    )
}

fn lines(connection: &Connection, question: &str) -> rusqlite::Result<Vec<TemplateLine>> {
    connection.prepare(question)?.query_map([], line)?.collect()
}

fn line(row: &Row<'_>) -> rusqlite::Result<TemplateLine> {
    Ok(TemplateLine {
        level: row.get(0)?,
        text: row.get(1)?,
        clusters: row.get(2)?,
        bundles: row.get(3)?,
        quiet: row.get(4)?,
        first: time(row, 5)?,
        last: time(row, 6)?,
    })
}
