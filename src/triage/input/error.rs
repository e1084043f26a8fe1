//! Inputs that cannot be used: [`InputError`].

use std::path::PathBuf;

use super::objects::ObjectError;

/// Reason why an input cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    #[error("`{}` does not exist; check the spelling and the current folder", .0.display())]
    Missing(PathBuf),
    #[error("cannot read `{}`: {source}", .path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("`{address}`: {source}")]
    Objects { address: String, source: ObjectError },
    #[error("the list `{}` is longer than {max_mib} MiB", .path.display())]
    LongList { path: PathBuf, max_mib: u64 },
}
