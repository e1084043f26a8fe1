//! Stores that cannot be used: [`StoreError`].

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// Reason why a store cannot be used. Its content is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("there is no store `{}`; create one with `gleaner triage DIR --store {}`", .0.display(), .0.display())]
    Missing(PathBuf),
    #[error("`{}` is a folder; give the name of a file in it", .0.display())]
    Folder(PathBuf),
    #[error("`{}` is a device or a pipe; give the name of a file", .0.display())]
    NoFile(PathBuf),
    #[error("cannot open the store `{}`; it must be a file that this user can read and write, in a folder that this user can write", .0.display())]
    Unopened(PathBuf),
    #[error("cannot create the store `{}`: folder `{}` does not exist; create it first, or correct the path", .path.display(), .folder.display())]
    NoFolder { path: PathBuf, folder: PathBuf },
    #[error("`{}` is empty, so it is no store; create one with `gleaner triage DIR --store {}`", .0.display(), .0.display())]
    Empty(PathBuf),
    #[error("`{}` exists and is not a store of gleaner; give the store another name", .0.display())]
    Foreign(PathBuf),
    #[error(
        "`{}` has the name of a file that SQLite writes and removes next to the store `{}`, and is none; move it, or give the store another name",
        .beside.display(), .path.display()
    )]
    Beside { path: PathBuf, beside: PathBuf },
    #[error("`{}` has tables, indexes or triggers that gleaner did not make; it is not used", .0.display())]
    Altered(PathBuf),
    #[error("the store `{}` is damaged ({error}); use a copy, or analyse the archive again into a new store", .path.display())]
    Damaged { path: PathBuf, error: rusqlite::Error },
    #[error(
        "the store `{}` has version {found}, and this gleaner supports {} at most; use the gleaner that wrote it, or a newer one",
        .path.display(), .known
    )]
    Newer { path: PathBuf, found: i64, known: i64 },
    #[error(
        "the store `{}` has version {found} and cannot be migrated to version {} because it is read-only; make it writable once",
        .path.display(), .known
    )]
    Older { path: PathBuf, found: i64, known: i64 },
    #[error("cannot write the store `{}`: it is read-only; make it and its folder writable, or copy it", .0.display())]
    ReadOnly(PathBuf),
    #[error("cannot write the store `{}`: the disk is full; free some space and run again (stored results are kept)", .0.display())]
    Full(PathBuf),
    #[error("cannot use the store `{}`: {error}; check the disk for free space and errors (stored results are kept)", .path.display())]
    Disk { path: PathBuf, error: rusqlite::Error },
    #[error("the store `{}` is in use by another process; wait until that has finished", .0.display())]
    Busy(PathBuf),
    /// The database rejects the results of one bundle; the store itself is fine.
    #[error("{0}")]
    Refused(rusqlite::Error),
    #[error("cannot use the store `{}`: {error}", .path.display())]
    Sqlite { path: PathBuf, error: rusqlite::Error },
}

impl StoreError {
    pub(super) fn of(path: &Path, error: rusqlite::Error) -> Self {
        let path = path.to_owned();
        if matches!(error, rusqlite::Error::ToSqlConversionFailure(_)) {
            return Self::Refused(error);
        }
        match error.sqlite_error_code() {
            Some(ErrorCode::ConstraintViolation | ErrorCode::TooBig) => Self::Refused(error),
            Some(ErrorCode::NotADatabase) => Self::Foreign(path),
            Some(ErrorCode::CannotOpen) => Self::Unopened(path),
            Some(ErrorCode::DatabaseCorrupt) => Self::Damaged { path, error },
            Some(ErrorCode::ReadOnly) => Self::ReadOnly(path),
            Some(ErrorCode::DiskFull) => Self::Full(path),
            Some(ErrorCode::SystemIoFailure) => Self::Disk { path, error },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy(path),
            _ => Self::Sqlite { path, error },
        }
    }
}
