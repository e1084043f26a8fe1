//! A listed bundle: [`Bundle`].

use std::collections::BTreeSet;
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

use crate::bundle::collectors::bundle_name::BundleName;
use crate::bundle::collectors::role::Role;
use crate::bundle::collectors::spec::{CollectorSpec, EmptyLists};
use crate::bundle::collectors::table;
use crate::bundle::containers::layer::{ContainerLayer, ReadRequest};
use crate::bundle::entry::{Entry, UnreadableFile};
use crate::bundle::limits::Limits;
use crate::bundle::read::{self, FailedAt, Failure};
use crate::model::message::ArchiveProblem;
use crate::model::{BundleKind, Collector, Issue, IssueKind, Origin};

/// Listed bundle of the user's input.
pub struct Bundle {
    pub(super) container: Container,
    /// Path of the outermost container.
    pub(super) disk: PathBuf,
    /// The bundle's own archive, if it is nested in another container.
    pub(super) archive: Option<ReadRequest>,
    /// Shared by all bundles of one container.
    pub(super) layers: Arc<Vec<ContainerLayer>>,
    pub(super) entries: Vec<Entry>,
    pub(super) issues: Vec<Issue>,
    pub(super) kind: BundleKind,
    pub(super) spec: Option<&'static CollectorSpec>,
    pub(super) collector: Option<Collector>,
    pub(super) limits: Limits,
    pub(super) unreadable: Vec<UnreadableFile>,
    pub(super) truncated: Option<ArchiveProblem>,
    pub(super) truncated_nodes: BTreeSet<String>,
    pub(super) host: Option<String>,
    pub(super) name: Option<BundleName>,
}

/// File or folder of a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Container {
    /// Path as given; for one of several bundles, followed by its location: `ticket.zip!/a.zip`, `ticket/a.zip`.
    pub path: String,
    /// Size of the file, or total size of the folder's files.
    pub bytes: u64,
    pub is_directory: bool,
}

impl Bundle {
    /// Returns all files, nested ones included, sorted by path; without folders, links and unreadable files.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns the issues found while listing, sorted.
    pub fn issues(&self) -> &[Issue] {
        &self.issues
    }

    /// Returns the bundle's file or folder.
    pub fn container(&self) -> &Container {
        &self.container
    }

    /// Returns the kind of bundle.
    pub fn kind(&self) -> BundleKind {
        self.kind
    }

    /// Returns the collector that made the layout; none if no marker identifies one.
    pub fn spec(&self) -> Option<&'static CollectorSpec> {
        self.spec
    }

    /// Returns the meaning of lists without objects.
    pub fn empty_lists(&self) -> EmptyLists {
        table::empty_lists(self.spec)
    }

    /// Returns true if all files are from one machine.
    pub fn is_of_one_machine(&self) -> bool {
        self.host.is_some() || self.spec.is_some_and(|spec| !spec.host.files.is_empty())
    }

    /// Returns the parsed name of the folder around the bundle, or else of the container.
    pub fn name(&self) -> Option<&BundleName> {
        self.name.as_ref()
    }

    /// Returns true if the entry at this path without archive layers holds objects printed from Go structs.
    pub fn holds_go_structs(&self, logical: &str) -> bool {
        self.spec.is_some_and(|spec| (spec.holds_go_structs)(logical))
    }

    /// Returns true if its dumps were written by support-bundle-kit.
    pub fn is_kit(&self) -> bool {
        self.spec.is_some_and(|spec| spec.is_kit)
    }

    /// Returns unreadable files (limits, encryption, links and the like), sorted by path.
    pub fn unreadable(&self) -> &[UnreadableFile] {
        &self.unreadable
    }

    /// Returns the reason why files may not even be listed: the container is truncated, or too many files are
    /// unreadable.
    pub fn truncated(&self) -> Option<&ArchiveProblem> {
        self.truncated.as_ref()
    }

    /// Returns nodes with damaged archives, whose logs and files may not all be listed.
    pub fn truncated_nodes(&self) -> &BTreeSet<String> {
        &self.truncated_nodes
    }

    /// Returns the node of a collection from one node, by the collector's name for it.
    pub fn host(&self) -> Option<&str> {
        self.host.as_deref()
    }

    /// Returns the role of an entry at this path without archive layers.
    pub fn role_at(&self, logical: &str) -> Role {
        table::role(self.spec, logical, false, self.host.as_deref().unwrap_or_default())
    }

    /// Returns the maximum bytes of nested archives held in memory while entries are read.
    pub fn open_bytes(&self) -> u64 {
        read::open_bytes(&self.layers)
    }

    /// Returns the limits that the bundle was opened with.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Returns the program that made the bundle, if the layout identifies it.
    pub fn collector(&self) -> Option<Collector> {
        self.collector.clone()
    }

    /// Calls `visit` once for each requested entry, in parallel on the current rayon pool, in no particular order
    /// (largest first if the container allows it). Returns sorted issues of what could not be read.
    ///
    /// The reader never fails: damage ends it early and is reported in the result, so bytes read before it are still
    /// used. A visit may stop reading early. An entry that cannot be reached is not visited.
    pub fn read(
        &self,
        wanted: &(dyn Fn(&Entry) -> bool + Sync),
        visit: &(dyn Fn(&Entry, &mut dyn Read) + Sync),
    ) -> Vec<Issue> {
        let wanted: Vec<&Entry> = self.entries.iter().filter(|entry| wanted(entry)).collect();
        let requests: Vec<ReadRequest> = wanted.iter().map(|entry| entry.request()).collect();
        let failures = read::run(&self.layers, &self.disk, &requests, &|index, reader| {
            if let Some(entry) = wanted.get(index) {
                visit(entry, reader);
            }
        });
        let path = |index: usize| wanted.get(index).map(|entry| Arc::clone(&entry.path));
        let mut issues: Vec<Issue> = failures.into_iter().map(|failure| self.issue(failure, &path)).collect();
        let doubt = |entry: &&Entry| {
            let (kind, problem) = entry.doubt.clone()?;
            Some(Issue::at(Origin::entry(&*entry.path), kind, problem))
        };
        issues.extend(wanted.iter().filter_map(doubt));
        issues.sort();
        issues
    }

    pub(super) fn issue(&self, failure: Failure, path: &dyn Fn(usize) -> Option<Arc<str>>) -> Issue {
        let entry = match failure.at {
            FailedAt::Entry(index) => path(index),
            FailedAt::Archive(index) => self
                .layers
                .get(index)
                .map(|layer| Arc::from(layer.path.as_str()))
                .filter(|path: &Arc<str>| !path.is_empty()),
        };
        Issue { origin: entry.map(Origin::entry), kind: IssueKind::Archive, message: failure.problem.into() }
    }
}
