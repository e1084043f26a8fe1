//! Opening a store: [`Store`].

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::error::StoreError;
use super::schema;

/// Time to wait for another process that locks the store.
const PATIENCE: Duration = Duration::from_secs(30);

/// Open store.
pub struct Store {
    pub(super) connection: Connection,
    pub(super) path: PathBuf,
}

impl Store {
    /// Opens a store for writing; creates it if needed, and migrates an older one.
    ///
    /// # Errors
    /// Fails when the file cannot be written, is newer, or is no store.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let connection = Connection::open(path).map_err(|error| StoreError::of(path, error))?;
        let mut store = Self { connection, path: path.to_owned() };
        store.with_connection(|connection| connection.busy_timeout(PATIENCE))?;
        schema::prepare(&mut store.connection, path)?;
        Ok(store)
    }

    /// Opens an existing store for reading; migrates an older one first.
    ///
    /// # Errors
    /// Fails when there is none, or as [`Store::open`].
    pub fn open_to_read(path: &Path) -> Result<Self, StoreError> {
        if !path.exists() {
            return Err(StoreError::Missing(path.to_owned()));
        }
        let mut store = Self::read_only(path, "mode=ro")?;
        let mut found = schema::version(&store.connection, path);
        if matches!(found, Err(StoreError::Sqlite { .. } | StoreError::ReadOnly(_))) && !has_log(path) {
            // SQLite needs a second file next to the store to coordinate with writers. A read-only folder has no writers.
            store = Self::read_only(path, "immutable=1")?;
            found = schema::version(&store.connection, path);
        }
        if found? < schema::VERSION {
            drop(store);
            drop(Self::open(path)?);
            return Self::read_only(path, "mode=ro");
        }
        Ok(store)
    }

    fn read_only(path: &Path, mode: &str) -> Result<Self, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
        let open = || {
            let connection = Connection::open_with_flags(uri(path, mode), flags)?;
            connection.busy_timeout(PATIENCE)?;
            Ok(connection)
        };
        let connection = open().map_err(|error| StoreError::of(path, error))?;
        Ok(Self { connection, path: path.to_owned() })
    }

    /// Returns the connection for queries.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    pub(in crate::triage) fn connection_mut(&mut self) -> &mut Connection {
        &mut self.connection
    }

    pub(in crate::triage) fn with_connection<T>(
        &self,
        ask: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        ask(&self.connection).map_err(|error| StoreError::of(&self.path, error))
    }
}

/// Returns the SQLite URI of a file.
pub(super) fn uri(path: &Path, mode: &str) -> String {
    let escaped = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    format!("file:{escaped}?{mode}")
}

/// Returns true if there is a write-ahead log next to the file.
fn has_log(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    Path::new(&log).exists()
}
