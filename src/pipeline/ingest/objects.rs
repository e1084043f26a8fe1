//! Objects of an entry (its dump, table, description or summary) within its share of the memory.

use std::io::Read;

use super::dump_place::{Placed, dump_place};
use super::entry_result::{EntryResult, issue};
use super::visitor::Visitor;
use crate::bundle::{Role, Summary};
use crate::model::IssueKind;
use crate::model::message::DocumentProblem;
use crate::pipeline::sections::EntryPart;
use crate::pipeline::tasks::Task;
use crate::pipeline::texts::head_of;
use crate::resource::DumpObjects;
use crate::resource::content::{self, Shape};
use crate::resource::describe::read_described;
use crate::resource::summary::{read_releases, read_values};
use crate::resource::table::api::Context;
use crate::resource::table::{read_table, read_unnamed};
use crate::yaml::normalise::{Dialect, normalise};
use crate::yaml::{Document, go_structs};

impl Visitor<'_> {
    /// Reads descriptions, which are limited to the size of dumps; messages that kubectl printed instead are reported.
    pub(super) fn described(
        &self,
        part: &EntryPart<'_>,
        word: Option<&str>,
        reader: &mut dyn Read,
        mine: &mut EntryResult,
    ) {
        let most = self.bundle.limits().max_dump;
        if part.size > most {
            return mine.issues.push(issue(part, IssueKind::Limit, DocumentProblem::DescriptionTooLarge { most }));
        }
        let mut bytes = Vec::new();
        let _ = reader.read_to_end(&mut bytes);
        let found = read_described(part.path.clone(), word, bytes, self.clock.now, self.no_events, self.room(part));
        mine.dumps.push(found.objects);
        mine.file_gaps.extend(found.answer.map(|said| self.file_gap(part, said)));
    }

    /// Returns the memory that the objects of a part may take, including its text.
    pub(super) fn room(&self, part: &EntryPart<'_>) -> u64 {
        self.memory.room(part.size)
    }

    pub(super) fn too_large(&self) -> DocumentProblem {
        DocumentProblem::TooLarge { most: self.bundle.limits().max_dump }
    }

    /// Reads all bytes of a dump; too large a dump gives none and is reported.
    fn dump_bytes(&self, part: &EntryPart<'_>, reader: &mut dyn Read, mine: &mut EntryResult) -> Option<Vec<u8>> {
        if part.size > self.bundle.limits().max_dump {
            mine.issues.push(issue(part, IssueKind::Limit, self.too_large()));
            return None;
        }
        let mut bytes = Vec::with_capacity(part.size.min(1 << 20) as usize);
        // The reader of a bundle ends early instead of failing; the pass reports why.
        let _ = reader.read_to_end(&mut bytes);
        bytes.shrink_to_fit();
        Some(bytes)
    }

    pub(super) fn objects(&self, part: &EntryPart<'_>, reader: &mut dyn Read, mine: &mut EntryResult) {
        let place = dump_place(part.role);
        let place = place.as_ref().map(Placed::borrowed);
        let path = part.path.clone();
        let Some(bytes) = self.dump_bytes(part, reader, mine) else {
            return mine.dumps.push(DumpObjects::unreadable(path, place.as_ref()));
        };
        let normalise = |document| self.normalised(part.logical, document);
        let name = part.logical.rsplit('/').next().unwrap_or_default();
        let context = Context { place: place.as_ref(), name, now: self.clock.now };
        mine.dumps.push(match part.role {
            Role::Table { word } => read_table(path, word, bytes, self.clock.now, self.room(part)),
            Role::Objects => content::read_dump(path, context, bytes, &normalise, self.room(part)).loose(),
            _ => content::read_dump(path, context, bytes, &normalise, self.room(part)),
        });
    }

    /// Reads a file without a known role; its first bytes show its content.
    pub(super) fn unplaced(&self, task: &Task<'_>, reader: &mut dyn Read, mine: &mut EntryResult) {
        // Lines before an output in a transcript are made up for, so that places in it are those of its file.
        let before = task.part.section.map_or(0, |section| section.line.saturating_sub(1));
        let part = &EntryPart { size: task.part.size.saturating_add(before), ..task.part };
        let head = head_of(reader);
        if let Some(source) = &task.log {
            return self.scan(part, source, &mut head.as_slice().chain(reader), mine);
        }
        let Some(shape) = Shape::of(&head) else { return };
        let mut all = std::io::repeat(b'\n').take(before).chain(head.as_slice()).chain(reader);
        if shape == Shape::Description {
            return self.described(part, None, &mut all, mine);
        }
        let Some(bytes) = self.dump_bytes(part, &mut all, mine) else { return };
        let (path, now, room) = (part.path.clone(), self.clock.now, self.room(part));
        let name = part.logical.rsplit('/').next().unwrap_or_default();
        match shape {
            Shape::Table => {
                let tables = read_unnamed(path, name, bytes, now, room);
                mine.dumps.extend(tables.into_iter().map(DumpObjects::loose));
            }
            _ => mine.dumps.push(content::read_loose(path, name, bytes, now, room)),
        }
    }

    /// Reads objects in the collector's own format.
    pub(super) fn summary(&self, part: &EntryPart<'_>, of: Summary, reader: &mut dyn Read, mine: &mut EntryResult) {
        let Some(bytes) = self.dump_bytes(part, reader, mine) else { return };
        let (entry, room) = (part.path.clone(), self.room(part));
        mine.dumps.push(match of {
            Summary::HelmReleases => read_releases(entry, bytes, room),
            Summary::ConfigMap => read_values(entry, "ConfigMap", bytes, room),
            Summary::Secret => read_values(entry, "Secret", bytes, room),
        });
    }

    fn normalised(&self, logical: &str, mut document: Document) -> Document {
        if self.bundle.holds_go_structs(logical) {
            document = go_structs::fold(document);
        }
        normalise(&mut document, if self.bundle.is_kit() { Dialect::Kit } else { Dialect::Plain });
        document
    }
}
