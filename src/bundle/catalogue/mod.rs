//! The [`Catalogue`]: admits the members of containers, level by level, separates the bundles among them, and creates
//! a [`Bundle`] for each.

mod below;
mod damaged_names;
mod descend;
pub(super) mod draft;
mod finish;
mod host;
mod links;
pub(super) mod nested;
pub(super) mod notes;
pub(super) mod sub_bundle;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use below::Below;
use damaged_names::Renamed;

use crate::bundle::catalogue::draft::Draft;
use crate::bundle::catalogue::links::Links;
use crate::bundle::catalogue::nested::{Candidate, NestedContent};
use crate::bundle::catalogue::notes::Sort;
use crate::bundle::catalogue::sub_bundle::{Shared, SubBundle};
use crate::bundle::collectors::root::Root;
use crate::bundle::containers::layer::{ContainerLayer, MemberPlace, NestedEntry, ReadRequest};
use crate::bundle::containers::listing::{BufferPool, ListContext, Listing, Member, MemberKind, Store};
use crate::bundle::limits::{Budget, Expansion};
use crate::bundle::path::{Name, clean, is_text_name, logical, printable};
use crate::bundle::{Bundle, Container, Limits};
use crate::model::IssueKind;
use crate::model::message::{ArchiveProblem, NameProblem};

/// Maximum number of bundles in one container.
const MOST_BUNDLES: usize = 100;

/// Index of the part around the bundles; bundles are numbered from 1 in the order they were found.
const WHOLE: usize = 0;

/// State of the input during listing.
pub(crate) struct Catalogue {
    limits: Limits,
    budget: Budget,
    shelf: BufferPool,
    layers: Vec<ContainerLayer>,
    /// Archives around the members of each layer, including its own.
    depths: Vec<u32>,
    drafts: Vec<Draft>,
    /// Everything around the bundles; the bundle itself if no other is found.
    whole: SubBundle,
    /// Bundles found.
    found: Vec<SubBundle>,
    /// Number of further bundles.
    left_out: usize,
    /// True if no dumps or logs are around the bundles.
    lonely: bool,
}

