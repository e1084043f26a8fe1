//! A file of the archive, and what became of it.

use std::sync::Arc;

use super::ids::number;
use crate::triage::worker::message::Analysed;

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Analysed,
    /// It can be read and is no support bundle.
    NoBundle,
    /// It cannot be read, or nothing in it can.
    Unreadable,
    /// Stopped because it took longer than `--bundle-time`.
    OverTime,
    /// Stopped because it took more than `--bundle-memory`.
    OverMemory,
    /// Its worker ended.
    Crashed,
}

impl Status {
    /// As in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Analysed => "analysed",
            Self::NoBundle => "no_bundle",
            Self::Unreadable => "unreadable",
            Self::OverTime => "over_time",
            Self::OverMemory => "over_memory",
            Self::Crashed => "crashed",
        }
    }
}

/// What a file or folder of the archive is, whatever is in it.
#[derive(Clone, Debug)]
pub struct FileRow {
    pub input: Arc<str>,
    pub path: String,
    /// Its own name, which may say when it was made and where.
    pub name: String,
    pub is_folder: bool,
    pub size: u64,
    pub mtime: String,
    pub stamp: String,
    pub reader: Arc<str>,
    pub sha256: Option<String>,
    pub seconds: f64,
    pub run: Arc<str>,
}

impl FileRow {
    /// The key of the analysis of a bundle in it.
    pub(super) fn key(&self, of: &Analysed) -> String {
        match &self.sha256 {
            Some(sha256) if of.place.is_empty() => sha256.clone(),
            Some(sha256) => format!("{sha256}!/{}", of.place),
            None if of.whole => format!("folder {}", of.content_id),
            // What cannot be read of a folder is not part of its content.
            None => {
                let issues: Vec<String> = of.issues.iter().map(|issue| format!("{issue:?}")).collect();
                format!("damaged folder {} {:016x}", of.content_id, number(&issues.join("\n")))
            }
        }
    }
}
