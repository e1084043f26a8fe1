//! Input of rules: the data of a bundle that they can read.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::expr::{FileFact, World};
use crate::log::LogIndex;
use crate::model::Origin;
use crate::model::message::{Answer, ArchiveProblem, Reason};
use crate::resource::newest_time;
use crate::rule::FileShape;
use crate::yaml::{Document, Problem};

/// Times after the newest time of its objects between which a bundle was collected. Nobody attaches an object in the minute in which it
/// changes.
const SOON: SignedDuration = SignedDuration::from_hours(1);
const LATE: SignedDuration = SignedDuration::from_hours(24 * 365 * 50);

/// All data of a bundle that rules can read.
#[derive(Clone, Debug)]
pub struct Input {
    pub world: Arc<World>,
    pub logs: Arc<LogIndex>,
    /// Entries that a file fact asks for, sorted by path.
    pub files: Arc<[BundleFile]>,
    pub file_gaps: Arc<FileGaps>,
}

impl Input {
    /// Returns the same data for one rule, with its own budget.
    pub fn for_rule(&self) -> Self {
        Self { world: Arc::new(self.world.for_rule()), ..self.clone() }
    }

    /// Returns the same data as if it had been collected at this time.
    fn at(&self, now: Timestamp) -> Self {
        Self { world: Arc::new(self.world.at(now)), ..self.clone() }
    }

    /// Returns the data as collected at the earliest and at the latest time that are taken for possible; none if the time of collection is
    /// known, or no time of an object is.
    pub fn at_assumed_times(&self) -> Option<[Self; 2]> {
        if self.world.now.is_some() {
            return None;
        }
        let newest = newest_time(&self.world.resources)?;
        let after = |time: SignedDuration| newest.checked_add(time).ok();
        Some([self.at(after(SOON)?), self.at(after(LATE)?)])
    }
}

/// Files that were not collected, so that a fact which did not find them proves nothing.
#[derive(Debug, Default)]
pub struct FileGaps {
    pub files: Vec<FileGap>,
    /// Nodes of the cluster of which nothing was collected, or only a part.
    pub nodes: Vec<String>,
    /// Reason why any other file may be missing: a part of the bundle is truncated.
    pub truncated: Option<ArchiveProblem>,
}

/// An entry that was not collected or is unreadable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileGap {
    /// Path without archive layers, which globs see.
    pub logical: Arc<str>,
    pub node: Option<String>,
    /// Content in place of data, such as the error of a command.
    pub answer: Option<Answer>,
}

/// An entry that is kept because a rule reads it.
#[derive(Debug)]
pub struct BundleFile {
    /// Path of the entry; for a section, with its name.
    pub path: Arc<str>,
    /// The entry; for a section, with the line on which it begins.
    pub origin: Origin,
    /// Path without archive layers, which globs see; for a section, with its name.
    pub logical: Arc<str>,
    pub node: Option<String>,
    pub text: Arc<str>,
    /// Parsed in each shape that rules ask for.
    pub data: BTreeMap<FileShape, FileData>,
}

/// Data of a file in one shape.
#[derive(Debug)]
pub struct FileData {
    pub document: Arc<Document>,
    /// Why a value of the file may be missing in the data.
    pub problem: Option<Problem>,
}

impl BundleFile {
    pub(super) fn as_shape(&self, shape: FileShape) -> Arc<FileFact> {
        let data = self.data.get(&shape).map(|data| Arc::clone(&data.document));
        let (path, origin) = (self.path.clone(), self.origin.clone());
        Arc::new(FileFact { path, origin, node: self.node.clone(), text: self.text.clone(), data })
    }

    /// Returns why data of a shape lacks values.
    pub(super) fn problem(&self, shape: FileShape) -> Option<Reason> {
        let problem = self.data.get(&shape)?.problem.as_ref()?;
        Some(Reason::FileLacks { file: self.path.to_string(), problem: problem.message.clone() })
    }
}
