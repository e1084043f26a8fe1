//! The [`Catalogue`]: admits what containers list, level by level, tells the bundles in it apart, and makes a [`Bundle`] of
//! each.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::bundle::detect::Format;
use crate::bundle::draft::Draft;
use crate::bundle::limits::{Budget, Expansion};
use crate::bundle::links::{self, Links};
use crate::bundle::listing::{Listing, Member, Scope, Shelf, Store, What};
use crate::bundle::nested::{self, Candidate, Found};
use crate::bundle::notes::Sort;
use crate::bundle::part::{Part, Shared};
use crate::bundle::path::{Name, clean, is_text_name, logical, shown};
use crate::bundle::read::{Around, FailedAt, Job, Layer, Place};
use crate::bundle::root::Root;
use crate::bundle::{Bundle, Container, Limits};
use crate::model::{Issue, IssueKind};

/// Bundles in one container that are told apart.
const MOST_BUNDLES: usize = 100;

/// The number of the part around the bundles; theirs are their place among those found, from 1.
const WHOLE: usize = 0;

/// Everything known about what was given while it is listed.
pub(crate) struct Catalogue {
    limits: Limits,
    budget: Budget,
    shelf: Shelf,
    layers: Vec<Layer>,
    /// Archives around the members of each layer, itself included.
    depths: Vec<u32>,
    drafts: Vec<Draft>,
    /// What lies around the bundles; the bundle itself if no other is found.
    whole: Part,
    /// The bundles that were found.
    found: Vec<Part>,
    /// How many more there are.
    left_out: usize,
    /// No dumps or logs lie around the bundles.
    lonely: bool,
}

/// Where the members of a container belong.
struct Below {
    /// The part that has the container.
    part: usize,
    /// The container's path therein; empty for the outermost.
    archive: String,
    /// Parts that begin in the container, by their folder.
    roots: Vec<(String, usize)>,
}

impl Below {
    /// The part that a member belongs to, its path there, and whether no other archive lies between.
    fn locate(&self, path: String, wrapping: &str) -> (usize, String, bool) {
        let inside = self.roots.iter().find_map(|(prefix, part)| Some((*part, path.strip_prefix(prefix.as_str())?)));
        match (inside, self.archive.as_str()) {
            (Some((part, rest)), _) => (part, rest.to_owned(), true),
            (None, "") => (self.part, path.strip_prefix(wrapping).map(str::to_owned).unwrap_or(path), true),
            // What lies beside the only bundle of an archive is not much, or it would be a bundle.
            (None, _) if self.roots.len() == 1 => (self.owner(), path, true),
            (None, archive) => (self.part, format!("{archive}!/{path}"), false),
        }
    }

