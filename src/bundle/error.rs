//! Reasons why a bundle cannot be analysed at all: [`OpenError`]. Each message names what failed, where, and what to
//! do.

use std::io;

/// Error that prevents reading anything from the input.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("`{path}` does not exist; check the spelling, or the folder you are in")]
    NotFound { path: String },
    #[error("no permission to read `{path}`; make it readable or copy it to a place of your own")]
    Permission { path: String },
    #[error("`{path}` is empty (0 bytes); download or copy it again")]
    Empty { path: String },
    #[error(
        "`{path}` is neither a file nor a folder; give the archive of a support bundle, or the folder it was unpacked to"
    )]
    NotAFile { path: String },
    #[error(
        "`{path}` is neither an archive nor a dump or log: it looks like {looks}; give the archive of a support bundle, or the folder it was unpacked to"
    )]
    NotAnArchive { path: String, looks: String },
    #[error(
        "`{path}` is the last part of a zip that was split; join the parts and give the whole: `zip -s 0 {path} --out whole.zip`"
    )]
    Split { path: String },
    #[error(
        "`{path}` is a later part of an archive that was split; give its first part, `{first}`: the others are read with it"
    )]
    LaterPart { path: String, first: String },
    #[error(
        "the {format} archive `{path}` {what}; download or copy it again, or unpack what is left of it and give that folder"
    )]
    Damaged { path: String, format: &'static str, what: String },
    #[error("`{path}` is compressed as {format}, which is not read; unpack it and give the folder")]
    Unsupported { path: String, format: String },
    #[error("all {entries} entries of `{path}` are encrypted; unpack it with its password and give the folder")]
    Encrypted { path: String, entries: u64 },
    #[error("`{path}` holds no readable file ({seen}); check that it is the support bundle and that it is complete")]
    NothingReadable { path: String, seen: String },
    #[error(
        "`{path}` is not a support bundle: no yaml, json or log file in it, only {seen}; give the archive that the support bundle page or the collector produced"
    )]
    NotABundle { path: String, seen: String },
    #[error("`{path}` holds {count} bundles; give one of them alone, such as `{example}`: unpack what is around it")]
    Several { path: String, count: usize, example: String },
    #[error("cannot read `{path}`")]
    Io { path: String, source: io::Error },
}

impl OpenError {
    /// Returns the variant for an operating system error.
    pub(crate) fn io(path: &str, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::NotFound => Self::NotFound { path },
            io::ErrorKind::PermissionDenied => Self::Permission { path },
            _ => Self::Io { path, source },
        }
    }
}
