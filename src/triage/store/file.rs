//! Files of an archive, and their status.

use std::sync::Arc;

use super::ids::number;
use crate::triage::worker::message::Analysed;

/// Status of a file that has no analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Readable, but no support bundle.
    NoBundle,
    /// The file, or everything in it, cannot be read.
    Unreadable,
    /// Stopped because it took longer than `--bundle-time`.
    OverTime,
    /// Stopped because it used more than `--bundle-memory`.
    OverMemory,
    /// The worker crashed.
    Crashed,
}

impl Status {
    /// Returns the name in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoBundle => "no_bundle",
            Self::Unreadable => "unreadable",
            Self::OverTime => "over_time",
            Self::OverMemory => "over_memory",
            Self::Crashed => "crashed",
        }
    }
}

/// File or folder of the archive, without its content.
#[derive(Clone, Debug)]
pub struct FileRow {
    pub input: Arc<str>,
    pub path: String,
    /// File name, which may contain a time and a host.
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
    /// Returns the key of the analysis of a bundle in the file.
    pub(super) fn key(&self, of: &Analysed) -> String {
        match &self.sha256 {
            Some(sha256) if of.place.is_empty() => sha256.clone(),
            Some(sha256) => format!("{sha256}!/{}", of.place),
            None if of.whole => format!("folder {}", of.content_id),
            // The content id does not cover unreadable files of a folder.
            None => {
                let issues: Vec<String> = of.issues.iter().map(|issue| format!("{issue:?}")).collect();
                format!("damaged folder {} {:016x}", of.content_id, number(&issues.join("\n")))
            }
        }
    }
}
