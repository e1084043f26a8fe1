//! All texts of a bundle and who wrote them, for readers of lines.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

use super::describe::read_descriptions;
use super::ingest::skip;
use super::sections::{EntryPart, Section};
use crate::bundle::{Bundle, Entry, Role};
use crate::log::{Clock, LogSource, SourceOrigin};
use crate::model::Issue;
use crate::model::encoding::Utf8Reader;
use crate::rule::RuleSet;

/// What a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TextKind {
    Log,
    /// Objects: a dump, a table or descriptions.
    Dump,
    /// Any other text.
    Other,
}

/// A text of a bundle: an entry, or a section of one.
#[derive(Clone, Debug)]
pub struct BundleText {
    pub kind: TextKind,
    pub source: LogSource,
    /// Path without archive layers.
    pub logical: Arc<str>,
    pub size: u64,
    /// Line of the entry on which it begins; 1-based.
    pub line: u64,
    /// True if another entry has more of the log of the same container, or as much: troubleshoot.sh collects logs twice.
    pub is_copy: bool,
    /// Offset of its first byte, if it is a section.
    start: Option<u64>,
    /// True if its path does not name the namespace of its pod.
    is_homeless: bool,
}

impl BundleText {
    /// Returns true if it is a section of an entry.
    pub fn is_section(&self) -> bool {
        self.start.is_some()
    }
}

/// All texts of a bundle, sorted by entry and place in it.
pub struct BundleTexts<'b> {
    bundle: &'b Bundle,
    pub texts: Vec<BundleText>,
    /// Time and zone of the collection.
    pub clock: Clock,
}

impl<'b> BundleTexts<'b> {
    /// Lists the texts of a bundle. Reads only what names them, on the current thread pool.
    pub fn list(bundle: &'b Bundle) -> Self {
        let described = read_descriptions(bundle, &RuleSet::default());
        let metadata = described.metadata.as_ref();
        let clock = Clock { now: metadata.and_then(|m| m.created_at), zone: metadata.and_then(|m| m.zone), boot: None };
        let mut texts = Vec::new();
        for entry in bundle.entries().iter().filter(|entry| entry.role != Role::Archive) {
            let logs = described.sections.parts(entry).filter_map(|part| {
                let source = described.pods.log(part.path, part.role)?;
                let is_homeless = matches!(part.role, Role::PodLog { namespace, .. } if namespace.is_empty());
                Some(BundleText { kind: TextKind::Log, source, is_homeless, ..text(entry, Some(part)) })
            });
            let known = texts.len();
            texts.extend(logs);
            let is_log = texts.get(known..).unwrap_or_default().iter().any(|text| !text.is_section());
            if !is_log {
                texts.insert(known, text(entry, None));
            }
        }
        note_copies(&mut texts);
        Self { bundle, texts, clock }
    }

    /// Calls `visit` once for each chosen text, in parallel, in the order of their places within an entry. Returns issues of what
    /// could not be read.
    pub fn read(
        &self,
        chosen: &(dyn Fn(usize) -> bool + Sync),
        visit: &(dyn Fn(usize, &mut dyn Read) + Sync),
    ) -> Vec<Issue> {
        let wanted = |entry: &Entry| self.of(entry).any(chosen);
        self.bundle.read(&wanted, &|entry, reader| {
            let chosen = self.of(entry).filter(|index| chosen(*index));
            let mut chosen = chosen.filter_map(|index| Some((index, self.texts.get(index)?))).peekable();
            // Sections overlap with the whole entry, which therefore comes alone.
            if let Some((index, _)) = chosen.next_if(|(_, text)| text.start.is_none()) {
                return visit(index, reader);
            }
            let (mut at, mut reader) = (0, Utf8Reader::new(reader));
            for (index, text) in chosen {
                let start = text.start.unwrap_or(at);
                skip(&mut reader, start.saturating_sub(at));
                let mut inside = (&mut reader).take(text.size);
                visit(index, &mut inside);
                let left = inside.limit();
                skip(&mut inside, left);
                at = start + text.size;
            }
        })
    }

    /// Returns the bytes of a line that are shown.
    pub fn max_line(&self) -> usize {
        self.bundle.limits().max_line
    }

    /// Returns the bytes of a file of objects that are read as one text.
    pub fn max_dump(&self) -> u64 {
        self.bundle.limits().max_dump
    }

    /// Returns the texts of an entry.
    fn of(&self, entry: &Entry) -> Range<usize> {
        let start = self.texts.partition_point(|text| text.source.entry < entry.path);
        let end = self.texts.partition_point(|text| text.source.entry <= entry.path);
        start..end
    }
}

fn text(entry: &Entry, part: Option<EntryPart<'_>>) -> BundleText {
    let section: Option<&Section> = part.and_then(|part| part.section);
    BundleText {
        kind: kind(&entry.role),
        source: LogSource { entry: Arc::clone(&entry.path), origin: SourceOrigin::File },
        logical: part.map_or(&entry.logical, |part| part.logical).clone(),
        size: section.map_or(entry.size, |section| section.length),
        line: section.map_or(1, |section| section.line),
        is_copy: false,
        start: section.map(|section| section.start),
        is_homeless: false,
    }
}

/// Marks all but the largest log of each container of which the namespace is not in every path.
fn note_copies(texts: &mut [BundleText]) {
    let mut logs: BTreeMap<SourceOrigin, Vec<usize>> = BTreeMap::new();
    for (index, text) in texts.iter().enumerate().filter(|(_, text)| text.source.pod().is_some()) {
        logs.entry(text.source.origin.clone()).or_default().push(index);
    }
    for of_container in logs.into_values().filter(|logs| logs.len() > 1) {
        let all = || of_container.iter().filter_map(|index| Some((*index, texts.get(*index)?)));
        if !all().any(|(_, text)| text.is_homeless) {
            continue;
        }
        let largest = all().max_by_key(|(index, text)| (text.size, !text.is_homeless, Reverse(*index)));
        let kept = largest.map(|(index, _)| index);
        for index in of_container.iter().filter(|index| Some(**index) != kept) {
            if let Some(text) = texts.get_mut(*index) {
                text.is_copy = true;
            }
        }
    }
}

fn kind(role: &Role) -> TextKind {
    match role {
        Role::Dump { .. } | Role::Objects | Role::Table { .. } | Role::Described { .. } | Role::Summary(_) => {
            TextKind::Dump
        }
        Role::LogSections { documents: true } => TextKind::Dump,
        _ => TextKind::Other,
    }
}
