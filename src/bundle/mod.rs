//! Bundles: what the user gives, and the files in it.
//!
//! [`Bundle::open`] tells the container by its content (zip, tar, either of them or a file alone behind gzip, xz, bzip2 or zstd, or a folder), lists every [`Entry`], also those
//! of archives inside archives, and gives each its [`Role`]. [`Bundle::read`] then visits the wanted ones in parallel.
//! Nothing is ever unpacked to disk. A bundle is hostile: names cannot lead out of it, every size is checked against
//! one [`Limits`], and what cannot be read becomes an [`Issue`] while the rest goes on. This module knows nothing of
//! what stands in the files, but for the name of the host that a collection of one host is of.
//!
//! ```
//! use gleaner::bundle::{Bundle, Limits, Role};
//!
//! let files = vec![("logs/demo/web-0/nginx.log".to_owned(), b"started\n".to_vec())];
//! let bundle = Bundle::from_memory("demo", files, Limits::default());
//! assert!(matches!(&bundle.entries()[0].role, Role::PodLog { pod, .. } if pod == "web-0"));
//! ```

mod catalogue;
mod content;
mod detect;
mod dir;
mod draft;
mod error;
mod guard;
mod host;
mod kind;
mod layer;
mod layout;
mod limits;
mod links;
mod listing;
mod markers;
mod memory;
mod name;
mod nested;
mod notes;
mod open;
mod packed;
mod packing;
mod part;
mod path;
pub mod probe;
mod queue;
mod read;
mod root;
mod sparse;
mod tally;
mod tar;
mod unpacked;
mod zip;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

use crate::model::{Collector, Issue, IssueKind, Origin};
use layer::{Job, Layer, Place};
use read::{FailedAt, Failure};

pub use error::OpenError;
pub use kind::Kind;
pub use layout::troubleshoot::name_of as troubleshoot_name;
pub use layout::{Layout, Role, Summary};
pub use limits::{Limit, Limits, Unit};
pub use name::BundleName;
pub use unpacked::Unpacked;

/// What the user gave, listed.
pub struct Bundle {
    container: Container,
    /// Where the outermost container lies.
    disk: PathBuf,
    /// The archive that the bundle is, where it lies in another container.
    archive: Option<Job>,
    /// Shared by all bundles of one container.
    layers: Arc<Vec<Layer>>,
    entries: Vec<Entry>,
    issues: Vec<Issue>,
    kind: Kind,
    layout: Option<Layout>,
    collector: Option<Collector>,
    limits: Limits,
    lost: Vec<Lost>,
    cut: Option<String>,
    cut_nodes: BTreeSet<String>,
    host: Option<String>,
    name: Option<BundleName>,
}

/// The file or folder that is the bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Container {
    /// As it was given; of one of several bundles in it with its place therein: `ticket.zip!/a.zip`, `ticket/a.zip`.
    pub path: String,
    /// Size of the file; for a folder the sum of its files.
    pub bytes: u64,
    pub is_directory: bool,
}

/// One file of the bundle, also in nested archives.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Relative to the bundle's root, `!/` between archives: `nodes/node1.zip!/node1/logs/kernel.log`.
    pub path: Arc<str>,
    /// The path without archive layers, as globs of file facts see it: `nodes/node1/logs/kernel.log`.
    pub logical: Arc<str>,
    /// Bytes, expanded; reading never gives more.
    pub size: u64,
    pub role: Role,
    place: Place,
    /// The bytes, where they were cheap to keep.
    held: Option<Arc<Vec<u8>>>,
    /// CRC-32, where the container states it.
    crc: Option<u32>,
    /// In the outermost container, not in a nested archive.
    outer: bool,
}

/// A file that is in the bundle and cannot be read, so its absence proves nothing.
#[derive(Clone, Debug)]
pub struct Lost {
    /// As [`Entry::path`].
    pub path: Arc<str>,
    /// As [`Entry::logical`].
    pub logical: Arc<str>,
    /// What it would be good for.
    pub role: Role,
    /// Why it cannot be read.
    pub why: String,
}

