//! One bundle, listed: [`Bundle`].

use std::collections::BTreeSet;
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

use crate::bundle::collectors::bundle_name::BundleName;
use crate::bundle::collectors::role::Role;
use crate::bundle::collectors::spec::{CollectorSpec, EmptyLists};
use crate::bundle::collectors::table;
use crate::bundle::containers::layer::{Job, Layer};
use crate::bundle::entry::{Entry, UnreadableFile};
use crate::bundle::limits::Limits;
use crate::bundle::read::{self, FailedAt, Failure};
use crate::model::{BundleKind, Collector, Issue, IssueKind, Origin};

/// What the user gave, listed.
pub struct Bundle {
    pub(super) container: Container,
    /// Where the outermost container lies.
    pub(super) disk: PathBuf,
    /// The archive that the bundle is, where it lies in another container.
    pub(super) archive: Option<Job>,
    /// Shared by all bundles of one container.
    pub(super) layers: Arc<Vec<Layer>>,
    pub(super) entries: Vec<Entry>,
    pub(super) issues: Vec<Issue>,
    pub(super) kind: BundleKind,
    pub(super) spec: Option<&'static CollectorSpec>,
    pub(super) collector: Option<Collector>,
    pub(super) limits: Limits,
    pub(super) unreadable: Vec<UnreadableFile>,
    pub(super) truncated: Option<String>,
    pub(super) truncated_nodes: BTreeSet<String>,
    pub(super) host: Option<String>,
    pub(super) name: Option<BundleName>,
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

    /// The kind of bundle.
    pub fn kind(&self) -> BundleKind {
        self.kind
    }

    /// The collector that arranged it; none if no marker shows one.
    pub fn spec(&self) -> Option<&'static CollectorSpec> {
        self.spec
    }

    /// What the lists mean in which there are no objects.
    pub fn empty_lists(&self) -> EmptyLists {
        table::empty_lists(self.spec)
    }

    /// Returns true if all of it is of one machine.
    pub fn is_of_one_machine(&self) -> bool {
        self.host.is_some() || self.spec.is_some_and(|spec| !spec.host.files.is_empty())
    }

    /// What its name says: that of the folder around it, else that of the container.
    pub fn name(&self) -> Option<&BundleName> {
        self.name.as_ref()
    }

    /// Returns true if the objects of an entry are printed from Go structs, by its path without archive layers.
    pub fn holds_go_structs(&self, logical: &str) -> bool {
        self.spec.is_some_and(|spec| (spec.holds_go_structs)(logical))
    }

    /// Returns true if its dumps are those of support-bundle-kit.
    pub fn is_kit(&self) -> bool {
        self.spec.is_some_and(|spec| spec.is_kit)
    }

    /// Files that were refused (limits, encryption, links and the like), sorted by path.
    pub fn unreadable(&self) -> &[UnreadableFile] {
        &self.unreadable
    }

    /// Why there may be files that are not even listed: the container is cut off, or too many files are lost.
    pub fn truncated(&self) -> Option<&str> {
        self.truncated.as_deref()
    }

    /// Nodes whose own archives are damaged, so that there may be logs and files of them that are not listed.
    pub fn truncated_nodes(&self) -> &BTreeSet<String> {
        &self.truncated_nodes
    }

    /// The node that all of it was collected on, where the collector works so; as the collector calls it.
    pub fn host(&self) -> Option<&str> {
        self.host.as_deref()
    }

    /// What an entry at that path without archive layers would be good for.
    pub fn role_at(&self, logical: &str) -> Role {
        table::role(self.spec, logical, false, self.host.as_deref().unwrap_or_default())
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

    pub(super) fn issue(&self, failure: Failure, path: &dyn Fn(usize) -> Option<Arc<str>>) -> Issue {
        let entry = match failure.at {
            FailedAt::Job(index) => path(index),
            FailedAt::Layer(index) => self
                .layers
                .get(index)
                .map(|layer| Arc::from(layer.path.as_str()))
                .filter(|path: &Arc<str>| !path.is_empty()),
        };
        Issue { origin: entry.map(Origin::entry), kind: IssueKind::Archive, message: failure.message.into() }
    }
}
