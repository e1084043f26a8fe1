//! Creation, version and migration of stores.

use std::path::Path;

use rusqlite::Connection;

use super::error::StoreError;

/// Version that this program writes to `PRAGMA user_version`.
pub const VERSION: i64 = STEPS.len() as i64;

/// Application id of SQLite files that are stores: "glnr".
const APPLICATION: i64 = 0x676c_6e72;

/// Migrations, each from the version before.
const STEPS: [&str; 3] = [
    include_str!("schema.sql"),
    // For bundles of one cluster by time.
    "CREATE INDEX bundles_by_cluster ON bundles (cluster_uid, collected_at);",
    // Findings of version 2 have the defaults until their bundle is analysed with a changed rule.
    "ALTER TABLE findings ADD COLUMN name TEXT NOT NULL DEFAULT '';
     ALTER TABLE findings ADD COLUMN class TEXT NOT NULL DEFAULT 'fault';",
];

const VIEWS: &str = include_str!("views.sql");

/// Returns the version of a store; 0 for an empty file.
///
/// # Errors
/// Fails when the store is newer than this program, or the file is no store.
pub fn version(connection: &Connection, path: &Path) -> Result<i64, StoreError> {
    let read = || {
        let objects: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        Ok((pragma(connection, "application_id")?, pragma(connection, "user_version")?, objects))
    };
    let (application, found, objects) = read().map_err(|error| StoreError::of(path, error))?;
    if application != APPLICATION && (objects > 0 || application != 0 || found != 0) {
        return Err(StoreError::Foreign(path.to_owned()));
    }
    if found > VERSION {
        return Err(StoreError::Newer { path: path.to_owned(), found, known: VERSION });
    }
    Ok(found)
}

fn pragma(connection: &Connection, name: &str) -> rusqlite::Result<i64> {
    connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get(0))
}

/// Prepares a store for writing.
pub(super) fn prepare(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    let found = version(connection, path)?;
    let migrated = migrate(connection, found);
    migrated.map_err(|error| match StoreError::of(path, error) {
        StoreError::ReadOnly(path) if (1..VERSION).contains(&found) => {
            StoreError::Older { path, found, known: VERSION }
        }
        error => error,
    })
}

fn migrate(connection: &mut Connection, found: i64) -> rusqlite::Result<()> {
    // With a write-ahead log readers do not wait, and a power failure loses at most the last transactions.
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "foreign_keys", "ON")?;
    if found == VERSION && has_current_views(connection)? {
        return Ok(());
    }
    let transaction = connection.transaction()?;
    for step in STEPS.iter().skip(usize::try_from(found).unwrap_or(0)) {
        transaction.execute_batch(step)?;
    }
    let views: Vec<String> = transaction
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'view'")?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    for view in views {
        transaction.execute_batch(&format!("DROP VIEW \"{}\"", view.replace('"', "\"\"")))?;
    }
    transaction.execute_batch(VIEWS)?;
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()
}

/// Returns true if the stored views have the text of this program.
fn has_current_views(connection: &Connection) -> rusqlite::Result<bool> {
    let mut statement = connection.prepare("SELECT sql FROM sqlite_schema WHERE type = 'view'")?;
    let found: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    Ok(found.len() == VIEWS.matches("CREATE VIEW ").count() && found.iter().all(|view| VIEWS.contains(view)))
}
