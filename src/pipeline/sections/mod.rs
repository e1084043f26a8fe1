//! Texts that hold several others, each below a heading. [`Sections`] has the position and the role of each, so that
//! logs, files and descriptions in them are read like entries of their own; lines keep their numbers in the text.
//!
//! Places in an entry with sections count bytes of UTF-8 ([`Utf8Reader`]), whatever its encoding.
//!
//! A section of supportconfig has its own path below that of its text (`boot.txt/dmesg_-T`). The log of a container
//! has the path of its file. That file stays a part in addition to its logs, because objects may lie between them.

mod containers;
pub(super) mod content;
mod headed;
mod outputs;
mod section;
mod supportconfig;
mod transcript;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read};
use std::sync::{Arc, Mutex, PoisonError};

use super::heads::Heads;
use crate::bundle::{Bundle, Entry, Role};
use crate::eval::FileGap;
use crate::model::encoding::Utf8Reader;
use crate::model::message::{Answer, DocumentProblem};
use crate::model::{Issue, IssueKind, Origin};
use content::Content;
pub use section::Section;
use section::{Line, MOST_SECTIONS, SplitText, Splitter};

/// Longer lines are truncated; headings are shorter.
const LONGEST_LINE: usize = 8 << 10;
/// All sections of a bundle that are needed.
#[derive(Debug, Default)]
pub struct Sections {
    by_entry: BTreeMap<Arc<str>, Vec<Section>>,
    /// Files of any name that are split by what they hold.
    by_content: BTreeMap<Arc<str>, Content>,
    /// Files that have the names of logs and hold tables or descriptions.
    printed: BTreeSet<Arc<str>>,
    /// Files of which nothing is read.
    left_out: BTreeSet<Arc<str>>,
    /// Texts of sections with role [`Role::Metadata`], in the order of entries.
    pub descriptions: Vec<(Arc<str>, Role, String)>,
    pub issues: Vec<Issue>,
}

/// An entry, or a section of one.
#[derive(Clone, Copy, Debug)]
pub struct EntryPart<'b> {
    pub path: &'b Arc<str>,
    pub logical: &'b Arc<str>,
    pub role: &'b Role,
    pub size: u64,
    /// The section, if it is not the whole entry.
    pub section: Option<&'b Section>,
    /// Bytes of it that are parts of their own.
    pub apart: u64,
}

impl EntryPart<'_> {
    /// Returns true if it only says why something was not collected.
    pub fn is_refused(&self) -> bool {
        self.section.is_some_and(|section| section.error.is_some())
    }

    /// Returns true if rules can ask for it as a file: a log in a file of several cannot.
    pub fn is_file(&self) -> bool {
        !matches!((self.section, self.role), (Some(_), Role::PodLog { .. }))
    }
}

