//! One state of a store: [`Snapshot`].

use jiff::Timestamp;
use rusqlite::{Connection, Row};

use super::axes;
use crate::model::TimedText;
use crate::report::archive::{Bundle, Month, Product};
use crate::triage::query::like::Neighbours;
use crate::triage::store::{Store, StoreError};

/// Longest list of a page.
pub(super) const LISTED: usize = 500;

/// State of a store at one time, unaffected by writers.
pub struct Snapshot {
    store: Store,
    pub(super) months: Vec<Month>,
    pub(super) products: Vec<Product>,
    pub(super) neighbours: Neighbours,
}

/// Contents with their month: null if unknown, empty if too long ago; the most severe finding of each, causes and faults first; and why
/// each rule was not evaluated, which outcomes tell only by content.
const PICKED: &str = "
    CREATE TEMP TABLE picked AS SELECT *, substr(collected_at, 1, 7) AS month FROM contents;
    CREATE UNIQUE INDEX temp.picked_by_analysis ON picked (analysis);
    CREATE INDEX temp.picked_by_cluster ON picked (cluster_uid);
    CREATE TEMP TABLE fired AS SELECT DISTINCT f.rule, f.analysis FROM picked c JOIN findings f ON f.analysis = c.analysis;
    CREATE INDEX temp.fired_by_rule ON fired (rule);
    CREATE INDEX temp.fired_by_analysis ON fired (analysis, rule);
    CREATE TEMP TABLE worst AS SELECT analysis, rule, class, severity, title FROM (
        SELECT f.*, row_number() OVER (PARTITION BY f.analysis ORDER BY f.explained_by IS NOT NULL, f.class <> 'fault',
                   instr('critical high medium low info', f.severity), f.rule, f.fingerprint) AS place
        FROM picked c JOIN findings f ON f.analysis = c.analysis) WHERE place = 1;
    CREATE UNIQUE INDEX temp.worst_by_analysis ON worst (analysis);
    CREATE TEMP TABLE unanswered AS SELECT o.rule, o.reason, count(*) AS bundles FROM picked c JOIN outcomes o ON o.analysis = c.analysis
        WHERE o.outcome = 'not_evaluated' GROUP BY o.rule, o.reason;
    CREATE INDEX temp.unanswered_by_rule ON unanswered (rule);";

/// Columns of a bundle, for [`bundle`].
pub(super) const BUNDLE: &str =
    "c.input, c.path, c.place, c.kind, c.product, c.version, c.cluster_uid, c.cluster_name, c.collected_at,
     c.ticket, c.customer, c.resolution";

/// Number of columns of [`BUNDLE`].
pub(super) const AFTER_BUNDLE: usize = 12;

impl Snapshot {
    /// Takes a snapshot of the store.
    ///
    /// # Errors
    /// All methods fail when the store cannot be read.
    pub fn of(store: Store) -> Result<Self, StoreError> {
        store.with_connection(|connection| {
            // An open transaction sees one state; its tables are temporary.
            connection.execute_batch("BEGIN")?;
            connection.execute_batch(PICKED)
        })?;
        let neighbours = store.with_connection(Neighbours::of)?;
        let mut snapshot = Self { store, months: Vec::new(), products: Vec::new(), neighbours };
        snapshot.months = snapshot.ask(axes::months)?;
        snapshot.products = snapshot.ask(axes::products)?;
        Ok(snapshot)
    }

    pub(super) fn ask<T>(&self, ask: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        self.store.with_connection(ask)
    }
}

/// Reads the columns of [`BUNDLE`].
pub(super) fn bundle(row: &Row<'_>) -> rusqlite::Result<Bundle> {
    Ok(Bundle {
        input: row.get(0)?,
        path: row.get(1)?,
        place: row.get(2)?,
        kind: row.get::<_, Option<String>>(3)?.unwrap_or_default(),
        product: row.get(4)?,
        version: row.get(5)?,
        cluster_uid: row.get(6)?,
        cluster_name: row.get(7)?,
        collected_at: time(row, 8)?,
        ticket: row.get(9)?,
        customer: row.get(10)?,
        resolution: row.get(11)?,
    })
}

/// Reads a time; none if the column is empty or holds no time.
pub(super) fn time(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Timestamp>> {
    Ok(row.get::<_, Option<String>>(column)?.and_then(|text| text.parse().ok()))
}

/// Reads a text that can hold times; empty if the column is.
pub(super) fn timed_text(row: &Row<'_>, column: usize) -> rusqlite::Result<TimedText> {
    Ok(TimedText::parse(&row.get::<_, Option<String>>(column)?.unwrap_or_default()))
}

/// Returns an ORDER BY expression, most severe first.
pub(super) fn by_severity(column: &str) -> String {
    format!("instr('critical high medium low info', {column})")
}
