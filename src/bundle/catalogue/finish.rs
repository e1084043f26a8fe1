//! Creation of the bundles of a catalogue, and the issues of everything around them.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use super::{Catalogue, MOST_BUNDLES, WHOLE};
use crate::bundle::catalogue::draft::Draft;
use crate::bundle::catalogue::sub_bundle::{Shared, SubBundle};
use crate::bundle::collectors::root::Root;
use crate::bundle::path::printable;
use crate::bundle::{Bundle, Container};
use crate::model::message::{ArchiveProblem, Examples, IssueMessage};
use crate::model::{Issue, IssueKind};

/// Maximum number of files outside of bundles that are named.
const FILES_NAMED: usize = 5;

impl Catalogue {
    /// Creates the bundles, sorted by location; returns at least one.
    pub fn finish(mut self, given: Container, disk: PathBuf) -> Vec<Bundle> {
        let around = match self.found.as_mut_slice() {
            [] => {
                self.found.push(std::mem::replace(&mut self.whole, SubBundle::new(Root::here(), String::new(), None)));
                None
            }
            // For a folder of the outermost container: files next to it are few, or it would be a bundle.
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

    /// Returns the issues of everything around the bundles.
    fn around(&mut self, given: &str) -> Vec<Issue> {
        let whole = || self.drafts.iter().filter(|draft| draft.part == WHOLE);
        let holders: Vec<String> =
            whole().filter(|draft| draft.holds_bundles).map(|draft| format!("{}!/", draft.path)).collect();
        // For an archive without bundles, its members are not reported separately.
        let is_beside = |draft: &&Draft| {
            let inside = holders.iter().filter_map(|holder| draft.path.strip_prefix(holder.as_str()));
            !draft.holds_bundles
                && (draft.outer || inside.min_by_key(|rest| rest.len()).is_some_and(|rest| !rest.contains("!/")))
        };
        let files: BTreeSet<&str> = whole().filter(is_beside).map(|draft| draft.path.as_str()).collect();
        let notes = std::mem::take(&mut self.whole.notes).finish().into_iter().map(|issue| {
            let (given, message) = (given.to_owned(), Box::new(issue.message));
            let message = match issue.origin {
                Some(origin) => IssueMessage::OutsideAt { given, entry: printable(&origin.entry), message },
                None => IssueMessage::Outside { given, message },
            };
            Issue::general(issue.kind, message)
        });
        let mut around: Vec<Issue> = notes.collect();
        if self.left_out > 0 {
            let (given, count) = (given.to_owned(), self.left_out);
            let problem = ArchiveProblem::TooManyBundles { given, count, most: MOST_BUNDLES };
            around.push(Issue::general(IssueKind::Limit, problem));
        }
        if !files.is_empty() {
            let (given, count) = (given.to_owned(), files.len());
            let files = Examples::first(files.into_iter().map(printable), FILES_NAMED);
            let problem = match count {
                1 => ArchiveProblem::FileOutside { given, files },
                count => ArchiveProblem::FilesOutside { count, given, files },
            };
            around.push(Issue::general(IssueKind::Archive, problem));
        }
        around
    }
}
