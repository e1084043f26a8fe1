//! Listing of archives inside the input container, level by level.

use std::ops::Range;
use std::path::Path;

use super::below::Below;
use super::damaged_names::{self, Renamed};
use super::{Catalogue, WHOLE};
use crate::bundle::catalogue::draft::Draft;
use crate::bundle::catalogue::nested::{self, Candidate, NestedContent};
use crate::bundle::catalogue::notes::Sort;
use crate::bundle::collectors::root::Root;
use crate::bundle::containers::detect::Format;
use crate::bundle::containers::layer::NestedEntry;
use crate::bundle::containers::listing::Listing;
use crate::bundle::read::FailedAt;
use crate::model::IssueKind;
use crate::model::message::ArchiveProblem;

impl Catalogue {
    /// Lists the archives among the new entries, then those inside them, until none are left or they are too deep.
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

    fn look(&mut self, candidates: &[usize], disk: &Path) -> Vec<NestedContent> {
        let drafts: Vec<&Draft> = candidates.iter().filter_map(|&index| self.drafts.get(index)).collect();
        let asked: Vec<Candidate<'_>> = drafts.iter().map(|draft| draft.candidate(&self.limits)).collect();
        let (found, failures) = nested::inspect(&self.layers, disk, &asked, &self.scope());
        let damaged: Vec<(usize, String, ArchiveProblem)> = failures
            .into_iter()
            .filter_map(|failure| match failure.at {
                FailedAt::Entry(request) => {
                    drafts.get(request).map(|draft| (draft.part, draft.path.clone(), failure.problem))
                }
                FailedAt::Archive(layer) => {
                    // Entries of a layer belong to the part that has the layer.
                    let part = drafts.iter().find(|draft| draft.place.layer == layer).map_or(WHOLE, |draft| draft.part);
                    self.layers.get(layer).map(|layer| (part, layer.path.clone(), failure.problem))
                }
            })
            .collect();
        for (part, path, problem) in damaged {
            self.part(part).notes.container(IssueKind::Archive, &path, problem);
        }
        found
    }

    fn take(&mut self, index: usize, found: NestedContent, disk: &Path) {
        let Some(draft) = self.drafts.get_mut(index) else { return };
        let (part, path) = (draft.part, draft.path.clone());
        draft.format = Some(match &found {
            NestedContent::Plain => Format::Other,
            NestedContent::Archive(..) | NestedContent::TooLarge => Format::Zip,
            NestedContent::Unread(format) | NestedContent::TooDeep(format) | NestedContent::Damaged(format, _) => {
                *format
            }
        });
        let holds_files = matches!(draft.format, Some(Format::Zip | Format::Tar));
        let note = match found {
            NestedContent::Plain => return,
            NestedContent::Archive(listing, kept) => {
                draft.held = draft.held.take().or(kept);
                return self.take_archive(index, listing, disk);
            }
            NestedContent::Unread(format) => ArchiveProblem::Unsupported { format: format.name() },
            NestedContent::TooDeep(format) => {
                let problem = ArchiveProblem::TooDeep { format: format.name(), depth: draft.depth };
                let part = self.part(part);
                if holds_files {
                    part.note_broken(&path, &problem);
                }
                return part.notes.entry(Sort::Refused, &path, problem);
            }
            NestedContent::TooLarge => ArchiveProblem::NestedZipTooLarge { most: self.limits.max_nested_zip() },
            NestedContent::Damaged(format, fault) => ArchiveProblem::Damaged { format: format.name(), fault },
        };
        let part = self.part(part);
        if holds_files {
            part.note_broken(&path, &note);
        }
        part.notes.entry(Sort::Nested, &path, note);
    }

    /// Admits the members of a nested archive. Outside of bundles, the archive may be a bundle or hold several.
    fn take_archive(&mut self, index: usize, mut listing: Listing, disk: &Path) {
        let Some(draft) = self.drafts.get(index) else { return };
        let (part, archive, request) = (draft.part, draft.path.clone(), draft.request());
        let parent = NestedEntry { place: request.place, held: request.held.clone(), size: request.size };
        for Renamed { path, name } in damaged_names::fold(&mut listing) {
            self.part(part).note_renamed(&format!("{archive}!/{path}"), &name);
        }
        let mut roots = if part == WHOLE { self.bundles_in(&listing) } else { Vec::new() };
        let container = format!("{}{archive}", self.whole.root.prefix);
        let only = (roots.len() == 1).then_some(request);
        let roots: Vec<_> = roots.drain(..).map(|root| self.part_of(root, &container, only.clone())).collect();
        if !roots.is_empty() {
            let holds = |draft: &&mut Draft| draft.part == WHOLE && is_or_holds(&draft.path, &archive);
            self.drafts.iter_mut().filter(holds).for_each(|draft| draft.holds_bundles = true);
        }
        self.admit(listing, Some(parent), Below { part, archive, roots }, disk);
    }

    fn bundles_in(&mut self, listing: &Listing) -> Vec<Root> {
        let mut roots = Root::find(listing.paths().iter().map(String::as_str));
        roots.retain(|root| root.is_own_bundle(self.lonely));
        self.drop_remnants(&mut roots, listing);
        self.bound(&mut roots);
        roots
    }
}

fn is_or_holds(path: &str, archive: &str) -> bool {
    archive.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with("!/"))
}
