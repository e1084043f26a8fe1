//! A [`SubBundle`] of what was given: one bundle, or what lies around the bundles.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::bundle::catalogue::draft::Draft;
use crate::bundle::catalogue::notes::{Notes, Sort};
use crate::bundle::collectors::bundle_name::BundleName;
use crate::bundle::collectors::root::Root;
use crate::bundle::collectors::spec::CollectorSpec;
use crate::bundle::collectors::table::{logical_path, role};
use crate::bundle::containers::layer::{Job, Layer};
use crate::bundle::containers::listing::Listing;
use crate::bundle::path::logical;
use crate::bundle::{Bundle, Container, Entry, Limits, Role, UnreadableFile};
use crate::model::{Issue, IssueKind};

/// So many lost files are remembered one by one.
const MOST_LOST: usize = 10_000;

/// What is known of a part while it is listed.
pub(crate) struct SubBundle {
    pub root: Root,
    /// Where it lies in what was given: `x/a.zip`, `a.tar!/host-1`; empty for the whole.
    pub place: String,
    /// The archive that it is, and which therefore can be hashed; none for the whole and for folders.
    pub archive: Option<Job>,
    pub notes: Notes,
    /// Members that are files and not readable.
    pub skipped: u64,
    /// Path and reason of files that are not readable.
    lost: Vec<(String, String)>,
    /// Nested archives that are not listed to their end, and why.
    broken: Vec<(String, String)>,
    cut: Option<String>,
}

/// What all bundles in one container share.
pub(crate) struct Shared {
    pub given: Container,
    pub disk: PathBuf,
    pub layers: Arc<Vec<Layer>>,
    pub limits: Limits,
}

impl SubBundle {
    pub fn new(root: Root, place: String, archive: Option<Job>) -> Self {
        Self {
            root,
            place,
            archive,
            notes: Notes::default(),
            skipped: 0,
            lost: Vec::new(),
            broken: Vec::new(),
            cut: None,
        }
    }

    /// Remembers that a file is there and cannot be read.
    pub fn lose(&mut self, path: String, why: String) {
        if self.lost.len() < MOST_LOST {
            self.lost.push((path, why));
        } else {
            self.cut.get_or_insert_with(|| format!("more than {MOST_LOST} of its files were not read"));
        }
    }

    /// There may be files in the archive that are not listed.
    pub fn note_broken(&mut self, archive: &str, why: &str) {
        if self.broken.len() < MOST_LOST {
            self.broken.push((archive.to_owned(), why.to_owned()));
        } else {
            self.cut.get_or_insert_with(|| format!("more than {MOST_LOST} archives in it are damaged"));
        }
    }

    /// Nodes of whose archives parts are missing; a part of any other archive is a part of the bundle.
    fn truncated_nodes(&mut self, spec: Option<&CollectorSpec>, bundle: &str) -> BTreeSet<String> {
        let mut nodes = BTreeSet::new();
        for (archive, why) in std::mem::take(&mut self.broken) {
            match role(spec, &logical(&format!("{archive}!/logs/kernel.log")), false, bundle) {
                Role::NodeLog { node, .. } | Role::NodeFile { node } => {
                    nodes.insert(node);
                }
                _ => {
                    self.cut.get_or_insert_with(|| format!("{archive}: {why}"));
                }
            }
        }
        nodes
    }

    /// Tells what is wrong with the container at `path` in this part; without a path, with the one that it lies in.
    pub fn note_container(&mut self, listing: &Listing, path: &str) {
        for (kind, message) in &listing.trouble {
            self.notes.container(*kind, path, message);
            if path.is_empty() {
                self.cut.get_or_insert_with(|| message.clone());
            }
        }
        for remark in &listing.remarks {
            self.notes.container(IssueKind::Archive, path, remark);
        }
    }

    /// Takes what is known of the whole, whose only bundle this is.
    pub fn take_in(&mut self, whole: &mut Self) {
        self.notes.extend(std::mem::take(&mut whole.notes));
        self.skipped += whole.skipped;
        self.lost.append(&mut whole.lost);
        self.broken.append(&mut whole.broken);
        self.cut = self.cut.take().or(whole.cut.take());
    }

    /// The container as reports name it; `alone` if there is no other bundle in what was given.
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

    /// Sorts, gives roles, and makes the bundle, of which `issues` are told as well.
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
        let truncated_nodes = self.truncated_nodes(spec, &name);
        let entries: Vec<Entry> =
            drafts.into_iter().zip(logicals).map(|(draft, logical)| draft.entry(spec, logical, &name)).collect();
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
            truncated: self.cut,
            truncated_nodes,
            host,
            name: told,
        };
        bundle.with_host()
    }

    /// The entries by path. Crafted folders can be named like a nested archive's members; sorting is stable, so the outer
    /// one stays.
    fn sorted(&mut self, mut all: Vec<Draft>) -> Vec<Draft> {
        all.sort_by(|a, b| a.path.cmp(&b.path));
        let mut drafts: Vec<Draft> = Vec::with_capacity(all.len());
        for draft in all {
            if drafts.last().is_some_and(|last| last.path == draft.path) {
                self.notes.entry(Sort::Duplicate, &draft.path, "there several times; the first one is used");
            } else {
                drafts.push(draft);
            }
        }
        drafts
    }

    /// The lost files, without those of which another of the same path is read.
    fn unreadable(&mut self, spec: Option<&CollectorSpec>, bundle: &str, read: &[Draft]) -> Vec<UnreadableFile> {
        let mut lost = std::mem::take(&mut self.lost);
        lost.sort();
        lost.dedup_by(|next, kept| next.0 == kept.0);
        lost.retain(|(path, _)| read.binary_search_by(|draft| draft.path.as_str().cmp(path)).is_err());
        let place = |(path, why): (String, String)| {
            let logical = logical_path(spec, logical(&path), bundle);
            UnreadableFile {
                role: role(spec, &logical, false, bundle),
                path: path.into(),
                logical: logical.into(),
                why,
            }
        };
        lost.into_iter().map(place).collect()
    }
}
