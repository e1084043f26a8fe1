//! Creation, version and migration of stores.

use std::collections::BTreeSet;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};

use super::error::StoreError;

/// Version that this program writes to `PRAGMA user_version`.
pub const VERSION: i64 = STEPS.len() as i64;

/// Application id of SQLite files that are stores: "glnr".
const APPLICATION: i64 = 0x676c_6e72;

/// Migrations, each from the version before.
const STEPS: [&str; 5] = [
    include_str!("schema.sql"),
    // For bundles of one cluster by time.
    "CREATE INDEX bundles_by_cluster ON bundles (cluster_uid, collected_at);",
    // Findings of version 2 have the defaults until their bundle is analysed with a changed rule.
    "ALTER TABLE findings ADD COLUMN name TEXT NOT NULL DEFAULT '';
     ALTER TABLE findings ADD COLUMN class TEXT NOT NULL DEFAULT 'fault';",
    include_str!("templates.sql"),
    include_str!("tickets.sql"),
];

/// Tables with rows of an analysis.
pub(super) const PARTS: [&str; 8] =
    ["versions", "nodes", "not_collected", "findings", "outcomes", "issues", "template_rules", "bundle_templates"];

const VIEWS: &str = include_str!("views.sql");

/// Time to wait for another process that locks the store.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// Returns the version of a store; 0 for an empty file. `database` is its name in the connection.
///
/// # Errors
/// Fails when the store is newer than this program, or the file is no store: its tables and indexes must be those of
/// its version, and it must have no triggers. Its views are not used.
pub fn version(connection: &Connection, database: &str, path: &Path) -> Result<i64, StoreError> {
    // One snapshot for all that is read: another process may create or migrate the store meanwhile.
    let snapshot = connection.is_autocommit().then(|| connection.unchecked_transaction()).transpose();
    let _snapshot = snapshot.map_err(|error| StoreError::of(path, error))?;
    let pragma = |name: &str| connection.query_row(&format!("PRAGMA {database}.{name}"), [], |row| row.get(0));
    let read = || {
        let all = format!("SELECT count(*) FROM {database}.sqlite_schema");
        let objects: i64 = connection.query_row(&all, [], |row| row.get(0))?;
        Ok((pragma("application_id")?, pragma("user_version")?, objects))
    };
    let (application, found, objects) = read().map_err(|error| StoreError::of(path, error))?;
    if application != APPLICATION && (objects > 0 || application != 0 || found != 0) {
        return Err(StoreError::Foreign(path.to_owned()));
    }
    if found > VERSION {
        return Err(StoreError::Newer { path: path.to_owned(), found, known: VERSION });
    }
    let compared = || Ok(definitions(connection, database)? == definitions(&empty(found)?, "main")?);
    match compared().map_err(|error| StoreError::of(path, error))? {
        true => Ok(found),
        false => Err(StoreError::Altered(path.to_owned())),
    }
}

/// Returns a new store of some version in memory, without views.
fn empty(version: i64) -> rusqlite::Result<Connection> {
    let connection = Connection::open_in_memory()?;
    steps(0, version).try_for_each(|step| connection.execute_batch(step))?;
    Ok(connection)
}

/// Returns the migrations between two versions.
fn steps(from: i64, to: i64) -> impl Iterator<Item = &'static str> {
    let [from, to] = [from, to].map(|version| usize::try_from(version).unwrap_or(0));
    STEPS.into_iter().take(to).skip(from)
}

/// Returns everything but views that a schema defines, as text; statistics and what SQLite makes itself apart.
fn definitions(connection: &Connection, database: &str) -> rusqlite::Result<BTreeSet<[String; 3]>> {
    let all = format!(
        "SELECT type, name, coalesce(sql, '') FROM {database}.sqlite_schema
         WHERE type <> 'view' AND NOT (type = 'index' AND sql IS NULL) AND NOT (type = 'table' AND name LIKE 'sqlite_stat_')"
    );
    let mut statement = connection.prepare(&all)?;
    statement.query_map([], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?]))?.collect()
}

/// Prepares a store for writing.
pub(super) fn prepare(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    let found = version(connection, "main", path)?;
    let failed = |error| match StoreError::of(path, error) {
        StoreError::ReadOnly(path) if (1..VERSION).contains(&found) => {
            StoreError::Older { path, found, known: VERSION }
        }
        error => error,
    };
    configure(connection).map_err(failed)?;
    if found == VERSION && has_current_views(connection).map_err(failed)? {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    // Another process may have created or migrated it since.
    let found = version(&transaction, "main", path)?;
    migrate(&transaction, found).map_err(failed)?;
    transaction.commit().map_err(failed)
}

/// With a write-ahead log readers do not wait, and a power failure loses at most the last transactions.
#[expect(clippy::disallowed_methods, reason = "nothing tells when the other process is done")]
fn configure(connection: &Connection) -> rusqlite::Result<()> {
    let begin = Instant::now();
    // SQLite itself does not wait for others that change to the log at the same time.
    while let Err(error) = connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())) {
        let busy = matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked));
        if !busy || begin.elapsed() > PATIENCE {
            return Err(error);
        }
        thread::sleep(Duration::from_millis(10));
    }
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "foreign_keys", "ON")
}

/// Uses the views of this program in a store that has others.
pub(super) fn own_views(connection: &Connection) -> rusqlite::Result<()> {
    if has_current_views(connection)? {
        return Ok(());
    }
    connection.execute_batch(&VIEWS.replace("CREATE VIEW ", "CREATE TEMP VIEW "))
}

fn migrate(transaction: &Transaction<'_>, found: i64) -> rusqlite::Result<()> {
    steps(found, VERSION).try_for_each(|step| transaction.execute_batch(step))?;
    let views: Vec<String> = transaction
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'view'")?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    for view in views {
        transaction.execute_batch(&format!("DROP VIEW \"{}\"", view.replace('"', "\"\"")))?;
    }
    transaction.execute_batch(VIEWS)?;
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", VERSION)
}

/// Returns true if the stored views have the text of this program.
fn has_current_views(connection: &Connection) -> rusqlite::Result<bool> {
    let mut statement = connection.prepare("SELECT sql FROM sqlite_schema WHERE type = 'view'")?;
    let found: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    Ok(found.len() == VIEWS.matches("CREATE VIEW ").count() && found.iter().all(|view| VIEWS.contains(view)))
}
