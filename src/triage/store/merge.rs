//! Merging of stores: the later run wins.

use std::path::Path;

use rusqlite::Transaction;

use super::database::{Store, uri};
use super::error::StoreError;
use super::schema::{self, PARTS};
use super::write::tidy;

/// Result of a merge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// Rows of `bundles` that were copied.
    pub bundles: u64,
    /// Analyses that were copied.
    pub analyses: u64,
}

/// Selects analyses to copy: new ones, and those of a later run or an earlier name.
const CHOOSE: &str = "
CREATE TEMP TABLE taken AS
SELECT n.id FROM other.analyses n LEFT JOIN main.analyses o ON o.id = n.id
WHERE o.id IS NULL OR (o.rule_set <> n.rule_set AND o.run < n.run) OR (o.rule_set = n.rule_set AND n.name < o.name)
    OR (o.rule_set = n.rule_set AND n.name = o.name AND n.surveyed > o.surveyed);
CREATE TEMP TABLE files AS
SELECT n.input, n.path FROM other.bundles n LEFT JOIN main.bundles o ON (o.input, o.path) = (n.input, n.path)
GROUP BY n.input, n.path HAVING count(o.path) = 0 OR max(o.run) < max(n.run);
CREATE TEMP TABLE facts AS
SELECT analysis, kind, content_id, collector, collector_version, cluster_uid, cluster_name, collected_at, entries
FROM main.bundles WHERE analysis IN (SELECT analysis FROM other.bundles EXCEPT SELECT id FROM taken) GROUP BY analysis
UNION ALL
SELECT analysis, kind, content_id, collector, collector_version, cluster_uid, cluster_name, collected_at, entries
FROM other.bundles WHERE analysis IN (SELECT id FROM taken) GROUP BY analysis;
";

const TAKE: &str = "
INSERT INTO main.runs SELECT * FROM other.runs WHERE true
    ON CONFLICT (id) DO UPDATE SET finished = coalesce(excluded.finished, finished), counts = coalesce(excluded.counts, counts);
INSERT OR IGNORE INTO main.rules SELECT * FROM other.rules;
INSERT OR IGNORE INTO main.rule_sets SELECT * FROM other.rule_sets;
INSERT OR IGNORE INTO main.reasons SELECT * FROM other.reasons;
INSERT OR IGNORE INTO main.templates SELECT * FROM other.templates;
INSERT INTO main.analyses SELECT * FROM other.analyses WHERE id IN (SELECT id FROM taken)
    ON CONFLICT (id) DO UPDATE SET name = excluded.name, content = excluded.content, unread = excluded.unread,
        rule_set = excluded.rule_set, seconds = excluded.seconds, run = excluded.run, surveyed = excluded.surveyed;
";

/// Copies rows of files; copies of a bundle get the same facts.
const FILES: &str = "
DELETE FROM main.bundles WHERE (input, path) IN (SELECT input, path FROM files);
INSERT INTO main.bundles SELECT b.* FROM other.bundles b JOIN files f ON (f.input, f.path) = (b.input, b.path);
UPDATE main.bundles SET kind = n.kind, content_id = n.content_id, collector = n.collector,
    collector_version = n.collector_version, cluster_uid = n.cluster_uid, cluster_name = n.cluster_name,
    collected_at = n.collected_at, entries = n.entries
FROM facts n WHERE main.bundles.analysis = n.analysis;
DELETE FROM main.analyses WHERE id NOT IN (SELECT analysis FROM main.bundles WHERE analysis IS NOT NULL);
INSERT INTO main.tickets SELECT * FROM other.tickets WHERE true
    ON CONFLICT (input, path) DO UPDATE SET ticket = excluded.ticket, customer = excluded.customer, product = excluded.product,
        resolution = excluded.resolution, more = excluded.more, given = excluded.given, run = excluded.run
    WHERE (excluded.given, excluded.run) > (given, run);
DROP TABLE taken; DROP TABLE files; DROP TABLE facts;
";

impl Store {
    /// Merges another store into this one. Repeating it changes nothing, and the order of stores does not matter.
    ///
    /// # Errors
    /// Fails when the other is no store, or this one cannot be written; then this one is unchanged.
    pub fn merge(&mut self, other: &Path) -> Result<Merged, StoreError> {
        // Checks that it is a store, and migrates it.
        drop(Self::open_to_read(other)?);
        let uri = uri(other, "mode=ro");
        self.with_connection(|connection| connection.execute("ATTACH DATABASE ? AS other", [uri]).map(|_| ()))?;
        // The file may have been replaced since.
        let checked = schema::version(&self.connection, "other", other);
        let merged = checked.and_then(|_| self.transaction(take));
        let detached = self.with_connection(|connection| connection.execute_batch("DETACH DATABASE other"));
        merged.and_then(|merged| detached.map(|()| merged))
    }
}

fn take(t: &Transaction<'_>) -> rusqlite::Result<Merged> {
    t.execute_batch(CHOOSE)?;
    let count = |sql: &str| t.query_row(sql, [], |row| row.get::<_, u64>(0));
    let merged = Merged {
        analyses: count("SELECT count(*) FROM taken")?,
        bundles: count("SELECT count(*) FROM other.bundles b JOIN files f ON (f.input, f.path) = (b.input, b.path)")?,
    };
    t.execute_batch(TAKE)?;
    for part in PARTS {
        t.execute_batch(&format!(
            "DELETE FROM main.{part} WHERE analysis IN (SELECT id FROM taken);
             INSERT INTO main.{part} SELECT * FROM other.{part} WHERE analysis IN (SELECT id FROM taken);"
        ))?;
    }
    t.execute_batch(FILES)?;
    tidy(t)?;
    Ok(merged)
}