impl Sections {
    /// Finds the sections of all texts. Sections that are files are kept only if their path is asked for.
    pub fn read(bundle: &Bundle, heads: &Heads, asked: &(dyn Fn(&str) -> bool + Sync)) -> Self {
        let all: Mutex<Vec<(Arc<str>, SplitText)>> = Mutex::default();
        let describes = bundle.is_of_one_machine();
        let by_content: BTreeMap<Arc<str>, Content> = heads.contents().collect();
        let has_sections = |entry: &Entry| {
            matches!(entry.role, Role::Supportconfig { .. } | Role::LogSections { .. })
                || by_content.contains_key(&entry.path)
        };
        let failed = bundle.read(&has_sections, &|entry, reader| {
            let mut reader = Utf8Reader::new(reader);
            let mut found = match (by_content.get(&entry.path), &entry.role) {
                (_, Role::Supportconfig { node }) => {
                    split(Box::new(supportconfig::Splitter::new(&entry.logical, node, describes)), &mut reader)
                }
                (Some(Content::Transcript), _) => {
                    split(Box::new(transcript::Splitter::new(&entry.logical)), &mut reader)
                }
                (Some(Content::Headed), _) => split(Box::new(headed::Splitter::new(&entry.logical)), &mut reader),
                _ => containers::find(&entry.logical, &mut reader),
            };
            let is_file = |section: &Section| matches!(section.role, Role::NodeFile { .. });
            found.sections.retain(|section| !is_file(section) || asked(&section.logical));
            all.lock().unwrap_or_else(PoisonError::into_inner).push((entry.path.clone(), found));
        });
        let mut all = all.into_inner().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(path, found)| !by_content.contains_key(path) || !found.sections.is_empty());
        all.sort_by(|a, b| a.0.cmp(&b.0));
        let printed = heads.printed().cloned().collect();
        let mut sections = Self { issues: failed, by_content, printed, ..Self::default() };
        all.into_iter().for_each(|(path, found)| sections.add(path, found));
        sections
    }

    fn add(&mut self, path: Arc<str>, found: SplitText) {
        if found.dropped {
            let problem = DocumentProblem::TooManySections { most: MOST_SECTIONS };
            self.issues.push(Issue::at(Origin::entry(path.clone()), IssueKind::Limit, problem));
        }
        if !found.description.is_empty() {
            self.descriptions.push((path.clone(), Role::Metadata, found.description));
        }
        self.by_entry.insert(path, found.sections);
    }

    /// Returns true for the output of `kubectl cluster-info dump` in one file.
    pub fn is_dump(&self, entry: &Entry) -> bool {
        entry.role == Role::LogSections { documents: true } || self.by_content.get(&entry.path) == Some(&Content::Dump)
    }

    /// Leaves out a file, for a reason that is reported.
    pub fn leave_out(&mut self, path: &Arc<str>, why: Issue) {
        self.left_out.insert(path.clone());
        self.by_entry.remove(path);
        self.issues.push(why);
    }

    /// Returns true for a file of any name that is split by what it holds.
    pub fn are_by_content(&self, path: &str) -> bool {
        self.by_content.contains_key(path) && !self.of(path).is_empty()
    }

    /// Returns true if files of any name hold logs as parts.
    pub fn have_loose_logs(&self) -> bool {
        let is_log = |section: &Section| !matches!(section.role, Role::Unplaced);
        self.by_content.keys().any(|path| self.of(path).iter().any(is_log))
    }

    /// Returns all sections of an entry, including empty ones.
    pub fn of(&self, path: &str) -> &[Section] {
        self.by_entry.get(path).map_or(&[], Vec::as_slice)
    }

    /// Returns the parts that an entry is read as: its sections, or itself, or itself and the logs in it.
    pub fn parts<'b>(&'b self, entry: &'b Entry) -> impl Iterator<Item = EntryPart<'b>> {
        self.all_parts(entry).filter(|part| !part.is_refused())
    }

    /// Returns these parts, and those that only say why something was not collected, in their order.
    pub fn all_parts<'b>(&'b self, entry: &'b Entry) -> impl Iterator<Item = EntryPart<'b>> {
        let (path, sections) = (&entry.path, self.by_entry.get(&entry.path));
        let of = move |section: &'b Section| EntryPart {
            path,
            logical: &section.logical,
            role: &section.role,
            size: section.length,
            section: Some(section),
            apart: 0,
        };
        let is_dump = self.by_content.get(&entry.path) == Some(&Content::Dump);
        let is_left_out = self.left_out.contains(path);
        let is_kept = sections.is_none() || is_dump || matches!(entry.role, Role::LogSections { .. });
        let apart = self.of(path).iter().map(|section| section.length).fold(0, u64::saturating_add);
        let role = if self.printed.contains(path) { &Role::Unplaced } else { &entry.role };
        let (logical, size) = (&entry.logical, entry.size);
        let whole = EntryPart { path, logical, role, size, section: None, apart };
        let parts = sections.into_iter().flatten().map(of);
        is_kept.then_some(whole).into_iter().chain(parts).filter(move |_| !is_left_out)
    }

    /// Returns logs of containers that were not collected: namespace, pod and container, the line, and the error.
    pub fn log_errors(&self) -> impl Iterator<Item = ((&str, &str, &str), u64, &str)> {
        self.by_entry.values().flatten().filter_map(|section| match &section.role {
            Role::PodLog { namespace, pod, container, .. } => {
                Some(((namespace.as_str(), pod.as_str(), container.as_str()), section.line, section.error.as_deref()?))
            }
            _ => None,
        })
    }

    /// Returns files that should be in the bundle but were not collected.
    pub fn file_gaps(&self) -> impl Iterator<Item = FileGap> {
        let is_file = |section: &&Section| !matches!(section.role, Role::PodLog { .. });
        let failed = self.by_entry.values().flatten().filter(|section| section.error.is_some()).filter(is_file);
        failed.map(|section| FileGap {
            logical: section.logical.clone(),
            node: section.role.node().map(str::to_owned),
            answer: section.error.clone().map(Answer::from),
        })
    }
}

/// Passes the lines of a text to a splitter; damage ends the text early.
fn split(mut splitter: Box<dyn Splitter + '_>, reader: &mut dyn Read) -> SplitText {
    let mut reader = BufReader::with_capacity(64 << 10, reader);
    let (mut start, mut number, mut line) = (0, 1, Vec::new());
    while let Some(length) = next_line(&mut reader, &mut line) {
        let end = start + length;
        splitter.line(&Line { text: &String::from_utf8_lossy(&line), number, start, end });
        (start, number) = (end, number + 1);
    }
    splitter.finish(start, number)
}

/// Reads the beginning of the next line; returns its length in bytes with its end, none at the end of the text.
fn next_line(reader: &mut dyn BufRead, line: &mut Vec<u8>) -> Option<u64> {
    line.clear();
    let mut length = 0;
    loop {
        let available = reader.fill_buf().unwrap_or_default();
        if available.is_empty() {
            return (length > 0).then_some(length);
        }
        let end = memchr::memchr(b'\n', available);
        let taken = end.map_or(available.len(), |end| end + 1);
        let text = available.get(..end.unwrap_or(taken)).unwrap_or_default();
        let room = LONGEST_LINE.saturating_sub(line.len());
        line.extend_from_slice(text.get(..room).unwrap_or(text));
        length += taken as u64;
        reader.consume(taken);
        if end.is_some() {
            return Some(length);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_and_cut() {
        let long = "x".repeat(LONGEST_LINE + 10);
        let text = format!("a\n\n{long}\nb");
        let mut reader = BufReader::with_capacity(7, text.as_bytes());
        let mut line = Vec::new();
        let mut found = Vec::new();
        while let Some(length) = next_line(&mut reader, &mut line) {
            found.push((length, line.len()));
        }
        assert_eq!(found, [(2, 1), (1, 0), (long.len() as u64 + 1, LONGEST_LINE), (1, 1)]);
    }
}