impl Bundle {
    /// All files, nested ones included, sorted by path. Folders, links and what is not readable are not among them.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// What was found to be wrong while listing, sorted.
    pub fn issues(&self) -> &[Issue] {
        &self.issues
    }

    /// The file or folder that it is.
    pub fn container(&self) -> &Container {
        &self.container
    }

    /// Whose bundle it is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// How its collector arranged it; none if no collector did.
    pub fn layout(&self) -> Option<Layout> {
        self.layout
    }

    /// What its name says: that of the folder around it, else that of the container.
    pub fn name(&self) -> Option<&BundleName> {
        self.name.as_ref()
    }

    /// Whether objects of an entry are printed from Go structs, by its path without archive layers.
    pub fn holds_go_structs(&self, logical: &str) -> bool {
        layout::holds_go_structs(self.layout, logical)
    }

    /// Files that were refused (limits, encryption, links and the like), sorted by path.
    pub fn lost(&self) -> &[Lost] {
        &self.lost
    }

    /// Why there may be files that are not even listed: the container is cut off, or too many files are lost.
    pub fn cut(&self) -> Option<&str> {
        self.cut.as_deref()
    }

    /// Nodes whose own archives are damaged, so that there may be logs and files of them that are not listed.
    pub fn cut_nodes(&self) -> &BTreeSet<String> {
        &self.cut_nodes
    }

    /// The node that all of it was collected on, where the collector works so; as the collector calls it.
    pub fn host(&self) -> Option<&str> {
        self.host.as_deref()
    }

    /// What an entry at that path without archive layers would be good for.
    pub fn role_at(&self, logical: &str) -> Role {
        layout::role(self.layout, logical, false, self.host.as_deref().unwrap_or_default())
    }

    /// Bytes of nested archives that lie open in memory while entries are read, at most.
    pub fn open_bytes(&self) -> u64 {
        read::open_bytes(&self.layers)
    }

    /// The limits that it was opened with.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The program that made it, as far as the layout tells.
    pub fn collector(&self) -> Option<Collector> {
        self.collector.clone()
    }

    /// Calls `visit` once for each wanted entry, in parallel on the current rayon pool, in no particular order (the
    /// largest first where the container allows). Returns what could not be read, sorted.
    ///
    /// The reader never fails: damage ends it early and is told in the result; so what was read before is still used.
    /// A visit may stop reading early. An entry that cannot be reached at all is not visited.
    pub fn read(
        &self,
        wanted: &(dyn Fn(&Entry) -> bool + Sync),
        visit: &(dyn Fn(&Entry, &mut dyn Read) + Sync),
    ) -> Vec<Issue> {
        let wanted: Vec<&Entry> = self.entries.iter().filter(|entry| wanted(entry)).collect();
        let jobs: Vec<Job> = wanted.iter().map(|entry| entry.job()).collect();
        let failures = read::run(&self.layers, &self.disk, &jobs, &|index, reader| {
            if let Some(entry) = wanted.get(index) {
                visit(entry, reader);
            }
        });
        let path = |index: usize| wanted.get(index).map(|entry| Arc::clone(&entry.path));
        let mut issues: Vec<Issue> = failures.into_iter().map(|failure| self.issue(failure, &path)).collect();
        issues.sort();
        issues
    }

    fn issue(&self, failure: Failure, path: &dyn Fn(usize) -> Option<Arc<str>>) -> Issue {
        let entry = match failure.at {
            FailedAt::Job(index) => path(index),
            FailedAt::Layer(index) => self
                .layers
                .get(index)
                .map(|layer| Arc::from(layer.path.as_str()))
                .filter(|path: &Arc<str>| !path.is_empty()),
        };
        Issue { origin: entry.map(Origin::entry), kind: IssueKind::Archive, message: failure.message }
    }
}

impl Entry {
    fn job(&self) -> Job {
        Job { place: self.place, size: self.size, held: self.held.clone() }
    }
}
