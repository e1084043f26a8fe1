//! Stores that cannot be used: [`StoreError`].

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// Why a store cannot be used. Whatever was in it before is still there.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("there is no store `{}`; `gleaner triage DIR --store {}` makes one", .0.display(), .0.display())]
    Missing(PathBuf),
    #[error("`{}` is not a store of gleaner; it is left as it is, give the store another name", .0.display())]
    Foreign(PathBuf),
    #[error(
        "the store `{}` is of version {found}, and this gleaner knows {} at most; use the gleaner that wrote it, or a newer one",
        .path.display(), .known
    )]
    Newer { path: PathBuf, found: i64, known: i64 },
    #[error(
        "the store `{}` is of version {found} and cannot be brought to version {} because it is read-only; make it writable once",
        .path.display(), .known
    )]
    Older { path: PathBuf, found: i64, known: i64 },
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
    pub(super) fn of(path: &Path, source: rusqlite::Error) -> Self {
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
