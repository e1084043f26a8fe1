//! A [`SubBundle`] of the input: one bundle, or everything around the bundles.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::bundle::catalogue::draft::Draft;
use crate::bundle::catalogue::notes::{Notes, Sort};
use crate::bundle::collectors::bundle_name::BundleName;
use crate::bundle::collectors::root::Root;
use crate::bundle::collectors::spec::CollectorSpec;
use crate::bundle::collectors::table::{logical_path, role};
use crate::bundle::containers::layer::{ContainerLayer, ReadRequest};
use crate::bundle::containers::listing::{Listing, Store};
use crate::bundle::path::{logical, printable};
use crate::bundle::{Bundle, Container, Entry, Limits, Role, UnreadableFile};
use crate::model::message::{ArchiveProblem, NameProblem};
use crate::model::{Issue, IssueKind};

/// Maximum number of unreadable files that are recorded individually.
const MOST_UNREADABLE: usize = 10_000;

/// State of a part during listing.
pub(crate) struct SubBundle {
    pub root: Root,
    /// Location in the input: `x/a.zip`, `a.tar!/host-1`; empty for the whole input.
    pub place: String,
    /// The part's own archive, which can be hashed; none for the whole input and for folders.
    pub archive: Option<ReadRequest>,
    pub notes: Notes,
    /// Number of unreadable files.
    pub skipped: u64,
    /// Path and reason of each unreadable file.
    unreadable: Vec<(String, ArchiveProblem)>,
    /// Nested archives that are not completely listed, and the reasons.
    broken: Vec<(String, ArchiveProblem)>,
    truncated: Option<ArchiveProblem>,
    /// Files that are not all that was collected under their path, and why; readers do not see it.
    pub doubtful: BTreeMap<String, (IssueKind, ArchiveProblem)>,
}

/// Data shared by all bundles of one container.
pub(crate) struct Shared {
    pub given: Container,
    pub disk: PathBuf,
    pub layers: Arc<Vec<ContainerLayer>>,
    pub limits: Limits,
}

impl SubBundle {
    pub fn new(root: Root, place: String, archive: Option<ReadRequest>) -> Self {
        Self {
            root,
            place,
            archive,
            notes: Notes::default(),
            skipped: 0,
            unreadable: Vec::new(),
            broken: Vec::new(),
            truncated: None,
            doubtful: BTreeMap::new(),
        }
    }

    /// Records an unreadable file.
    pub fn lose(&mut self, path: String, why: ArchiveProblem) {
        if self.unreadable.len() < MOST_UNREADABLE {
            self.unreadable.push((path, why));
        } else {
            self.truncated.get_or_insert(ArchiveProblem::TooManyUnreadable { most: MOST_UNREADABLE });
        }
    }

    /// Records a file whose name cannot be a path, so that it may have been any file.
    pub fn lose_unnamed(&mut self, name: &str, problem: NameProblem) {
        self.skipped += 1;
        self.truncated
            .get_or_insert_with(|| ArchiveProblem::NotAPath { name: printable(name), problem: problem.clone() });
        self.notes.name(name, problem);
    }

    /// Records a file whose path is not its name. Behind control characters any name may have stood.
    pub fn note_corrected(&mut self, path: &str, problem: NameProblem) {
        let is_unknown = problem == NameProblem::ControlCharacters;
        let problem = ArchiveProblem::Renamed { problem };
        if is_unknown {
            let (archive, problem) = (path.to_owned(), Box::new(problem.clone()));
            self.truncated.get_or_insert(ArchiveProblem::InArchive { archive, problem });
        }
        self.notes.entry(Sort::Name, path, problem);
    }

    /// Records a file that was renamed because its name is damaged.
    pub fn note_renamed(&mut self, path: &str, name: &str) {
        let problem = NameProblem::Damaged { name: printable(name) };
        self.notes.entry(Sort::Name, path, ArchiveProblem::Renamed { problem });
    }

    /// Records that the archive may contain files that are not listed.
    pub fn note_broken(&mut self, archive: &str, why: &ArchiveProblem) {
        if self.broken.len() < MOST_UNREADABLE {
            self.broken.push((archive.to_owned(), why.clone()));
        } else {
            self.truncated.get_or_insert(ArchiveProblem::TooManyDamaged { most: MOST_UNREADABLE });
        }
    }

    /// Returns nodes with truncated archives; any other truncated archive makes the bundle itself truncated.
    fn truncated_nodes(&mut self, spec: Option<&CollectorSpec>, bundle: &str) -> BTreeSet<String> {
        let mut nodes = BTreeSet::new();
        for (archive, problem) in std::mem::take(&mut self.broken) {
            match role(spec, &logical(&format!("{archive}!/logs/kernel.log")), false, bundle) {
                Role::NodeLog { node, .. } | Role::NodeFile { node } => {
                    nodes.insert(node);
                }
                _ => {
                    self.truncated
                        .get_or_insert_with(|| ArchiveProblem::InArchive { archive, problem: Box::new(problem) });
                }
            }
        }
        nodes
    }

    /// Records the faults of the container at `path` in this part; without a path, those of the part's own container.
    pub fn note_container(&mut self, listing: &Listing, path: &str) {
        // A file that was compressed alone is listed, whatever its fault.
        let is_file = matches!(listing.store, Store::Packed(_));
        for (kind, problem) in &listing.trouble {
            self.notes.container(*kind, path, problem.clone());
            if path.is_empty() {
                self.truncated.get_or_insert_with(|| problem.clone());
            } else if !is_file {
                self.note_broken(path, problem);
            }
        }
        for remark in &listing.remarks {
            self.notes.container(IssueKind::Archive, path, remark.clone());
        }
    }

