//! The store: an SQLite file with everything that was found, written by one process at a time and read by anybody.
//!
//! [`schema`] makes and migrates it, [`write`] puts in what became of one file in one transaction, [`read`] looks up what is
//! known of a file, [`merge`] brings several stores together.

mod file;
mod merge;
mod read;
pub mod schema;
#[cfg(test)]
mod tests;
mod write;

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags};
use sha2::{Digest, Sha256};

pub use file::{FileRow, Status};
pub use merge::Merged;
pub use read::{Holdings, Known, Original, RuleRow};

/// How long another process may hold the store.
const PATIENCE: Duration = Duration::from_secs(30);

/// A store that is open.
pub struct Store {
    connection: Connection,
    path: PathBuf,
}

/// Why a store cannot be used. Whatever was in it before is still there.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("there is no store `{}`; `gleaner triage DIR --store {}` makes one", .0.display(), .0.display())]
    Missing(PathBuf),
    #[error("`{}` is not a store of gleaner; it is left as it is, give the store another name", .0.display())]
    Foreign(PathBuf),
    #[error(
        "the store `{}` is of version {found}, and this gleaner knows {} at most; use the gleaner that wrote it, or a newer one",
        .path.display(), schema::VERSION
    )]
    Newer { path: PathBuf, found: i64 },
    #[error(
        "the store `{}` is of version {found} and cannot be brought to version {} because it is read-only; make it writable once",
        .path.display(), schema::VERSION
    )]
    Older { path: PathBuf, found: i64 },
    #[error("cannot write the store `{}`: it is read-only; make it and its folder writable, or copy it", .0.display())]
    ReadOnly(PathBuf),
    #[error("cannot write the store `{}`: the disk is full; free some space and run again, what is stored stays", .0.display())]
    Full(PathBuf),
    #[error("cannot use the store `{}`: {source}; see whether the disk is full or has faults, what is stored stays", .path.display())]
    Disk { path: PathBuf, source: rusqlite::Error },
    #[error("the store `{}` is in use by another process; wait until it has finished", .0.display())]
    Busy(PathBuf),
    /// The database refuses what was found in one bundle, not the store as such.
    #[error("{0}")]
    Refused(rusqlite::Error),
    #[error("cannot use the store `{}`: {source}", .path.display())]
    Sqlite { path: PathBuf, source: rusqlite::Error },
}

impl StoreError {
    fn of(path: &Path, source: rusqlite::Error) -> Self {
        let path = path.to_owned();
        if matches!(source, rusqlite::Error::ToSqlConversionFailure(_)) {
            return Self::Refused(source);
        }
        match source.sqlite_error_code() {
            Some(ErrorCode::ConstraintViolation | ErrorCode::TooBig) => Self::Refused(source),
            Some(ErrorCode::NotADatabase) => Self::Foreign(path),
            Some(ErrorCode::ReadOnly) => Self::ReadOnly(path),
            Some(ErrorCode::DiskFull) => Self::Full(path),
            Some(ErrorCode::SystemIoFailure) => Self::Disk { path, source },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy(path),
            _ => Self::Sqlite { path, source },
        }
    }
}

impl Store {
    /// Opens a store for writing; makes it if there is none, and brings an older one up to date.
    ///
    /// # Errors
    /// When it cannot be written, is newer, or is something else.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let connection = Connection::open(path).map_err(|error| StoreError::of(path, error))?;
        let mut store = Self { connection, path: path.to_owned() };
        store.told(|connection| connection.busy_timeout(PATIENCE))?;
        schema::prepare(&mut store)?;
        Ok(store)
    }

    /// Opens a store that is there to read it; an older one is brought up to date first.
    ///
    /// # Errors
    /// When there is none, or as [`Store::open`].
    pub fn open_to_read(path: &Path) -> Result<Self, StoreError> {
        if !path.exists() {
            return Err(StoreError::Missing(path.to_owned()));
        }
        let mut store = Self::read_only(path, "mode=ro")?;
        let mut found = schema::version(&store);
        if matches!(found, Err(StoreError::Sqlite { .. } | StoreError::ReadOnly(_))) && !has_log(path) {
            // In a folder that is read-only there can be no file beside it to speak with a writer; there is none then.
            store = Self::read_only(path, "immutable=1")?;
            found = schema::version(&store);
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

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The connection, for questions.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    pub(super) fn connection_mut(&mut self) -> &mut Connection {
        &mut self.connection
    }

    pub(super) fn told<T>(&self, ask: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        ask(&self.connection).map_err(|error| StoreError::of(&self.path, error))
    }
}

/// A file as SQLite's URI.
fn uri(path: &Path, mode: &str) -> String {
    let escaped = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    format!("file:{escaped}?{mode}")
}

/// Whether there is a log beside the file with what was written last.
fn has_log(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    Path::new(&log).exists()
}

/// A number for a name, the same in every store; 63 bits of its SHA-256.
pub(super) fn number(name: &str) -> i64 {
    let digest = Sha256::digest(name.as_bytes());
    let first = digest.iter().take(8).fold(0u64, |number, byte| number << 8 | u64::from(*byte));
    i64::try_from(first >> 1).unwrap_or(i64::MAX)
}
