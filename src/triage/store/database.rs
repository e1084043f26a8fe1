//! Opening a store: [`Store`].

use std::fmt::Write;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::error::StoreError;
use super::schema;

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
        check_file(path)?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
            return Err(StoreError::NoFolder { path: path.to_owned(), folder: folder.to_owned() });
        }
        let mut store =
            Self::connect(path, "mode=rwc", OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)?;
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
        check_file(path)?;
        let mut store = Self::to_read(path)?;
        let mut found = schema::version(&store.connection, "main", path);
        if matches!(found, Err(StoreError::Sqlite { .. } | StoreError::ReadOnly(_) | StoreError::Unopened(_)))
            && !has_log(path)
        {
            // SQLite needs a second file next to the store to coordinate with writers. A read-only folder has no writers.
            store = Self::connect(path, "immutable=1", OpenFlags::SQLITE_OPEN_READ_ONLY)?;
            found = schema::version(&store.connection, "main", path);
        }
        match found? {
            0 => return Err(StoreError::Empty(path.to_owned())),
            found if found < schema::VERSION => {
                drop(store);
                drop(Self::open(path)?);
                store = Self::to_read(path)?;
            }
            _ => {}
        }
        store.with_connection(schema::own_views)?;
        Ok(store)
    }

    /// Connects for reading. A connection that may write removes the files next to the store when it is the last to close; one
    /// that only reads leaves them. SQLite itself only reads a file that is read-only.
    fn to_read(path: &Path) -> Result<Self, StoreError> {
        Self::connect(path, "mode=rw", OpenFlags::SQLITE_OPEN_READ_WRITE)
    }

    /// Connects without trust in what the file defines: no trigger runs, and no function with effects is called from a schema.
    fn connect(path: &Path, mode: &str, access: OpenFlags) -> Result<Self, StoreError> {
        let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
        let open = || {
            let connection = Connection::open_with_flags(uri(path, mode), flags)?;
            connection.busy_timeout(schema::PATIENCE)?;
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
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

/// Fails for a folder, and for a file that does not begin as SQLite's do: SQLite takes one that is very short for empty.
fn check_file(path: &Path) -> Result<(), StoreError> {
    const HEADER: &[u8] = b"SQLite format 3\0";
    match path.metadata() {
        Ok(found) if found.is_dir() => return Err(StoreError::Folder(path.to_owned())),
        Ok(found) if !found.is_file() => return Err(StoreError::NoFile(path.to_owned())),
        _ => {}
    }
    let mut head = Vec::new();
    // What cannot be read is reported by SQLite.
    let read = File::open(path).and_then(|file| file.take(HEADER.len() as u64).read_to_end(&mut head));
    if read.is_ok() && !head.is_empty() && head != HEADER {
        return Err(StoreError::Foreign(path.to_owned()));
    }
    check_beside(path)
}

/// Fails if a file has the name of one that SQLite writes next to a store, and is none: SQLite would remove it.
fn check_beside(path: &Path) -> Result<(), StoreError> {
    // https://www.sqlite.org/fileformat2.html: sections 3, 4.1 and of the WAL-index 1.1; a journal that is done has zeros.
    const BESIDE: [(&str, &[&[u8]]); 3] = [
        ("-journal", &[b"\xd9\xd5\x05\xf9", b"\0\0\0\0"]),
        ("-wal", &[b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83"]),
        ("-shm", &[b"\x18\xe2\x2d\0", b"\0\x2d\xe2\x18", b"\0\0\0\0"]),
    ];
    for (ending, heads) in BESIDE {
        let beside = beside(path, ending);
        let mut head = Vec::new();
        let read = File::open(&beside).and_then(|file| file.take(4).read_to_end(&mut head));
        if read.is_ok_and(|length| length > 0) && !heads.contains(&head.as_slice()) {
            return Err(StoreError::Beside { path: path.to_owned(), beside });
        }
    }
    Ok(())
}

/// Returns the name of a file that SQLite writes next to a store.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Returns the SQLite URI of a file.
pub(super) fn uri(path: &Path, mode: &str) -> String {
    let mut uri = "file:".to_owned();
    // Relative, so that neither `:memory:` nor `//host` means something else.
    if path.is_relative() {
        uri.push_str("./");
    }
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => uri.push(char::from(*byte)),
            // Writing to a String cannot fail.
            other => drop(write!(uri, "%{other:02x}")),
        }
    }
    format!("{uri}?{mode}")
}

/// Returns true if there is a write-ahead log next to the file.
fn has_log(path: &Path) -> bool {
    beside(path, "-wal").exists()
}