    /// Takes over the state of the whole input, whose only bundle this is.
    pub fn take_in(&mut self, whole: &mut Self) {
        self.notes.extend(std::mem::take(&mut whole.notes));
        self.skipped += whole.skipped;
        self.unreadable.append(&mut whole.unreadable);
        self.broken.append(&mut whole.broken);
        self.truncated = self.truncated.take().or(whole.truncated.take());
        self.doubtful.append(&mut whole.doubtful);
    }

    /// Returns the container as reports name it; `alone` is true if the input has no other bundle.
    fn container(&self, given: &Container, alone: bool, drafts: &[Draft]) -> Container {
        if alone && self.archive.is_none() {
            return given.clone();
        }
        let border = if given.is_directory { "/" } else { "!/" };
        let folder = || drafts.iter().filter(|draft| draft.outer).map(|draft| draft.size).fold(0, u64::saturating_add);
        Container {
            path: format!("{}{border}{}", given.path.trim_end_matches('/'), self.place),
            bytes: self.archive.as_ref().map_or_else(folder, |archive| archive.size),
            is_directory: self.archive.is_none(),
        }
    }

    /// Sorts the entries, assigns roles, and creates the bundle, which also reports `issues`.
    pub fn finish(mut self, shared: &Shared, alone: bool, drafts: Vec<Draft>, issues: &[Issue]) -> Bundle {
        let container = self.container(&shared.given, alone, &drafts);
        let drafts = self.sorted(drafts);
        let logicals: Vec<String> = drafts.iter().map(|draft| logical(&draft.path)).collect();
        let paths = logicals.iter().map(String::as_str);
        let kind = self.root.kind(paths);
        let name = Path::new(&container.path).file_name().map(|name| name.to_string_lossy().into_owned());
        let mut name = name.unwrap_or_default();
        let spec = self.root.spec;
        let made_in_pod = spec.is_some_and(|spec| (spec.host.made_in_pod)(&logicals));
        let by_name = spec.and_then(|spec| spec.host.by_name).filter(|_| !made_in_pod);
        let host = by_name.map(|host_of| host_of(&self.root.prefix, &name));
        let folder = self.root.prefix.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let told = BundleName::parse(folder).or_else(|| BundleName::parse(&name));
        if let Some(host) = &host {
            name.clone_from(host);
        } else if made_in_pod {
            name.clear();
        }
        let unreadable = self.unreadable(spec, &name, &drafts);
        let archives = drafts.iter().filter(|draft| draft.is_archive());
        let doubts = archives.filter_map(|draft| Some((draft.path.clone(), self.doubtful.get(&draft.path)?.1.clone())));
        for (archive, why) in doubts.collect::<Vec<_>>() {
            self.note_broken(&archive, &why);
        }
        let truncated_nodes = self.truncated_nodes(spec, &name);
        let mut entries: Vec<Entry> =
            drafts.into_iter().zip(logicals).map(|(draft, logical)| draft.entry(spec, logical, &name)).collect();
        entries.iter_mut().for_each(|entry| entry.doubt = self.doubtful.remove(&*entry.path));
        let mut collector = self.root.collector();
        if let (Some(collector), Some(note_version)) = (&mut collector, spec.and_then(|spec| spec.note_version)) {
            let mut files = entries.iter().map(|entry| (&*entry.logical, entry.size));
            note_version(collector, &mut files, told.as_ref());
        }
        let mut all = self.notes.finish();
        all.extend_from_slice(issues);
        all.sort();
        let bundle = Bundle {
            container,
            disk: shared.disk.clone(),
            archive: self.archive,
            layers: Arc::clone(&shared.layers),
            entries,
            issues: all,
            kind,
            spec,
            collector,
            limits: shared.limits,
            unreadable,
            truncated: self.truncated,
            truncated_nodes,
            host,
            name: told,
        };
        bundle.with_host()
    }

    /// Returns the entries sorted by path. Crafted folders can have the same path as a nested archive's members;
    /// sorting is stable, so the outer entry stays.
    fn sorted(&mut self, mut all: Vec<Draft>) -> Vec<Draft> {
        all.sort_by(|a, b| a.path.cmp(&b.path));
        let mut drafts: Vec<Draft> = Vec::with_capacity(all.len());
        for draft in all {
            if drafts.last().is_some_and(|last| last.path == draft.path) {
                self.notes.entry(Sort::Duplicate, &draft.path, ArchiveProblem::Several);
                self.doubtful.insert(draft.path, (IssueKind::Path, ArchiveProblem::Several));
            } else {
                drafts.push(draft);
            }
        }
        drafts
    }

    /// Returns the unreadable files, without those whose path has a readable file.
    fn unreadable(&mut self, spec: Option<&CollectorSpec>, bundle: &str, read: &[Draft]) -> Vec<UnreadableFile> {
        let mut unreadable = std::mem::take(&mut self.unreadable);
        unreadable.sort();
        unreadable.dedup_by(|next, kept| next.0 == kept.0);
        unreadable.retain(|(path, _)| read.binary_search_by(|draft| draft.path.as_str().cmp(path)).is_err());
        let place = |(path, why): (String, ArchiveProblem)| {
            let logical = logical_path(spec, logical(&path), bundle);
            UnreadableFile {
                role: role(spec, &logical, false, bundle),
                path: path.into(),
                logical: logical.into(),
                why,
            }
        };
        unreadable.into_iter().map(place).collect()
    }
}
