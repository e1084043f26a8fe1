//! The [`Catalogue`]: admits what containers list, level by level, and makes the [`Bundle`] of it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::bundle::detect::Format;
use crate::bundle::host;
use crate::bundle::layout::{Layout, kit_version, placed, rancher, role};
use crate::bundle::limits::{Budget, Expansion};
use crate::bundle::listing::{Listing, Scope, Shelf, Store, What};
use crate::bundle::name::BundleName;
use crate::bundle::nested::{self, Candidate, Found};
use crate::bundle::notes::{Notes, Sort};
use crate::bundle::path::{Name, clean, is_text_name, logical, shown};
use crate::bundle::read::{Around, FailedAt, Job, Layer, Place};
use crate::bundle::root::Root;
use crate::bundle::{Bundle, Container, Entry, Limits, Lost, Role};
use crate::model::IssueKind;

/// An entry that was admitted and has no role yet.
struct Draft {
    path: String,
    place: Place,
    size: u64,
    crc: Option<u32>,
    format: Option<Format>,
    held: Option<Arc<[u8]>>,
    /// Archives around it.
    depth: u32,
    outer: bool,
}

/// So many lost files are remembered one by one.
const MOST_LOST: usize = 10_000;

/// Everything known about a bundle while it is listed.
pub(crate) struct Catalogue {
    limits: Limits,
    budget: Budget,
    shelf: Shelf,
    layers: Vec<Layer>,
    /// Archives around the members of each layer, itself included.
    depths: Vec<u32>,
    drafts: Vec<Draft>,
    pub notes: Notes,
    /// Members that are files and not readable.
    pub skipped: u64,
    /// Path and reason of files that are not readable.
    lost: Vec<(String, String)>,
    /// Nested archives that are not listed to their end, and why.
    broken: Vec<(String, String)>,
    cut: Option<String>,
    /// The outermost container has a layout that is known.
    outer_known: bool,
}