impl Catalogue {
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            budget: Budget::new(&limits),
            shelf: BufferPool::default(),
            layers: Vec::new(),
            depths: Vec::new(),
            drafts: Vec::new(),
            whole: SubBundle::new(Root::here(), String::new(), None),
            found: Vec::new(),
            left_out: 0,
            lonely: true,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.drafts.is_empty()
    }

    /// Returns the number of unreadable files.
    pub fn skipped(&self) -> u64 {
        self.parts().map(|part| part.skipped).sum()
    }

    /// Returns the number of notes of a sort.
    pub fn count(&self, sort: Sort) -> u64 {
        self.parts().map(|part| part.notes.count(sort)).sum()
    }

    fn parts(&self) -> impl Iterator<Item = &SubBundle> {
        std::iter::once(&self.whole).chain(&self.found)
    }

    pub fn scope(&self) -> ListContext<'_> {
        let (entries, bytes) = (self.budget.entries(), self.budget.bytes());
        ListContext { limits: &self.limits, entries, bytes, shelf: &self.shelf }
    }

    fn part(&mut self, number: usize) -> &mut SubBundle {
        number.checked_sub(1).and_then(|index| self.found.get_mut(index)).unwrap_or(&mut self.whole)
    }

    /// Inspects the only file of a container. If it is an archive, the container becomes a layer around it.
    pub fn look_inside(
        &mut self,
        listing: &mut Listing,
        parent: &mut Option<NestedEntry>,
        member: usize,
        disk: &Path,
    ) -> NestedContent {
        let Some(only) = listing.members.get(member).filter(|only| only.size <= self.budget.bytes()) else {
            return NestedContent::Plain;
        };
        let (name, size, held) = (only.name.clone(), only.size, only.held.clone());
        let place = MemberPlace { layer: self.layers.len(), member };
        self.push_layer(listing, parent.take(), String::new());
        let open = self.layers.len() <= usize::try_from(self.limits.max_depth).unwrap_or(usize::MAX);
        let request = ReadRequest { place, size, held: held.clone() };
        let only = Candidate { name: &name, request, open };
        let (mut found, failures) = nested::inspect(&self.layers, disk, &[only], &self.scope());
        for failure in failures {
            let problem = ArchiveProblem::Inner { problem: Box::new(failure.problem) };
            self.whole.notes.container(IssueKind::Archive, "", problem);
        }
        match found.pop() {
            Some(NestedContent::Archive(inner, kept)) => {
                self.whole.note_container(listing, "");
                *parent = Some(NestedEntry { place, held: kept.or(held), size });
                NestedContent::Archive(inner, None)
            }
            other => {
                *parent = self.pop_layer(listing);
                other.unwrap_or(NestedContent::Plain)
            }
        }
    }

    /// Moves the store of a listing to a new layer. The path is empty for the container of a bundle: layers around it
    /// do not count as depth.
    fn push_layer(&mut self, listing: &mut Listing, parent: Option<NestedEntry>, path: String) {
        let store = std::mem::replace(&mut listing.store, Store::Memory);
        let archive = u32::from(!matches!(store, Store::Folder(_) | Store::Memory));
        let around_it = parent.as_ref().filter(|_| !path.is_empty());
        let depth = around_it.and_then(|parent| self.depths.get(parent.place.layer)).copied().unwrap_or(0);
        self.depths.push(depth + archive);
        self.layers.push(ContainerLayer { store, parent, path });
    }

    fn pop_layer(&mut self, listing: &mut Listing) -> Option<NestedEntry> {
        self.depths.pop();
        let layer = self.layers.pop()?;
        listing.store = layer.store;
        layer.parent
    }

    /// Admits the members of the outermost container, in which bundles may begin; returns the range of new drafts.
    pub fn begin(&mut self, mut listing: Listing, parent: Option<NestedEntry>, disk: &Path) -> Range<usize> {
        for Renamed { path, name } in damaged_names::fold(&mut listing) {
            self.whole.note_renamed(&path, &name);
        }
        let paths = listing.paths();
        let mut roots = Root::find(paths.iter().map(String::as_str));
        self.drop_remnants(&mut roots, &listing);
        if roots.is_empty() {
            self.whole.root = Root::unknown(paths.iter().map(String::as_str));
        }
        let loose = |path: &String| !roots.iter().any(|root| path.starts_with(&root.prefix)) && is_dump_or_log(path);
        self.lonely = !paths.iter().any(loose);
        self.bound(&mut roots);
        let roots = roots.into_iter().map(|root| self.part_of(root, "", None)).collect();
        self.admit(listing, parent, Below { part: WHOLE, archive: String::new(), roots }, disk)
    }

    /// Creates a bundle from files in memory, whose paths are already relative to the root.
    pub fn hold(mut self, listing: Listing, container: Container) -> Bundle {
        let below = Below { part: WHOLE, archive: String::new(), roots: Vec::new() };
        self.admit(listing, None, below, Path::new(""));
        let logicals: Vec<String> = self.drafts.iter().map(|draft| logical(&draft.path)).collect();
        self.whole.root = Root::find_here(logicals.iter().map(String::as_str));
        let (layers, limits) = (Arc::new(self.layers), self.limits);
        let shared = Shared { given: container, disk: PathBuf::new(), layers, limits };
        self.whole.finish(&shared, true, self.drafts, &[])
    }

    /// Creates a part for a bundle found in a container, whose path in the input is `container`.
    fn part_of(&mut self, root: Root, container: &str, archive: Option<ReadRequest>) -> (String, usize) {
        let folder = root.prefix.trim_end_matches('/');
        let place = match (&archive, container) {
            (Some(_), container) => container.to_owned(),
            (None, "") => folder.to_owned(),
            (None, container) => format!("{container}!/{folder}"),
        };
        let prefix = root.prefix.clone();
        self.found.push(SubBundle::new(root, place, archive));
        (prefix, self.found.len())
    }

    /// Removes what damage made look like a bundle.
    fn drop_remnants(&mut self, roots: &mut Vec<Root>, listing: &Listing) {
        for (folder, count) in damaged_names::drop_remnants(roots, listing) {
            let problem = ArchiveProblem::TooFewForABundle { folder: printable(&folder), count };
            self.whole.notes.container(IssueKind::Archive, "", problem);
        }
    }

    /// Removes bundles beyond the limit.
    fn bound(&mut self, roots: &mut Vec<Root>) {
        let room = MOST_BUNDLES.saturating_sub(self.found.len());
        self.left_out += roots.len().saturating_sub(room);
        roots.truncate(room);
    }

    fn admit(&mut self, mut listing: Listing, parent: Option<NestedEntry>, below: Below, disk: &Path) -> Range<usize> {
        self.note_container(&listing, &below);
        let layer = self.layers.len();
        let path = if below.roots.is_empty() { below.archive.clone() } else { String::new() };
        self.push_layer(&mut listing, parent, path);
        links::read_targets(&self.layers, &mut listing, disk);
        let depth = self.depths.last().copied().unwrap_or(0);
        let start = self.drafts.len();
        let mut expansion = Expansion::new(listing.stored, &self.limits);
        let mut files: Vec<_> = self.tidy(&listing, &below).into_iter().collect();
        // Smallest first, then by path: very large files must not displace the others.
        files.sort_by_key(|(_, (member, _))| listing.members.get(*member).map_or(0, |member| member.size));
        for ((part, path), (member, outer)) in files {
            let Some(found) = listing.members.get_mut(member) else { continue };
            if let Err(refusal) = self.budget.admit(found.size, &mut expansion) {
                let why = refusal.message(&self.limits);
                let part = self.part(part);
                part.notes.entry(Sort::Refused, &path, why.clone());
                part.lose(path, why);
                continue;
            }
            self.drafts.push(Draft {
                part,
                path,
                place: MemberPlace { layer, member },
                size: found.size,
                crc: found.crc,
                format: found.format,
                held: found.held.take(),
                depth,
                outer,
                holds_bundles: false,
            });
        }
        start..self.drafts.len()
    }

    fn note_container(&mut self, listing: &Listing, below: &Below) {
        // The fault of a compressed file is the fault of its content.
        let file = listing.members.first().filter(|_| matches!(listing.store, Store::Packed(_)));
        let path = match (file, below.archive.as_str()) {
            (Some(file), "") => file.name.clone(),
            (Some(file), archive) => format!("{archive}!/{}", file.name),
            (None, archive) => archive.to_owned(),
        };
        if below.roots.is_empty() {
            self.part(below.part).note_container(listing, &path);
        }
        for (_, part) in &below.roots {
            self.part(*part).note_container(listing, "");
        }
    }

    /// Returns the files of a listing by part and path, in order, with their index and true if they are in the
    /// container of the part. If several have the same path, the last is used.
    fn tidy(&mut self, listing: &Listing, below: &Below) -> BTreeMap<(usize, String), (usize, bool)> {
        let wrapping = self.whole.root.prefix.clone();
        let read_elsewhere = Links::leading_inside(listing);
        let mut files = BTreeMap::new();
        for (index, member) in listing.members.iter().enumerate() {
            if matches!(member.what, MemberKind::Folder) || read_elsewhere.contains(&index) {
                continue;
            }
            let Some((path, correction)) = self.clean(member, below) else { continue };
            let (part, path, outer) = below.locate(path, &wrapping);
            let unreadable = unreadable(&member.what, &self.limits);
            let owner = self.part(part);
            if let Some(problem) = correction {
                owner.note_corrected(&path, problem);
            }
            if let Some((sort, problem)) = unreadable {
                let is_kernels = sort == Sort::Link && path.split('/').any(|folder| matches!(folder, "proc" | "sys"));
                let sort = if is_kernels { Sort::KernelLink } else { sort };
                owner.skipped += 1;
                owner.notes.entry(sort, &path, problem.clone());
                owner.lose(path, problem);
                continue;
            }
            if member.is_cut {
                owner.doubtful.insert(path.clone(), (IssueKind::Archive, ArchiveProblem::CutOff));
            }
            if let Some((before, _)) = files.insert((part, path.clone()), (index, outer)) {
                owner.notes.entry(Sort::Duplicate, &path, ArchiveProblem::SeveralInArchive);
                if !listing.members.get(before).is_some_and(|before| before.is_same(member)) {
                    owner.doubtful.insert(path, (IssueKind::Path, ArchiveProblem::SeveralInArchive));
                }
            }
        }
        files
    }

    fn clean(&mut self, member: &Member, below: &Below) -> Option<(String, Option<NameProblem>)> {
        match clean(&member.name) {
            Name::Litter => None,
            Name::Refused(problem) => {
                let part = self.part(below.owner());
                part.lose_unnamed(&member.name, problem);
                None
            }
            Name::Path(path, correction) => Some((path, correction)),
        }
    }
}

fn is_dump_or_log(path: &str) -> bool {
    is_text_name(path) && !path.ends_with(".txt")
}

fn unreadable(what: &MemberKind, limits: &Limits) -> Option<(Sort, ArchiveProblem)> {
    Some(match what {
        MemberKind::File | MemberKind::Folder => return None,
        MemberKind::Link(target) if target.is_empty() => (Sort::Link, ArchiveProblem::Link),
        MemberKind::Link(target) => (Sort::Link, ArchiveProblem::LinkTo { target: printable(target) }),
        MemberKind::Special => (Sort::Special, ArchiveProblem::Special),
        MemberKind::Refused(refusal) => (Sort::Refused, refusal.message(limits)),
        MemberKind::Encrypted => (Sort::Encrypted, ArchiveProblem::Encrypted),
        MemberKind::Method(method) => (Sort::Method, ArchiveProblem::Method { method: method.clone() }),
    })
}