    /// The part to which faults without a path belong.
    fn owner(&self) -> usize {
        match self.roots.as_slice() {
            [(_, only)] => *only,
            _ => self.part,
        }
    }
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
            whole: Part::new(Root::here(), String::new(), None),
            found: Vec::new(),
            left_out: 0,
            lonely: true,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.drafts.is_empty()
    }

    /// Files that are not readable.
    pub fn skipped(&self) -> u64 {
        self.parts().map(|part| part.skipped).sum()
    }

    /// How many notes of a sort there are.
    pub fn count(&self, sort: Sort) -> u64 {
        self.parts().map(|part| part.notes.count(sort)).sum()
    }

    fn parts(&self) -> impl Iterator<Item = &Part> {
        std::iter::once(&self.whole).chain(&self.found)
    }

    pub fn scope(&self) -> Scope<'_> {
        let (entries, bytes) = (self.budget.entries(), self.budget.bytes());
        Scope { limits: &self.limits, entries, bytes, shelf: &self.shelf }
    }

    fn part(&mut self, number: usize) -> &mut Part {
        number.checked_sub(1).and_then(|index| self.found.get_mut(index)).unwrap_or(&mut self.whole)
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
            let message = format!("the archive in it: {}", failure.message);
            self.whole.notes.container(IssueKind::Archive, "", message);
        }
        match found.pop() {
            Some(Found::Archive(inner, kept)) => {
                self.whole.note_container(listing, "");
                *around = Some(Around { place, held: kept.or(held), size });
                Found::Archive(inner, None)
            }
            other => {
                *around = self.pop_layer(listing);
                other.unwrap_or(Found::Plain)
            }
        }
    }

    /// Takes the store of a listing, which goes on without it. The path is empty for the container of a bundle: what is
    /// wrapped around that does not count as depth.
    fn push_layer(&mut self, listing: &mut Listing, around: Option<Around>, path: String) {
        let store = std::mem::replace(&mut listing.store, Store::Memory);
        let archive = u32::from(!matches!(store, Store::Folder(_) | Store::Memory));
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

    /// Admits the members of the outermost container, in which bundles may begin; returns which drafts are new.
    pub fn begin(&mut self, listing: Listing, around: Option<Around>, disk: &Path) -> Range<usize> {
        let paths = listing.paths();
        let mut roots = Root::find(paths.iter().map(String::as_str));
        if roots.is_empty() {
            self.whole.root = Root::unknown(paths.iter().map(String::as_str));
        }
        let loose = |path: &String| !roots.iter().any(|root| path.starts_with(&root.prefix)) && is_dump_or_log(path);
        self.lonely = !paths.iter().any(loose);
        self.bound(&mut roots);
        let roots = roots.into_iter().map(|root| self.part_of(root, "", None)).collect();
        self.admit(listing, around, Below { part: WHOLE, archive: String::new(), roots }, disk)
    }

    /// Makes a bundle of files in memory, whose paths are relative to the root already.
    pub fn hold(mut self, listing: Listing, container: Container) -> Bundle {
        let below = Below { part: WHOLE, archive: String::new(), roots: Vec::new() };
        self.admit(listing, None, below, Path::new(""));
        let logicals: Vec<String> = self.drafts.iter().map(|draft| logical(&draft.path)).collect();
        self.whole.root = Root::find_here(logicals.iter().map(String::as_str));
        let (layers, limits) = (Arc::new(self.layers), self.limits);
        let shared = Shared { given: container, disk: PathBuf::new(), layers, limits };
        self.whole.finish(&shared, true, self.drafts, &[])
    }

    /// Makes a part of a bundle that was found in a container, whose path in what was given is `container`.
    fn part_of(&mut self, root: Root, container: &str, archive: Option<Job>) -> (String, usize) {
        let folder = root.prefix.trim_end_matches('/');
        let place = match (&archive, container) {
            (Some(_), container) => container.to_owned(),
            (None, "") => folder.to_owned(),
            (None, container) => format!("{container}!/{folder}"),
        };
        let prefix = root.prefix.clone();
        self.found.push(Part::new(root, place, archive));
        (prefix, self.found.len())
    }

    /// Leaves out bundles that are too many.
    fn bound(&mut self, roots: &mut Vec<Root>) {
        let room = MOST_BUNDLES.saturating_sub(self.found.len());
        self.left_out += roots.len().saturating_sub(room);
        roots.truncate(room);
    }

    fn admit(&mut self, mut listing: Listing, around: Option<Around>, below: Below, disk: &Path) -> Range<usize> {
        self.note_container(&listing, &below);
        let layer = self.layers.len();
        let path = if below.roots.is_empty() { below.archive.clone() } else { String::new() };
        self.push_layer(&mut listing, around, path);
        links::read_targets(&self.layers, &mut listing, disk);
        let depth = self.depths.last().copied().unwrap_or(0);
        let start = self.drafts.len();
        let mut expansion = Expansion::new(listing.stored, &self.limits);
        let mut files: Vec<_> = self.tidy(&listing, &below).into_iter().collect();
        // Smallest first, then by path: what is far too large must not starve the rest.
        files.sort_by_key(|(_, (member, _))| listing.members.get(*member).map_or(0, |member| member.size));
        for ((part, path), (member, outer)) in files {
            let Some(found) = listing.members.get_mut(member) else { continue };
            if let Err(refusal) = self.budget.admit(found.size, &mut expansion) {
                let why = refusal.message(&self.limits);
                let part = self.part(part);
                part.notes.entry(Sort::Refused, &path, why.as_str());
                part.lose(path, why);
                continue;
            }
            self.drafts.push(Draft {
                part,
                path,
                place: Place { layer, member },
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
        // The fault of a compressed file is that of what is in it.
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

    /// The files of a listing by part and path, in order, as their index and whether they lie in the container of the
    /// part; of several with one path the last.
    fn tidy(&mut self, listing: &Listing, below: &Below) -> BTreeMap<(usize, String), (usize, bool)> {
        let wrapping = self.whole.root.prefix.clone();
        let read_elsewhere = Links::leading_inside(listing);
        let mut files = BTreeMap::new();
        for (index, member) in listing.members.iter().enumerate() {
            if matches!(member.what, What::Folder) || read_elsewhere.contains(&index) {
                continue;
            }
            let Some((path, mended)) = self.clean(member, below) else { continue };
            let (part, path, outer) = below.locate(path, &wrapping);
            let unreadable = unreadable(&member.what, &self.limits);
            let owner = self.part(part);
            if let Some(mended) = mended {
                owner.notes.entry(Sort::Name, &path, mended);
            }
            if let Some((sort, message)) = unreadable {
                owner.skipped += 1;
                owner.notes.entry(sort, &path, message.as_str());
                owner.lose(path, message);
            } else if files.insert((part, path.clone()), (index, outer)).is_some() {
                owner.notes.entry(Sort::Duplicate, &path, "there several times in one archive; the last one is used");
            }
        }
        files
    }

    fn clean(&mut self, member: &Member, below: &Below) -> Option<(String, Option<&'static str>)> {
        match clean(&member.name) {
            Name::Litter => None,
            Name::Refused(why) => {
                let part = self.part(below.owner());
                part.skipped += 1;
                part.notes.name(Sort::Name, &member.name, &format!("{why}; not read"));
                None
            }
            Name::Path(path, mended) => Some((path, mended)),
        }
    }

    /// Lists the archives among the fresh entries, then those in them, until there are none or they are too deep.
    pub fn descend(&mut self, mut fresh: Range<usize>, disk: &Path) {
        while !fresh.is_empty() {
            let candidates: Vec<usize> =
                fresh.filter(|&index| self.drafts.get(index).is_some_and(Draft::may_be_archive)).collect();
            let next = self.drafts.len();
            for (index, found) in candidates.iter().zip(self.look(&candidates, disk)) {
                self.take(*index, found, disk);
            }
            fresh = next..self.drafts.len();
        }
    }

    fn look(&mut self, candidates: &[usize], disk: &Path) -> Vec<Found> {
        let drafts: Vec<&Draft> = candidates.iter().filter_map(|&index| self.drafts.get(index)).collect();
        let asked: Vec<Candidate<'_>> = drafts.iter().map(|draft| draft.candidate(&self.limits)).collect();
        let (found, failures) = nested::look(&self.layers, disk, &asked, &self.scope());
        let damaged: Vec<(usize, String, String)> = failures
            .into_iter()
            .filter_map(|failure| match failure.at {
                FailedAt::Job(job) => drafts.get(job).map(|draft| (draft.part, draft.path.clone(), failure.message)),
                FailedAt::Layer(layer) => {
                    // Whatever lies in the layer belongs to the part that has the layer.
                    let part = drafts.iter().find(|draft| draft.place.layer == layer).map_or(WHOLE, |draft| draft.part);
                    self.layers.get(layer).map(|layer| (part, layer.path.clone(), failure.message))
                }
            })
            .collect();
        for (part, path, message) in damaged {
            self.part(part).notes.container(IssueKind::Archive, &path, message);
        }
        found
    }

    fn take(&mut self, index: usize, found: Found, disk: &Path) {
        let Some(draft) = self.drafts.get_mut(index) else { return };
        let (part, path) = (draft.part, draft.path.clone());
        draft.format = Some(match &found {
            Found::Plain => Format::Other,
            Found::Archive(..) | Found::TooLarge => Format::Zip,
            Found::Unread(format) | Found::TooDeep(format) | Found::Damaged(format, _) => *format,
        });
        let holds_files = matches!(draft.format, Some(Format::Zip | Format::Tar));
        let note = match found {
            Found::Plain => return,
            Found::Archive(listing, kept) => {
                draft.held = draft.held.take().or(kept);
                return self.take_archive(index, listing, disk);
            }
            Found::Unread(format) => {
                format!("a {} archive, which is not read; unpack it and give the folder", format.name())
            }
            Found::TooDeep(format) => {
                let message =
                    format!("a {} archive below {} others (--max-depth); not opened", format.name(), draft.depth);
                let part = self.part(part);
                if holds_files {
                    part.note_broken(&path, &message);
                }
                return part.notes.entry(Sort::Refused, &path, message);
            }
            Found::TooLarge => {
                "a zip of more than 512 MiB inside another archive; unpack it and give the folder".into()
            }
            Found::Damaged(format, what) => format!("the {} archive {what}", format.name()),
        };
        let part = self.part(part);
        if holds_files {
            part.note_broken(&path, &note);
        }
        part.notes.entry(Sort::Nested, &path, note);
    }

    /// Admits the members of a nested archive. Outside of bundles it may be one, or hold several.
    fn take_archive(&mut self, index: usize, listing: Listing, disk: &Path) {
        let Some(draft) = self.drafts.get(index) else { return };
        let (part, archive, job) = (draft.part, draft.path.clone(), draft.job());
        let around = Around { place: job.place, held: job.held.clone(), size: job.size };
        let mut roots = if part == WHOLE { self.bundles_in(&listing) } else { Vec::new() };
        let container = format!("{}{archive}", self.whole.root.prefix);
        let only = (roots.len() == 1).then_some(job);
        let roots: Vec<_> = roots.drain(..).map(|root| self.part_of(root, &container, only.clone())).collect();
        if !roots.is_empty() {
            let holds = |draft: &&mut Draft| draft.part == WHOLE && is_or_holds(&draft.path, &archive);
            self.drafts.iter_mut().filter(holds).for_each(|draft| draft.holds_bundles = true);
        }
        self.admit(listing, Some(around), Below { part, archive, roots }, disk);
    }

    fn bundles_in(&mut self, listing: &Listing) -> Vec<Root> {
        let mut roots = Root::find(listing.paths().iter().map(String::as_str));
        roots.retain(|root| root.stands_alone(self.lonely));
        self.bound(&mut roots);
        roots
    }

    /// Makes the bundles, sorted by their place; at least one.
    pub fn finish(mut self, given: Container, disk: PathBuf) -> Vec<Bundle> {
        let around = match self.found.as_mut_slice() {
            [] => {
                self.found.push(std::mem::replace(&mut self.whole, Part::new(Root::here(), String::new(), None)));
                None
            }
            // A folder of the outermost container: what lies beside it is not much, or it would be a bundle.
            [only] if only.archive.is_none() => {
                only.take_in(&mut self.whole);
                None
            }
            _ => Some(self.around(&given.path)),
        };
        let alone = self.found.len() == 1;
        let mut drafts: Vec<Vec<Draft>> = self.found.iter().map(|_| Vec::new()).collect();
        for draft in self.drafts {
            let index = if around.is_none() { 0 } else { draft.part.wrapping_sub(1) };
            if let Some(own) = drafts.get_mut(index) {
                own.push(draft);
            }
        }
        let shared = Shared { given, disk, layers: Arc::new(self.layers), limits: self.limits };
        let around = around.unwrap_or_default();
        let mut parts: Vec<_> = self.found.into_iter().zip(drafts).collect();
        parts.sort_by(|(a, _), (b, _)| a.place.cmp(&b.place));
        parts.into_iter().map(|(part, drafts)| part.finish(&shared, alone, drafts, &around)).collect()
    }

    /// What is to be told of what lies around the bundles.
    fn around(&mut self, given: &str) -> Vec<Issue> {
        let whole = || self.drafts.iter().filter(|draft| draft.part == WHOLE);
        let holders: Vec<String> =
            whole().filter(|draft| draft.holds_bundles).map(|draft| format!("{}!/", draft.path)).collect();
        // Of an archive without bundles its members need not be told, too.
        let is_beside = |draft: &&Draft| {
            let inside = holders.iter().filter_map(|holder| draft.path.strip_prefix(holder.as_str()));
            !draft.holds_bundles
                && (draft.outer || inside.min_by_key(|rest| rest.len()).is_some_and(|rest| !rest.contains("!/")))
        };
        let files: BTreeSet<&str> = whole().filter(is_beside).map(|draft| draft.path.as_str()).collect();
        let notes = std::mem::take(&mut self.whole.notes).finish().into_iter().map(|issue| {
            let place = issue.origin.map(|origin| format!("`{}`: ", shown(&origin.entry))).unwrap_or_default();
            Issue::general(issue.kind, format!("beside this bundle in `{given}`: {place}{}", issue.message))
        });
        let mut around: Vec<Issue> = notes.collect();
        if self.left_out > 0 {
            let message = format!(
                "`{given}` holds {} bundles more than the {MOST_BUNDLES} that are analysed; give those by themselves",
                self.left_out
            );
            around.push(Issue::general(IssueKind::Limit, message));
        }
        if !files.is_empty() {
            let names: Vec<String> = files.iter().take(5).map(|path| format!("`{}`", shown(path))).collect();
            let more = if files.len() > names.len() { " and others" } else { "" };
            let count = match files.len() {
                1 => format!("1 file in `{given}` belongs to none of its bundles and was"),
                count => format!("{count} files in `{given}` belong to none of its bundles and were"),
            };
            let message = format!("{count} not analysed: {}{more}; give them by themselves", names.join(", "));
            around.push(Issue::general(IssueKind::Archive, message));
        }
        around
    }
}

fn is_or_holds(path: &str, archive: &str) -> bool {
    archive.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with("!/"))
}

fn is_dump_or_log(path: &str) -> bool {
    is_text_name(path) && !path.ends_with(".txt")
}

fn unreadable(what: &What, limits: &Limits) -> Option<(Sort, String)> {
    match what {
        What::File | What::Folder => None,
        What::Link(target) if target.is_empty() => Some((Sort::Link, "a link; not followed".into())),
        What::Link(target) => Some((Sort::Link, format!("a link to `{}`; not followed", shown(target)))),
        What::Special => Some((Sort::Special, "a device, pipe or socket; not read".into())),
        What::Refused(refusal) => Some((Sort::Refused, refusal.message(limits))),
        What::Encrypted => Some((Sort::Encrypted, "encrypted; not read".into())),
        What::Method(method) => Some((
            Sort::Method,
            format!("compressed as {method}, which is not read; unpack the zip and give the folder"),
        )),
    }
}