impl Catalogue {
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            budget: Budget::new(&limits),
            shelf: Shelf::default(),
            layers: Vec::new(),
            depths: Vec::new(),
            drafts: Vec::new(),
            notes: Notes::default(),
            skipped: 0,
            lost: Vec::new(),
            broken: Vec::new(),
            cut: None,
            outer_known: false,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.drafts.is_empty()
    }

    pub fn scope(&self) -> Scope<'_> {
        let (entries, bytes) = (self.budget.entries(), self.budget.bytes());
        Scope { limits: &self.limits, entries, bytes, shelf: &self.shelf }
    }

    /// Looks at the only file of a container. If it is an archive, the container becomes a layer around it.
    pub fn look_inside(
        &mut self,
        listing: &mut Listing,
        around: &mut Option<Around>,
        member: usize,
        disk: &Path,
    ) -> Found {
        let Some(only) = listing.members.get(member).filter(|only| only.size <= self.budget.bytes()) else {
            return Found::Plain;
        };
        let (name, size, held) = (only.name.clone(), only.size, only.held.clone());
        let place = Place { layer: self.layers.len(), member };
        self.push_layer(listing, around.take(), String::new());
        let open = self.layers.len() <= usize::try_from(self.limits.max_depth).unwrap_or(usize::MAX);
        let job = Job { place, size, held: held.clone() };
        let only = Candidate { name: &name, job, open };
        let (mut found, failures) = nested::look(&self.layers, disk, &[only], &self.scope());
        for failure in failures {
            self.notes.container(IssueKind::Archive, "", format!("the archive in it: {}", failure.message));
        }
        match found.pop() {
            Some(Found::Archive(inner, kept)) => {
                self.note_container(listing, "");
                *around = Some(Around { place, held: kept.or(held), size });
                Found::Archive(inner, None)
            }
            other => {
                *around = self.pop_layer(listing);
                other.unwrap_or(Found::Plain)
            }
        }
    }

    /// Takes the store of a listing, which goes on without it.
    fn push_layer(&mut self, listing: &mut Listing, around: Option<Around>, path: String) {
        let store = std::mem::replace(&mut listing.store, Store::Memory);
        let archive = u32::from(!matches!(store, Store::Folder(_) | Store::Memory));
        // What is only wrapped around the outermost container does not count.
        let around_it = around.as_ref().filter(|_| !path.is_empty());
        let depth = around_it.and_then(|around| self.depths.get(around.place.layer)).copied().unwrap_or(0);
        self.depths.push(depth + archive);
        self.layers.push(Layer { store, around, path });
    }

    fn pop_layer(&mut self, listing: &mut Listing) -> Option<Around> {
        self.depths.pop();
        let layer = self.layers.pop()?;
        listing.store = layer.store;
        layer.around
    }

    pub fn find_root(&mut self, listing: &Listing) -> Root {
        let paths = listing.paths();
        let root = Root::find(paths.iter().map(String::as_str));
        self.outer_known = root.collector().is_some();
        if !root.others.is_empty() {
            let others: Vec<String> = root.others.iter().take(5).map(|other| format!("`{}`", shown(other))).collect();
            let message = format!(
                "holds {} bundles; only `{}` is analysed, so give the others ({}) one by one",
                root.others.len() + 1,
                shown(&root.prefix),
                others.join(", ")
            );
            self.notes.container(IssueKind::Archive, "", message);
        }
        root
    }

    /// Admits the members of a listing; returns which drafts are new.
    pub fn add(&mut self, mut listing: Listing, around: Option<Around>, root: &Root) -> Range<usize> {
        self.add_below(&mut listing, around, root, "")
    }

    /// `archive` is the path of the nested archive, empty for the outermost container.
    fn add_below(&mut self, listing: &mut Listing, around: Option<Around>, root: &Root, archive: &str) -> Range<usize> {
        self.note_container(listing, archive);
        let layer = self.layers.len();
        self.push_layer(listing, around, archive.to_owned());
        let depth = self.depths.last().copied().unwrap_or(0);
        let start = self.drafts.len();
        let mut expansion = Expansion::new(listing.stored, &self.limits);
        let mut files: Vec<(String, usize)> = self.tidy(listing, root, archive).into_iter().collect();
        // Smallest first, then by path: what is far too large must not starve the rest.
        files.sort_by_key(|(_, member)| listing.members.get(*member).map_or(0, |member| member.size));
        for (path, member) in files {
            let Some(found) = listing.members.get_mut(member) else { continue };
            if let Err(refusal) = self.budget.admit(found.size, &mut expansion) {
                let why = refusal.message(&self.limits);
                self.notes.entry(Sort::Refused, &path, why.as_str());
                self.lose(path, why);
                continue;
            }
            self.drafts.push(Draft {
                path,
                place: Place { layer, member },
                size: found.size,
                crc: found.crc,
                format: found.format,
                held: found.held.take(),
                depth,
                outer: archive.is_empty(),
            });
        }
        start..self.drafts.len()
    }

    fn note_container(&mut self, listing: &Listing, archive: &str) {
        // The fault of a compressed file is that of what is in it.
        let file = listing.members.first().filter(|_| matches!(listing.store, Store::Packed(_)));
        let place = match (file, archive) {
            (Some(file), "") => file.name.clone(),
            (Some(file), archive) => format!("{archive}!/{}", file.name),
            (None, archive) => archive.to_owned(),
        };
        for (kind, message) in &listing.trouble {
            self.notes.container(*kind, &place, message);
            if archive.is_empty() {
                self.cut.get_or_insert_with(|| message.clone());
            }
        }
        for remark in &listing.remarks {
            self.notes.container(IssueKind::Archive, archive, remark);
        }
    }

    /// There may be files in the archive that are not listed.
    fn note_broken(&mut self, archive: &str, why: &str) {
        if self.broken.len() < MOST_LOST {
            self.broken.push((archive.to_owned(), why.to_owned()));
        } else {
            self.cut.get_or_insert_with(|| format!("more than {MOST_LOST} archives in it are damaged"));
        }
    }

    /// Nodes of whose archives parts are missing; a part of any other archive is a part of the bundle.
    fn cut_nodes(&mut self, layout: Option<Layout>, bundle: &str) -> BTreeSet<String> {
        let mut nodes = BTreeSet::new();
        for (archive, why) in std::mem::take(&mut self.broken) {
            match role(layout, &logical(&format!("{archive}!/logs/kernel.log")), false, bundle) {
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

    fn lose(&mut self, path: String, why: String) {
        if self.lost.len() < MOST_LOST {
            self.lost.push((path, why));
        } else {
            self.cut.get_or_insert_with(|| format!("more than {MOST_LOST} of its files were not read"));
        }
    }

    /// The lost files, without those of which another of the same path is read.
    fn lost(&mut self, layout: Option<Layout>, bundle: &str, read: &[Draft]) -> Vec<Lost> {
        let mut lost = std::mem::take(&mut self.lost);
        lost.sort();
        lost.dedup_by(|next, kept| next.0 == kept.0);
        lost.retain(|(path, _)| read.binary_search_by(|draft| draft.path.as_str().cmp(path)).is_err());
        let place = |(path, why): (String, String)| {
            let logical = placed(layout, logical(&path), bundle);
            Lost { role: role(layout, &logical, false, bundle), path: path.into(), logical: logical.into(), why }
        };
        lost.into_iter().map(place).collect()
    }

    /// The files of a listing by their full path, in order; of several with one path the last.
    fn tidy(&mut self, listing: &Listing, root: &Root, archive: &str) -> BTreeMap<String, usize> {
        let mut files = BTreeMap::new();
        for (index, member) in listing.members.iter().enumerate() {
            if matches!(member.what, What::Folder) {
                continue;
            }
            let Some(path) = self.path(&member.name, root, archive) else { continue };
            if let Some((sort, message)) = unreadable(&member.what, &self.limits) {
                self.skipped += 1;
                self.notes.entry(sort, &path, message.as_str());
                self.lose(path, message);
            } else if files.insert(path.clone(), index).is_some() {
                self.notes.entry(Sort::Duplicate, &path, "there several times in one archive; the last one is used");
            }
        }
        files
    }

    fn path(&mut self, name: &str, root: &Root, archive: &str) -> Option<String> {
        match clean(name) {
            Name::Litter => None,
            Name::Refused(why) => {
                self.skipped += 1;
                self.notes.name(Sort::Name, name, &format!("{why}; not read"));
                None
            }
            Name::Path(path, mended) => {
                let path = match archive {
                    "" => path.strip_prefix(root.prefix.as_str()).map(str::to_owned).unwrap_or(path),
                    archive => format!("{archive}!/{path}"),
                };
                if let Some(mended) = mended {
                    self.notes.entry(Sort::Name, &path, mended);
                }
                Some(path)
            }
        }
    }

    /// Lists the archives among the fresh entries, then those in them, until there are none or they are too deep.
    pub fn descend(&mut self, mut fresh: Range<usize>, disk: &Path) {
        while !fresh.is_empty() {
            let candidates: Vec<usize> =
                fresh.filter(|&index| self.drafts.get(index).is_some_and(may_be_archive)).collect();
            let next = self.drafts.len();
            for (index, found) in candidates.iter().zip(self.look(&candidates, disk)) {
                self.take(*index, found);
            }
            fresh = next..self.drafts.len();
        }
    }

    fn look(&mut self, candidates: &[usize], disk: &Path) -> Vec<Found> {
        let drafts: Vec<&Draft> = candidates.iter().filter_map(|&index| self.drafts.get(index)).collect();
        let asked: Vec<Candidate<'_>> = drafts.iter().map(|draft| draft.candidate(&self.limits)).collect();
        let (found, failures) = nested::look(&self.layers, disk, &asked, &self.scope());
        let damaged: Vec<(String, String)> = failures
            .into_iter()
            .filter_map(|failure| match failure.at {
                FailedAt::Job(job) => drafts.get(job).map(|draft| (draft.path.clone(), failure.message)),
                FailedAt::Layer(layer) => self.layers.get(layer).map(|layer| (layer.path.clone(), failure.message)),
            })
            .collect();
        for (path, message) in damaged {
            self.notes.container(IssueKind::Archive, &path, message);
        }
        found
    }

    fn take(&mut self, index: usize, found: Found) {
        let Some(draft) = self.drafts.get_mut(index) else { return };
        let (path, place, size) = (draft.path.clone(), draft.place, draft.size);
        draft.format = Some(match &found {
            Found::Plain => Format::Other,
            Found::Archive(..) | Found::TooLarge => Format::Zip,
            Found::Unread(format) | Found::TooDeep(format) | Found::Damaged(format, _) => *format,
        });
        let holds_files = matches!(draft.format, Some(Format::Zip | Format::Tar));
        let note = match found {
            Found::Plain => return,
            Found::Archive(mut listing, kept) => {
                self.note_bundle(&path, &listing);
                let Some(draft) = self.drafts.get_mut(index) else { return };
                draft.held = draft.held.take().or(kept);
                let held = draft.held.clone();
                self.add_below(&mut listing, Some(Around { place, held, size }), &Root::here(), &path);
                return;
            }
            Found::Unread(format) => {
                format!("a {} archive, which is not read; unpack it and give the folder", format.name())
            }
            Found::TooDeep(format) => {
                let message =
                    format!("a {} archive below {} others (--max-depth); not opened", format.name(), draft.depth);
                if holds_files {
                    self.note_broken(&path, &message);
                }
                return self.notes.entry(Sort::Refused, &path, message);
            }
            Found::TooLarge => "a zip of more than 1 GiB inside another archive; unpack it and give the folder".into(),
            Found::Damaged(format, what) => format!("the {} archive {what}", format.name()),
        };
        if holds_files {
            self.note_broken(&path, &note);
        }
        self.notes.entry(Sort::Nested, &path, note);
    }

    /// A pack of several bundles is not itself one: say so instead of finding nothing.
    fn note_bundle(&mut self, path: &str, listing: &Listing) {
        if self.outer_known {
            return;
        }
        let inner = Root::find(listing.paths().iter().map(String::as_str));
        if let Some(collector) = inner.collector().filter(|_| inner.is_whole_bundle()) {
            let message = format!("looks like a bundle of its own ({}); give it alone", collector.why);
            self.notes.container(IssueKind::Archive, path, message);
        }
    }

    /// Sorts, gives roles, and makes the bundle. Without a root (in memory) the layout is told from the paths as they are.
    pub fn finish(mut self, container: Container, disk: PathBuf, root: Option<&Root>) -> Bundle {
        // Crafted folders can be named like a nested archive's members; sorting is stable, so the outer one stays.
        self.drafts.sort_by(|a, b| a.path.cmp(&b.path));
        let mut drafts: Vec<Draft> = Vec::with_capacity(self.drafts.len());
        for draft in std::mem::take(&mut self.drafts) {
            if drafts.last().is_some_and(|last| last.path == draft.path) {
                self.notes.entry(Sort::Duplicate, &draft.path, "there several times; the first one is used");
            } else {
                drafts.push(draft);
            }
        }
        let logicals: Vec<String> = drafts.iter().map(|draft| logical(&draft.path)).collect();
        let paths = logicals.iter().map(String::as_str);
        let root = root.cloned().unwrap_or_else(|| Root::find_here(paths.clone()));
        let kind = root.kind(paths.clone());
        let name = Path::new(&container.path).file_name().map(|name| name.to_string_lossy().into_owned());
        let mut name = name.unwrap_or_default();
        // What was collected inside a pod is of no host.
        let of_pod = root.layout == Some(Layout::Rancher) && rancher::is_of_a_pod(paths);
        let host = if of_pod { None } else { host::by_name(root.layout, &root.prefix, &name) };
        let folder = root.prefix.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let told = BundleName::parse(folder).or_else(|| BundleName::parse(&name));
        if let Some(host) = &host {
            name.clone_from(host);
        } else if matches!(root.layout, Some(Layout::Rancher | Layout::RancherPods)) {
            name.clear();
        }
        let lost = self.lost(root.layout, &name, &drafts);
        let cut_nodes = self.cut_nodes(root.layout, &name);
        let entries: Vec<Entry> =
            drafts.into_iter().zip(logicals).map(|(draft, logical)| draft.entry(root.layout, logical, &name)).collect();
        let mut collector = root.collector();
        if matches!(root.layout, Some(Layout::Kit | Layout::TrimmedKit)) {
            let files = entries.iter().map(|entry| (&*entry.logical, entry.size));
            collector.iter_mut().for_each(|collector| kit_version::tell(collector, files.clone(), told.as_ref()));
        }
        let bundle = Bundle {
            container,
            disk,
            layers: self.layers,
            entries,
            issues: self.notes.finish(),
            kind,
            layout: root.layout,
            collector,
            limits: self.limits,
            lost,
            cut: self.cut,
            cut_nodes,
            host,
            name: told,
        };
        bundle.with_host()
    }
}

impl Draft {
    fn candidate(&self, limits: &Limits) -> Candidate<'_> {
        let job = Job { place: self.place, size: self.size, held: self.held.clone() };
        Candidate { name: &self.path, job, open: self.depth < limits.max_depth }
    }

    fn entry(self, layout: Option<Layout>, logical: String, bundle: &str) -> Entry {
        let archive = self.format.is_some_and(|format| format != Format::Other);
        let logical = placed(layout, logical, bundle);
        let role: Role = role(layout, &logical, archive, bundle);
        Entry {
            role,
            logical: logical.into(),
            path: self.path.into(),
            size: self.size,
            place: self.place,
            held: self.held,
            crc: self.crc,
            outer: self.outer,
        }
    }
}

/// Whether it is worth a look: tar members were looked at, and names that say text are believed.
fn may_be_archive(draft: &Draft) -> bool {
    draft.size > 4 && draft.format != Some(Format::Other) && !is_text_name(&draft.path)
}

fn unreadable(what: &What, limits: &Limits) -> Option<(Sort, String)> {
    match what {
        What::File | What::Folder => None,
        What::Link(target) if target.is_empty() => Some((Sort::Link, "a link; not followed".into())),
        What::Link(target) => Some((Sort::Link, format!("a link to `{}`; not followed", shown(target)))),
        What::Special => Some((Sort::Special, "a device, pipe or socket; not read".into())),
        What::Refused(refusal) => Some((Sort::Refused, refusal.message(limits))),
        What::Encrypted => Some((Sort::Encrypted, "encrypted; not read".into())),
        What::Method(method) => Some((Sort::Method, format!("compressed as {method}, which is not read yet"))),
    }
}
